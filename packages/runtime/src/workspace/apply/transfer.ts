/**
 * Brings a commit from a scratch repository into the person's object store.
 *
 * 1. It crosses as a pack with what the person lacks, checked by `index-pack --strict`.
 * 2. Until a ref names it, a `.keep` file holds the pack against a collection of the person's own.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure, type Refusal, refuse } from '@ramet/core/codes';
import type { Scratch } from '../diff/scratch.ts';
import { git } from '../git/index.ts';
import { type Repository, readPersonRefs } from '../project/index.ts';

export interface BroughtCommit {
  /** Lets go of the pack: a ref holds it now, or nothing needs it. */
  release(): Promise<void>;
}

/** Brings a commit and all it reaches; refuses where the person's repository lacks what it builds on. */
export async function bringCommit(
  scratch: Scratch,
  repository: Repository,
  commit: string,
): Promise<BroughtCommit | Refusal> {
  const hash = await transferPack(scratch, repository, commit);
  if (hash === 'incomplete') return refuseHistory(repository, commit);
  const keep = hash === null ? null : join(repository.commonDir, 'objects', 'pack', `pack-${hash}.keep`);
  const release = async (): Promise<void> => {
    if (keep !== null) await rm(keep, { force: true });
  };
  const { exitCode } = await git({
    gitDir: repository.gitDir,
    args: ['rev-list', '--objects', '--quiet', commit, '--not', '--all'],
    okExitCodes: [0, 1, 128],
  });
  if (exitCode === 0) return { release };
  await release();
  return refuseHistory(repository, commit);
}

function refuseHistory(repository: Repository, commit: string): Refusal {
  const hint = repository.shallow ? ' (it is shallow: run "git fetch --unshallow")' : '';
  return refuse(
    'unsupported_repository',
    `The repository at ${JSON.stringify(repository.checkout)} no longer holds the history the agent's work builds on${hint}; no ref was made.`,
    { path: repository.checkout, commit },
  );
}

/** The hash of the new pack; null when it was there already. */
async function transferPack(
  scratch: Scratch,
  repository: Repository,
  commit: string,
): Promise<string | null | 'incomplete'> {
  const excluded = await listHeld(scratch, repository);
  const pack = await scratch.start(['pack-objects', '--revs', '--stdout', '--thin', '--delta-base-offset', '-q']);
  pack.process.stdin.end(`${[commit, ...excluded.map((id) => `^${id}`)].join('\n')}\n`);
  const index = git({
    gitDir: repository.gitDir,
    args: ['index-pack', '--stdin', '--strict', '--fix-thin', '--keep=ramet'],
    stdin: pack.process.stdout,
  });
  const [packed, indexed] = await Promise.allSettled([pack.ended, index]);
  if (packed.status === 'rejected' && !String(packed.reason).includes('SIGPIPE')) throw packed.reason;
  if (indexed.status === 'rejected') {
    if (/did not receive expected object/.test(String(indexed.reason))) return 'incomplete';
    throw explainRejected(indexed.reason);
  }
  return /^keep\t([0-9a-f]+)/.exec(indexed.value.stdout.toString())?.[1] ?? null;
}

/** Tips of the person's refs: what they reach need not be sent. */
async function listHeld(scratch: Scratch, repository: Repository): Promise<string[]> {
  const { refs, head } = await readPersonRefs(repository.gitDir);
  const ids = new Set(refs.map((ref) => ref.id));
  if (head.commit !== null) ids.add(head.commit);
  if (ids.size === 0) return [];
  const { stdout } = await scratch.run({
    args: ['cat-file', '--batch-check=%(objectname) %(objecttype)'],
    stdin: `${[...ids].join('\n')}\n`,
  });
  return [...stdout.toString().matchAll(/^([0-9a-f]+) (?:commit|tag)$/gm)].map((match) => match[1] ?? '');
}

function explainRejected(cause: unknown): unknown {
  if (!(cause instanceof Failure) || cause.code !== 'git_failed') return cause;
  return new Failure(
    'git_failed',
    `The agent's commits do not pass git's own check; no ref was made. ${cause.message}`,
    {
      cause,
    },
  );
}
