/** Makes a tool from a typed description: input is checked before anything runs, problems become answers. */
import { Failure } from '@ramet/core';
import * as z from 'zod';
import { ToolProblem } from './file-access.ts';
import type { Contained, Effect, Tool, ToolAnswer, ToolContext } from './types.ts';

export interface ToolDefinition<Input> {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType<Input>;
  readonly effect: Effect;
  readonly contained?: (context: Pick<ToolContext, 'sandbox' | 'allowNet'>) => Contained;
  readonly subject: (input: Input) => string;
  readonly run: (input: Input, context: ToolContext) => ToolAnswer | Promise<ToolAnswer>;
  readonly recover?: (input: Input, context: ToolContext) => ToolAnswer | null;
}

/** Makes a `Tool`; without `contained` its calls never leave the workspace. */
export function makeTool<Input>(definition: ToolDefinition<Input>): Tool {
  const { name, description, effect, input: schema, recover } = definition;
  const { $schema: _dialect, ...inputSchema } = z.toJSONSchema(schema, { io: 'input' });
  const subject = (input: unknown) => {
    const parsed = schema.safeParse(input);
    return parsed.success ? definition.subject(parsed.data) : '';
  };
  const run = (input: unknown, context: ToolContext) => {
    const parsed = schema.safeParse(input);
    if (!parsed.success) return Promise.resolve(answerError(explainWrongInput(name, parsed.error)));
    return answerProblems(() => definition.run(parsed.data, context));
  };
  const tool = {
    name,
    description,
    effect,
    inputSchema,
    contained: definition.contained ?? (() => true as const),
    subject,
    run,
  };
  if (recover === undefined) return tool;
  return { ...tool, recover: (input, context) => recoverQuietly(() => recover(schema.parse(input), context)) };
}

/** A text answer. */
export function answerText(value: string): ToolAnswer {
  return { output: { type: 'text', value } };
}

/** An answer that says what went wrong. */
export function answerError(value: string): ToolAnswer {
  return { output: { type: 'error-text', value: value.toWellFormed() } };
}

async function answerProblems(run: () => ToolAnswer | Promise<ToolAnswer>): Promise<ToolAnswer> {
  try {
    return await run();
  } catch (error) {
    const text = explainProblem(error);
    if (text === null) throw error;
    return answerError(text);
  }
}

/** What cannot be told is run again: the run then says what is wrong. */
async function recoverQuietly(recover: () => ToolAnswer | null): Promise<ToolAnswer | null> {
  try {
    return recover();
  } catch (error) {
    if (explainProblem(error) !== null || error instanceof z.ZodError) return null;
    throw error;
  }
}

/** A sentence for the model, or null for an error that is none of its business. */
function explainProblem(error: unknown): string | null {
  if (error instanceof ToolProblem) return error.message;
  if (error instanceof Failure) return error.code === 'process_failed' ? error.message : null;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall === undefined || code === undefined) return null;
  return `${syscall} failed: ${code}${code === 'ENOSPC' ? ' (the disk is full)' : ''}.`;
}

function explainWrongInput(name: string, error: z.ZodError): string {
  const problems = error.issues.map(
    ({ path, message }) => `${path.length === 0 ? 'input' : path.join('.')}: ${message}`,
  );
  return `${name} was called with wrong input: ${problems.join('; ')}.`;
}
