/**
 * The only refs Ramet writes in the person's repository: `refs/ramet/<id>`, and a new branch they asked for; and how the
 * former are removed again, when they ask for that.
 *
 * 1. Both or none, with the old value checked; no hook runs.
 * 2. A branch that exists, or that a checkout stands on, is never written.
 */
import type { RunId } from '@ramet/core';
import { Failure, type Refusal, refuse } from '@ramet/core/codes';
import { git, splitLines, splitNul } from '../git/index.ts';
import type { Repository } from '../project/index.ts';

/** Refuses a branch name that is malformed or taken. */
export async function refuseBranch(repository: Repository, branch: string): Promise<Refusal | null> {
  const ref = `refs/heads/${branch}`;
  const valid = !branch.startsWith('-') && branch !== 'HEAD' && !/[\0\n]/.test(branch);
  const format = valid ? await git({ args: ['check-ref-format', ref], okExitCodes: [0, 1] }) : null;
  if (format?.exitCode !== 0) {
    return refuse('bad_usage', `${JSON.stringify(branch)} is no name for a branch (git check-ref-format).`, { branch });
  }
  const taken = [...(await listBranches(repository)), ...(await listCheckedOut(repository))];
  // With a branch `a` there can be no `a/b`.
  const inTheWay = taken.find((name) => name === ref || name.startsWith(`${ref}/`) || ref.startsWith(`${name}/`));
  if (inTheWay === undefined) return null;
  const shown = JSON.stringify(inTheWay.slice('refs/heads/'.length));
  return refuse('branch_exists', `There is a branch ${shown} already: choose another name.`, { branch });
}

async function listBranches(repository: Repository): Promise<string[]> {
  const { stdout } = await git({
    gitDir: repository.gitDir,
    args: ['for-each-ref', '--format=%(refname)', 'refs/heads'],
  });
  return splitLines(stdout);
}

/** The branches checkouts stand on, those without a commit too. */
async function listCheckedOut(repository: Repository): Promise<string[]> {
  const { stdout } = await git({ gitDir: repository.gitDir, args: ['worktree', 'list', '--porcelain', '-z'] });
  return splitNul(stdout).flatMap((line) => /^branch (.+)$/.exec(line.toString())?.[1] ?? []);
}

/** What a ref names; null when there is none. */
export async function readRef(repository: Repository, ref: string): Promise<string | null> {
  const { exitCode, stdout } = await git({
    gitDir: repository.gitDir,
    args: ['show-ref', '--verify', '--hash', ref],
    okExitCodes: [0, 1, 128],
  });
  return exitCode === 0 ? stdout.toString().trim() : null;
}

/** The ref that names a run's work in the person's repository. */
export function refOf(runId: RunId): string {
  return `refs/ramet/${runId}`;
}

/** Whether a branch, a tag or a remote-tracking ref leads to a commit. */
export async function isOnBranch(repository: Repository, commit: string): Promise<boolean> {
  const { stdout } = await git({
    gitDir: repository.gitDir,
    args: ['for-each-ref', '--count=1', `--contains=${commit}`, 'refs/heads', 'refs/tags', 'refs/remotes'],
  });
  return stdout.length > 0;
}

/** Removes a ref while it names this commit; throws `git_failed` otherwise. */
export async function removeRef(repository: Repository, ref: string, commit: string): Promise<void> {
  await git({
    gitDir: repository.gitDir,
    args: ['update-ref', '--no-deref', '--stdin'],
    stdin: `delete ${ref} ${commit}\n`,
  });
}

export interface RefWrites {
  readonly ref: string;
  readonly commit: string;
  /** What the ref named when it was looked at. */
  readonly previous: string | null;
  readonly branch: string | null;
  readonly identity: Readonly<Record<string, string>>;
}

/** How often a transaction is made again because the ref of the run moved meanwhile. */
const ATTEMPTS = 5;

/** Writes the refs in one transaction; where another applied the run meanwhile, after that one. */
export async function writeRefs(repository: Repository, writes: RefWrites): Promise<Refusal | null> {
  let { previous } = writes;
  for (let left = ATTEMPTS; ; left -= 1) {
    try {
      return await commitRefs(repository, { ...writes, previous });
    } catch (error) {
      const now = await readRef(repository, writes.ref);
      if (left === 0 || now === previous) throw error;
      if (now === writes.commit && writes.branch === null) return null;
      previous = now;
    }
  }
}

async function commitRefs(repository: Repository, writes: RefWrites): Promise<Refusal | null> {
  const { ref, commit, previous, branch } = writes;
  const lines = [`update ${ref} ${commit} ${previous ?? '0'.repeat(commit.length)}\n`];
  if (branch !== null) lines.push(`create refs/heads/${branch} ${commit}\n`);
  try {
    await git({
      gitDir: repository.gitDir,
      args: ['update-ref', '-m', 'ramet apply', '--stdin'],
      stdin: lines.join(''),
      env: writes.identity,
    });
    return null;
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'git_failed' || branch === null) throw error;
    // Made meanwhile.
    if (!/refs\/heads\//.test(error.message)) throw error;
    return refuse('branch_exists', `The branch ${JSON.stringify(branch)} cannot be made: ${error.message}`, { branch });
  }
}
