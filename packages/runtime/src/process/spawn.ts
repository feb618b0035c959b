/**
 * The only file that starts a process.
 *
 * 1. A child gets the environment it was given and nothing else, and the three standard descriptors and those named,
 *    no other (Node opens everything close-on-exec, and what we inherited is covered; a lock held by an inherited descriptor would
 *    outlive its owner).
 * 2. Every child leads a process group and session of its own: it can be ended with all it started, and it has no
 *    terminal to prompt on or to be interrupted from.
 * 3. When this process exits normally, every group still alive is killed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { Failure } from '@ramet/core/codes';
import { makeStdio, type Stdio } from './descriptors.ts';
import { type Gate, openGate } from './gate.ts';

export interface SpawnSpec {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: 'pipe' | 'ignore';
  /** A descriptor is handed over as the child's standard output. */
  readonly stdout: 'pipe' | number;
  /** Absent: a pipe. */
  readonly stderr?: number;
  /** A gate is descriptor 3, and those named below come after it: some command in `argv` waits there (`gate.ts`). */
  readonly gated?: boolean;
  /** Handed over as descriptors 3, 4, ... Never one that holds a lock. */
  readonly descriptors?: readonly number[];
}

export interface SpawnedProcess {
  readonly child: ChildProcess;
  readonly pid: number;
  /** Settles when the process has ended and its pipes are closed; never rejects. */
  readonly closed: Promise<ProcessEnd>;
  /** Of a gated one. */
  readonly gate: Gate | null;
}

export interface ProcessEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

const liveGroups = new Set<number>();
let exitHookInstalled = false;

/** Starts a process; throws `Failure('process_failed')` naming what is missing when it cannot be started. */
export async function spawnProcess(spec: SpawnSpec): Promise<SpawnedProcess> {
  const [program, ...args] = spec.argv;
  let child: ChildProcess;
  try {
    child = spawn(program, args, {
      cwd: spec.cwd,
      env: { ...spec.env },
      stdio: makeStdio(endsOf(spec)),
      detached: true,
    });
  } catch (cause) {
    throw makeStartFailure(spec, cause);
  }
  const closed = new Promise<ProcessEnd>((resolve) => {
    child.once('close', (exitCode, signal) => resolve({ exitCode, signal }));
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (cause) => reject(makeStartFailure(spec, cause)));
  });
  const pid = child.pid;
  if (pid === undefined) throw makeStartFailure(spec, new Error('no process id'));
  child.on('error', ignore);
  trackGroup(child, pid);
  return { child, pid, closed, gate: spec.gated === true ? openGate(child) : null };
}

function endsOf({ stdin, stdout, stderr, gated, descriptors = [] }: SpawnSpec): Stdio {
  return [stdin, stdout, stderr ?? 'pipe', ...(gated === true ? ['pipe' as const] : []), ...descriptors];
}

/** Sends a signal to a process and all of its group; a group that is gone is not an error. */
export function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}

function trackGroup(child: ChildProcess, pid: number): void {
  if (!exitHookInstalled) {
    exitHookInstalled = true;
    process.on('exit', () => {
      for (const group of liveGroups) killGroup(group, 'SIGKILL');
    });
  }
  if (child.exitCode !== null || child.signalCode !== null) return;
  liveGroups.add(pid);
  child.once('exit', () => {
    liveGroups.delete(pid);
    // What the process left running ends with it: a background child would also hold our pipes open.
    killGroup(pid, 'SIGKILL');
  });
}

function makeStartFailure(spec: SpawnSpec, cause: unknown): Failure {
  const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error';
  const program = spec.argv[0];
  const reason =
    code === 'ENOENT' && !existsSync(spec.cwd)
      ? `its working folder ${JSON.stringify(spec.cwd)} does not exist`
      : code === 'ENOENT'
        ? 'no such program (ENOENT)'
        : code === 'E2BIG'
          ? 'its arguments are too long (E2BIG)'
          : String((cause as Error).message ?? code);
  return new Failure('process_failed', `Could not start ${JSON.stringify(program)}: ${reason}.`, {
    data: { program, errno: code },
    cause,
  });
}

function ignore(): void {}
