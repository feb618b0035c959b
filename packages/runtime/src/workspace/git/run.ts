/**
 * Runs the host's git, for our own repositories and for reading the person's. Never with a git directory an agent
 * could write.
 *
 * 1. The exit code is always checked: a failing call and an empty answer look alike otherwise.
 * 2. An answer is whole or an error: output over the limit throws.
 * 3. On the person's repository only commands that start no program and write nothing are used: see `environment.ts`
 *    for what is switched off, and `checkout/shadow.ts` for how their files are compared without their config.
 */
import { Failure } from '@ramet/core/codes';
import { type ProcessOutcome, type RunningProcess, runProcess, startProcess } from '../../process/index.ts';
import { type GitSetting, makeGitEnvironment } from './environment.ts';

/** Where a command works. Without `gitDir` git looks for a repository at `cwd` itself. */
export interface GitPlace {
  readonly gitDir?: string;
  readonly workTree?: string;
  readonly indexFile?: string;
  /** Absent: the work tree, else the git directory. */
  readonly cwd?: string;
}

export interface GitSpec extends GitPlace {
  /** Verb first. */
  readonly args: readonly [string, ...string[]];
  /** More settings; they outrank the standing ones. */
  readonly settings?: readonly GitSetting[];
  /** More variables (`GIT_AUTHOR_NAME`, `GIT_ALTERNATE_OBJECT_DIRECTORIES`). */
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: Uint8Array | string | AsyncIterable<Uint8Array>;
  /** Absent: only 0. Any other code throws. */
  readonly okExitCodes?: readonly number[];
  /** Absent: 1 GiB. */
  readonly stdoutLimitBytes?: number;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface GitOutcome {
  readonly exitCode: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

const STDOUT_LIMIT_BYTES = 1024 * 1024 * 1024;
const STDERR_LIMIT_BYTES = 64 * 1024;

/**
 * Runs git to its end. Throws `Failure('git_failed')` with the verb, the exit code and the last line of stderr for an
 * exit code that was not expected, `Failure('disk_failed')` where it says that the disk is full, and
 * `Failure('git_missing')` where there is no git.
 */
export async function git(spec: GitSpec): Promise<GitOutcome> {
  const outcome = await nameMissingGit(() =>
    runProcess({
      argv: ['git', ...spec.args],
      cwd: workingFolder(spec),
      env: makeGitEnvironment(spec, spec.settings ?? [], spec.env ?? {}),
      ...(spec.stdin === undefined
        ? {}
        : { stdin: typeof spec.stdin === 'string' ? Buffer.from(spec.stdin) : spec.stdin }),
      stdout: { kind: 'collect', limitBytes: spec.stdoutLimitBytes ?? STDOUT_LIMIT_BYTES },
      stderrLimitBytes: STDERR_LIMIT_BYTES,
      ...(spec.timeoutMs === undefined ? {} : { timeoutMs: spec.timeoutMs }),
      ...(spec.signal === undefined ? {} : { signal: spec.signal }),
    }),
  );
  return checkOutcome(spec, outcome);
}

/** A git process that is talked to while it runs. `finish` closes its input and checks its exit code. */
export interface RunningGit {
  readonly process: RunningProcess;
  finish(): Promise<void>;
  /** Rejects when the exit code is not an expected one; settles when the process has ended. */
  readonly ended: Promise<void>;
}

/** Starts a long-running git (`cat-file --batch-command`, `fast-import`, `pack-objects`). */
export async function startGit(spec: Omit<GitSpec, 'stdin' | 'stdoutLimitBytes' | 'timeoutMs'>): Promise<RunningGit> {
  const running = await nameMissingGit(() =>
    startProcess({
      argv: ['git', ...spec.args],
      cwd: workingFolder(spec),
      env: makeGitEnvironment(spec, spec.settings ?? [], spec.env ?? {}),
      stderrLimitBytes: STDERR_LIMIT_BYTES,
      ...(spec.signal === undefined ? {} : { signal: spec.signal }),
    }),
  );
  const ended = running.ended.then((end) => {
    if (spec.signal?.aborted) throw new Failure('interrupted', `git ${spec.args[0]} was interrupted.`);
    const ok = end.exitCode !== null && (spec.okExitCodes ?? [0]).includes(end.exitCode);
    if (!ok) throw makeGitFailure(spec, describeEnd(end.exitCode, end.signal), end.stderr.toString());
  });
  // A caller that stops early still gets the rejection when it awaits; unhandled it must not end the process.
  ended.catch(() => undefined);
  const finish = () => {
    running.stdin.end();
    return ended;
  };
  return { process: running, finish, ended };
}

function checkOutcome(spec: GitSpec, outcome: ProcessOutcome): GitOutcome {
  const stderr = outcome.stderr.toString();
  if (outcome.timedOut) {
    const { message, data } = makeGitFailure(spec, `took longer than ${spec.timeoutMs} ms`, stderr);
    throw new Failure('git_failed', message, { data: { ...data, timedOut: true } });
  }
  if (outcome.aborted) throw new Failure('interrupted', `git ${spec.args[0]} was interrupted.`);
  if (outcome.exitCode === null || !(spec.okExitCodes ?? [0]).includes(outcome.exitCode)) {
    throw makeGitFailure(spec, describeEnd(outcome.exitCode, outcome.signal), stderr);
  }
  const limit = spec.stdoutLimitBytes ?? STDOUT_LIMIT_BYTES;
  // stderr may be cut: it is only ever quoted.
  if (outcome.truncated && outcome.stdout.length >= limit) {
    throw makeGitFailure(spec, `answered more than ${limit} bytes`, stderr);
  }
  return { exitCode: outcome.exitCode, stdout: outcome.stdout, stderr };
}

/** Turns "no such program" into `Failure("git_missing")`, which says what to install. */
export async function nameMissingGit<T>(start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    if (error instanceof Failure && error.code === 'process_failed' && error.message.includes('no such program')) {
      throw new Failure('git_missing', 'git was not found on PATH: install git (Debian: apt-get install git).', {
        cause: error,
      });
    }
    throw error;
  }
}

function workingFolder(spec: GitPlace): string {
  return spec.cwd ?? spec.workTree ?? spec.gitDir ?? '/';
}

function describeEnd(exitCode: number | null, signal: string | null): string {
  return exitCode === null ? `was ended by ${signal ?? 'a signal'}` : `failed with exit code ${exitCode}`;
}

/** What git repeats of the system's words about a disk without room, or says itself. */
const DISK_FULL = /No space left on device|Disk quota exceeded|Out of diskspace/;

function makeGitFailure(spec: GitPlace & { args: readonly string[] }, what: string, stderr: string): Failure {
  const lastLine = stderr.trimEnd().split('\n').at(-1) ?? '';
  const where = spec.gitDir ?? spec.cwd ?? '';
  const data = { verb: spec.args[0], args: spec.args.slice(0, 20), where, stderr: stderr.slice(0, 4096) };
  const said = `git ${spec.args[0]} in ${JSON.stringify(where)} ${what}: ${lastLine || 'it said nothing'}`;
  if (!DISK_FULL.test(stderr)) return new Failure('git_failed', said, { data });
  return new Failure('disk_failed', `${said}; the disk is full: free some space and try again`, { data });
}
