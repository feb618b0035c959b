/** What a checkpoint says of the agent's git, in short. */
import type { GitCondition, Manifest } from '../checkpoint/manifest.ts';
import { readCheckpoint, readCheckpointRefs } from '../checkpoint/read.ts';
import { readStoredIndex } from '../diff/stored-index.ts';
import type { LeftOut } from '../types.ts';
import type { StoredCheckpoint } from './turn-checkpoint.ts';

export interface CheckpointSummary {
  readonly files: number;
  readonly bytes: number;
  readonly git: GitCondition;
  /** HEAD's text, and the commit it resolves to (null when unborn). */
  readonly head: string;
  readonly commit: string | null;
  /** An operation in progress: `merge`, `rebase`, ... */
  readonly operation: string | null;
  /** By name, at most `REF_LIMIT` of `refCount`; names are the agent's bytes. */
  readonly refs: readonly { readonly name: string; readonly id: string }[];
  readonly refCount: number;
  /** Null where its index cannot be read. */
  readonly index: { readonly tracked: number; readonly links: number } | null;
  readonly leftOut: readonly LeftOut[];
  readonly leftOutCount: number;
}

const REF_LIMIT = 200;

/** Describes a checkpoint; throws `checkpoint_missing` when the store does not have it. */
export async function describeCheckpoint({ project, checkpoint }: StoredCheckpoint): Promise<CheckpointSummary> {
  const contents = await readCheckpoint(project, checkpoint);
  const [{ refs }, index] = await Promise.all([
    readCheckpointRefs(project, contents),
    readStoredIndex(project, contents),
  ]);
  const sorted = [...refs].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    ...pickFacts(contents.manifest),
    refs: sorted.slice(0, REF_LIMIT).map(([name, id]) => ({ name, id })),
    refCount: sorted.length,
    index: index === null ? null : { tracked: index.tracked.size, links: index.links.size },
  };
}

function pickFacts(manifest: Manifest): Omit<CheckpointSummary, 'refs' | 'refCount' | 'index'> {
  const { files, bytes, git, head, commit, operation, leftOut, leftOutCount } = manifest;
  return { files, bytes, git, head, commit, operation, leftOut, leftOutCount };
}
