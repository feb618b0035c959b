/** Starts a process that is talked to while it runs (`git cat-file --batch-command`, `git fast-import`, a server). */
import type { Readable, Writable } from 'node:stream';
import { invariant } from '@ramet/core/codes';
import { collectStream } from './collect.ts';
import { killGroup, type ProcessEnd, spawnProcess } from './spawn.ts';

export interface StartSpec {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stderrLimitBytes: number;
  /** How many of `stderrLimitBytes` are kept from the end. */
  readonly stderrTailBytes?: number;
  readonly signal?: AbortSignal;
}

export interface RunningProcess {
  readonly pid: number;
  /** Writing to a process that has ended is no crash: `ended` tells. */
  readonly stdin: Writable;
  /** Must be read to its end, or the process blocks. */
  readonly stdout: Readable;
  /** Settles when the process has ended and its output was read; never rejects. */
  readonly ended: Promise<ProcessEnd & { readonly stderr: Buffer }>;
  /** Settles when the process has ended, though something that left its group still holds its pipes; never rejects. */
  readonly exited: Promise<void>;
  /** What it has said on standard error so far. */
  stderr(): Buffer;
  /** Ends the process and its group at once. */
  kill(): void;
  /**
   * Ends the process: its input ends and its group gets SIGTERM, after the grace SIGKILL. Nobody listens to what left the
   * group.
   */
  end(graceMs: number): Promise<void>;
}

/** How long what a process said last may take to arrive after it ended. */
const LAST_WORDS_MS = 200;

/** Starts a process with piped input and output; throws `Failure('process_failed')` when it cannot be started. */
export async function startProcess(spec: StartSpec): Promise<RunningProcess> {
  const { argv, cwd, env, stderrTailBytes = 0 } = spec;
  const { child, pid, closed } = await spawnProcess({ argv, cwd, env, stdin: 'pipe', stdout: 'pipe' });
  const { stdin, stdout } = child;
  invariant(stdin !== null && stdout !== null, 'a piped process has both ends');
  stdin.on('error', () => undefined);
  const stderr = collectStream(child.stderr, { limitBytes: spec.stderrLimitBytes, tailBytes: stderrTailBytes });
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const exited = isRunning() ? new Promise<void>((resolve) => child.once('exit', () => resolve())) : Promise.resolve();
  const kill = () => {
    if (isRunning()) killGroup(pid, 'SIGKILL');
  };
  if (spec.signal?.aborted) kill();
  spec.signal?.addEventListener('abort', kill, { once: true });
  const ended = closed.then((end) => {
    spec.signal?.removeEventListener('abort', kill);
    return { ...end, stderr: stderr.bytes() };
  });
  const end = async (graceMs: number) => {
    stdin.end();
    if (isRunning()) killGroup(pid, 'SIGTERM');
    const killing = setTimeout(kill, graceMs);
    await exited;
    clearTimeout(killing);
    const leaving = setTimeout(() => {
      for (const stream of [stdin, stdout, child.stderr]) stream?.destroy();
    }, LAST_WORDS_MS);
    await closed;
    clearTimeout(leaving);
  };
  return { pid, stdin, stdout, ended, exited, stderr: stderr.bytes, kill, end };
}
