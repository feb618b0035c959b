/**
 * A program as a tool (W17): the node's input as JSON on standard input, one JSON value from standard output. In the
 * sandbox, or, where the document says so, on the host with the person's own rights.
 */
import { canonicalJson, type Effect, type ExecCommand, type NodePath, type RunId } from '@ramet/core';
import { runProcess } from '../../process/index.ts';
import type { CommandOutcome, SandboxCommand } from '../../sandbox/index.ts';
import type { Contained, Tool, ToolAnswer, ToolContext } from '../../tools/index.ts';

/** Most bytes a program's answer may have. */
const OUTPUT_LIMIT_BYTES = 16 * 1024 * 1024;
const STDERR_LIMIT_BYTES = 64 * 1024;
/** Of what a program said on standard error, this much is told of a failure. */
const TOLD_CHARACTERS = 2000;

export interface ExecOptions {
  readonly exec: ExecCommand;
  readonly effect: Effect;
  readonly run: RunId;
  readonly node: NodePath;
  readonly attempt: number;
  /** Where a program outside the sandbox starts, and its environment. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The recorded input of a program's call: what was run belongs to which call it is. */
export interface ExecInput {
  readonly command: string | readonly string[];
  readonly input: unknown;
}

/** What is recorded of a program that is given an input. */
export function recordedInput({ command }: ExecCommand, input: unknown): ExecInput {
  return { command, input };
}

/** The program of a node as a tool named `exec`. */
export function makeExecTool(options: ExecOptions): Tool {
  const { exec, effect } = options;
  return {
    name: 'exec',
    description: 'Runs the program of a node.',
    inputSchema: {},
    effect,
    contained: (context) => containedIn(exec, context),
    subject: () => (typeof exec.command === 'string' ? exec.command : exec.command.join(' ')).trim(),
    run: async (input, context) => answerOf(await start(options, (input as ExecInput).input, context)),
  };
}

function containedIn(exec: ExecCommand, { sandbox }: Pick<ToolContext, 'sandbox'>): Contained {
  if (exec.sandbox === false || sandbox.kind === 'none') return false;
  return (exec.allowNet ?? []).length === 0 ? true : 'unless_egress';
}

async function start(options: ExecOptions, input: unknown, context: ToolContext): Promise<CommandOutcome> {
  const { exec, cwd, env, run, node, attempt } = options;
  const command: Omit<SandboxCommand, 'cwd' | 'env'> = {
    argv: argvOf(exec.command),
    stdin: Buffer.from(canonicalJson(input)),
    stdout: { kind: 'collect', limitBytes: OUTPUT_LIMIT_BYTES },
    stderrLimitBytes: STDERR_LIMIT_BYTES,
    stderrTailBytes: STDERR_LIMIT_BYTES,
    signal: context.signal,
  };
  const own = {
    RAMET_RUN: run,
    RAMET_NODE: node,
    RAMET_ATTEMPT: String(attempt),
    RAMET_IDEMPOTENCY_KEY: context.key ?? '',
  };
  if (exec.sandbox !== false) {
    const allowNet = exec.allowNet ?? [];
    const { onNotice } = context;
    const told = onNotice === undefined ? {} : { onRefusedEgress: onNotice };
    return context.sandbox.run({ ...command, cwd: context.cwd, env: own, allowNet, ...told });
  }
  const outcome = await runProcess({ ...command, cwd, env: { ...definedOf(env), ...own }, realPipes: true });
  return { ...outcome, egress: [], refusedEgress: [] };
}

function argvOf(command: string | readonly string[]): readonly [string, ...string[]] {
  if (typeof command === 'string') return ['sh', '-c', command];
  const [program = '', ...parameters] = command;
  return [program, ...parameters];
}

function definedOf(env: ExecOptions['env']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

function answerOf(outcome: CommandOutcome): ToolAnswer {
  const { egress, aborted } = outcome;
  const facts = { egress, ...(aborted ? { aborted: true } : {}) };
  if (aborted) return { output: { type: 'error-text', value: 'stopped before it had ended' }, ...facts };
  const problem = problemOf(outcome);
  if (problem !== null) return { output: { type: 'error-text', value: problem }, ...facts };
  const text = Buffer.from(outcome.stdout).toString('utf8');
  const parsed = parseOutput(text);
  if (parsed !== null) return { output: { type: 'json', value: parsed.value }, ...facts };
  const shown = JSON.stringify(text.slice(0, 200).toWellFormed());
  return { output: { type: 'error-text', value: `it wrote no JSON value on standard output, but ${shown}` }, ...facts };
}

function problemOf({ exitCode, signal, stderr, truncated, droppedBytes }: CommandOutcome): string | null {
  if (exitCode !== 0) {
    const how = exitCode === null ? `was ended by ${signal ?? 'a signal'}` : `ended with status ${exitCode}`;
    const said = Buffer.from(stderr).toString('utf8').trim().slice(-TOLD_CHARACTERS).toWellFormed();
    return said === '' ? `it ${how}` : `it ${how}: ${said}`;
  }
  if (truncated && droppedBytes.stdout > 0) return `it wrote more than ${OUTPUT_LIMIT_BYTES / 1024 / 1024} MiB`;
  return null;
}

/** Nothing but white space is null; what is no JSON has no value. */
function parseOutput(text: string): { readonly value: unknown } | null {
  if (text.trim() === '') return { value: null };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return null;
  }
}
