/** Starts a process that is talked to while it runs (`git cat-file --batch-command`, `git fast-import`). */
import type { Readable, Writable } from 'node:stream';
import { invariant } from '@ramet/core/codes';
import { collectStream } from './collect.ts';
import { killGroup, type ProcessEnd, spawnProcess } from './spawn.ts';

export interface StartSpec {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stderrLimitBytes: number;
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
  /** Ends the process and its group at once. */
  kill(): void;
}

/** Starts a process with piped input and output; throws `Failure('process_failed')` when it cannot be started. */
export async function startProcess(spec: StartSpec): Promise<RunningProcess> {
  const { child, pid, closed } = await spawnProcess({
    argv: spec.argv,
    cwd: spec.cwd,
    env: spec.env,
    stdin: 'pipe',
    stdout: 'pipe',
  });
  const { stdin, stdout } = child;
  invariant(stdin !== null && stdout !== null, 'a piped process has both ends');
  stdin.on('error', () => undefined);
  const stderr = collectStream(child.stderr, { limitBytes: spec.stderrLimitBytes });
  const kill = () => {
    if (child.exitCode === null && child.signalCode === null) killGroup(pid, 'SIGKILL');
  };
  if (spec.signal?.aborted) kill();
  spec.signal?.addEventListener('abort', kill, { once: true });
  const ended = closed.then((end) => {
    spec.signal?.removeEventListener('abort', kill);
    return { ...end, stderr: stderr.bytes() };
  });
  return { pid, stdin, stdout, ended, kill };
}
