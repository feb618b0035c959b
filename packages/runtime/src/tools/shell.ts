/**
 * `shell`: one command in a fresh shell, in the session's cwd, without input.
 *
 * Output is kept from both ends. `stdoutEncoding: "replaced"` (`stderrEncoding`) says that some bytes were not UTF-8 and
 * read as U+FFFD: for a model a readable text is worth more than lossless base64.
 */
import { existsSync } from 'node:fs';
import * as z from 'zod';
import type { CommandOutcome } from '../sandbox/types.ts';
import { makeTool } from './definition.ts';
import { ToolProblem } from './file-access.ts';
import { type CutOutput, type OutputText, renderOutput, shrinkOutput, splitCollected } from './text.ts';
import type { Contained, Tool, ToolAnswer, ToolContext } from './types.ts';

const DEFAULT_TIMEOUT_MS = 120_000;
const MAX_TIMEOUT_MS = 600_000;
/** Linux takes at most 128 KiB in one argument. */
const MAX_COMMAND_BYTES = 120_000;

interface ShellInput {
  readonly command: string;
  readonly timeoutMs?: number | undefined;
}

/** `shell`: runs a command. */
export const shellTool: Tool = makeTool({
  name: 'shell',
  description:
    "Run a command with bash in the session's folder and answer its exit code and output. Each call is a fresh shell without input; what it leaves running in the background is ended with it. Long output keeps its start and its end.",
  input: z.object({ command: z.string().min(1), timeoutMs: z.int().min(1).max(MAX_TIMEOUT_MS).optional() }),
  effect: 'write',
  contained: containedIn,
  // White space around a command changes nothing of what it does, and must not take it out of a rule's reach.
  subject: ({ command }) => command.trim(),
  run: runShell,
});

function containedIn({ sandbox, allowNet }: Pick<ToolContext, 'sandbox' | 'allowNet'>): Contained {
  if (sandbox.kind === 'none') return false;
  return allowNet.length === 0 ? true : 'unless_egress';
}

async function runShell(
  { command, timeoutMs = DEFAULT_TIMEOUT_MS }: ShellInput,
  context: ToolContext,
): Promise<ToolAnswer> {
  const bytes = Buffer.byteLength(command);
  if (bytes > MAX_COMMAND_BYTES)
    throw new ToolProblem(
      `The command is too long (${bytes} bytes, at most ${MAX_COMMAND_BYTES}): write it to a file and run that.`,
    );
  if (command.includes('\0')) throw new ToolProblem('The command holds a NUL character.');
  const limitBytes = context.outputLimitBytes;
  const tailBytes = Math.floor(limitBytes / 2);
  const outcome = await context.sandbox.run({
    argv: [findShell(), '-c', command],
    cwd: context.cwd,
    stdout: { kind: 'collect', limitBytes, tailBytes },
    stderrLimitBytes: limitBytes,
    stderrTailBytes: tailBytes,
    timeoutMs,
    signal: context.signal,
    allowNet: context.allowNet,
    ...(context.onNotice === undefined ? {} : { onRefusedEgress: context.onNotice }),
    ...makeListeners(context.onOutput),
  });
  const collected = [outcome.stdout, outcome.stderr] as const;
  const [stdout, stderr] = shareLimit(
    splitCollected(collected[0], outcome.droppedBytes.stdout, limitBytes - tailBytes),
    splitCollected(collected[1], outcome.droppedBytes.stderr, limitBytes - tailBytes),
    limitBytes,
  );
  return makeAnswer(outcome, renderOutput(stdout), renderOutput(stderr));
}

function makeAnswer(outcome: CommandOutcome, stdout: OutputText, stderr: OutputText): ToolAnswer {
  const value = {
    exitCode: outcome.exitCode,
    stdout: stdout.text,
    stderr: stderr.text,
    truncated: outcome.truncated || stdout.dropped > 0 || stderr.dropped > 0,
    timedOut: outcome.timedOut,
    ...(outcome.signal === null ? {} : { signal: outcome.signal }),
    ...(outcome.aborted ? { interrupted: true } : {}),
    ...(stdout.replaced ? { stdoutEncoding: 'replaced' } : {}),
    ...(stderr.replaced ? { stderrEncoding: 'replaced' } : {}),
    ...(outcome.refusedEgress.length === 0 ? {} : { refusedHosts: outcome.refusedEgress }),
  };
  return { output: { type: 'json', value }, egress: outcome.egress, ...(outcome.aborted ? { aborted: true } : {}) };
}

/** Both streams within one limit: the smaller keeps what it has up to half, the larger gets the rest. */
function shareLimit(stdout: CutOutput, stderr: CutOutput, limitBytes: number): [CutOutput, CutOutput] {
  const [outBytes, errBytes] = [stdout, stderr].map(({ head, tail }) => head.length + tail.length) as [number, number];
  const half = Math.floor(limitBytes / 2);
  const outLimit = Math.max(half, limitBytes - errBytes);
  const errLimit = Math.max(half, limitBytes - outBytes);
  return [shrinkOutput(stdout, outLimit), shrinkOutput(stderr, errLimit)];
}

function findShell(): string {
  return existsSync('/bin/bash') || existsSync('/usr/bin/bash') ? 'bash' : 'sh';
}

/** Live output for a person's eyes; a character whose bytes arrive apart is put together. */
function makeListeners(onOutput: ToolContext['onOutput']) {
  if (onOutput === undefined) return {};
  const listen = () => {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    return (chunk: Uint8Array) => {
      const text = decoder.decode(chunk, { stream: true });
      if (text !== '') onOutput(text);
    };
  };
  return { onStdout: listen(), onStderr: listen() };
}
