/** One tool of a server as a `Tool` of ours. */
import { canonicalJson } from '@ramet/core';
import { isPlainObject } from '../model/well-formed.ts';
import { answerError } from '../tools/definition.ts';
import type { Tool, ToolAnswer, ToolContext } from '../tools/types.ts';
import type { Connection } from './connection.ts';
import type { ToolDefinition } from './definitions.ts';
import { renderResult } from './output.ts';
import { classifyFailure, type RequestFailure } from './transport/failure.ts';

const DEFAULT_TIMEOUT_MS = 120_000;
/** Where a call's idempotency key stands in its request's `_meta`. */
const KEY_FIELD = 'ramet/idempotency-key';

export interface McpToolParts {
  readonly definition: ToolDefinition;
  readonly server: string;
  readonly connection: Connection;
  readonly timeoutMs: number | undefined;
}

/** Makes a tool. Its calls are never contained: what a server does is its own. */
export function makeMcpTool(parts: McpToolParts): Tool {
  const { name, description, inputSchema, effect, volatile } = parts.definition;
  return {
    name,
    description,
    inputSchema,
    effect,
    ...(volatile.length === 0 ? {} : { volatile }),
    contained: () => false,
    subject: (input) => canonicalJson(input),
    run: (input, context) => runTool(parts, input, context),
  };
}

async function runTool(parts: McpToolParts, input: unknown, context: ToolContext): Promise<ToolAnswer> {
  const { definition, server, connection } = parts;
  const { name, effect } = definition;
  if (!isPlainObject(input)) return answerError(`${name} was called with wrong input: expected an object.`);
  if (context.signal.aborted) return { ...answerError(`${name} was not called: interrupted.`), aborted: true };
  const first = await tryCall(parts, input, context);
  // With the same key the receiver makes it once, however often it is asked.
  const again = isUnknown(first) && effect === 'idempotent' && connection.isOpen && !context.signal.aborted;
  const answer = again ? await tryCall(parts, input, context) : first;
  return 'kind' in answer ? explainFailure(answer, { server, name, effect, context }) : answer;
}

async function tryCall(
  { definition, connection, timeoutMs = DEFAULT_TIMEOUT_MS }: McpToolParts,
  input: Readonly<Record<string, unknown>>,
  context: ToolContext,
): Promise<ToolAnswer | RequestFailure> {
  const { tool, effect } = definition;
  const { key, signal, onOutput, outputLimitBytes } = context;
  try {
    const result = await connection.call({
      tool,
      input,
      meta: effect === 'idempotent' && key !== undefined ? { [KEY_FIELD]: key } : {},
      timeoutMs,
      signal,
      onProgress: (message) => onOutput?.(`${message}\n`),
    });
    return { output: renderResult(result, outputLimitBytes) };
  } catch (error) {
    const { kind, text } = classifyFailure(error);
    return { kind, text: connection.isOpen ? text : `${text}${connection.lastWords()}` };
  }
}

function isUnknown(answer: ToolAnswer | RequestFailure): boolean {
  return 'kind' in answer && answer.kind === 'unknown';
}

interface FailedCall {
  readonly server: string;
  readonly name: string;
  readonly effect: Tool['effect'];
  readonly context: ToolContext;
}

function explainFailure({ kind, text }: RequestFailure, { server, name, effect, context }: FailedCall): ToolAnswer {
  const aborted = context.signal.aborted ? { aborted: true } : {};
  const why = context.signal.aborted ? 'it was interrupted' : text;
  switch (kind) {
    case 'unsent':
      return {
        ...answerError(`${name} was not called: the MCP server ${server} cannot be reached: ${text}`),
        ...aborted,
      };
    case 'answered':
      return { ...answerError(`the MCP server ${server} refused the call: ${text}`), ...aborted };
    case 'unknown':
      if (effect === 'read') return { ...answerError(`the MCP server ${server} did not answer: ${why}`), ...aborted };
      return {
        ...answerError(`the MCP server ${server} did not answer, and may have done it all the same: ${why}`),
        ...aborted,
        unknown: true,
      };
  }
}
