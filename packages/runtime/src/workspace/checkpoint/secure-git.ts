/**
 * Makes the store hold what the agent's git directory needs. That is a function of the git directory's bytes: with
 * those unchanged since a checkpoint the store has, nothing is asked.
 */
import type { CaptureRequest } from '../types.ts';
import { deriveKept } from './agent-git/keeping.ts';
import { AgentGitOverLimit } from './agent-git/limits.ts';
import { AgentGitUnusable } from './agent-git/objects-source.ts';
import { type AgentReferences, readReferences } from './agent-git/references.ts';
import { bringObjects, type WantedObjects } from './agent-git/transfer.ts';
import type { CachedGitState } from './folder/stat-cache.ts';
import type { GitCondition } from './manifest.ts';
import type { NewObjects } from './new-objects.ts';
import { renderTree, type TreeItem } from './objects/format.ts';
import type { Snapshot } from './snapshot.ts';

export interface SecuredGit {
  readonly condition: GitCondition;
  readonly state: CachedGitState;
}

export interface SecureRequest {
  readonly request: CaptureRequest;
  readonly snapshot: Snapshot;
  readonly objects: NewObjects;
  /** The state of the last checkpoint, where the store has that. */
  readonly last: CachedGitState | null;
}

const NOTHING: CachedGitState = { gitTree: '', commit: null, parents: [], keep: null, tags: null, missing: [] };

/** Brings the agent's objects, and derives what the checkpoint's commit has to hold of them. */
export async function secureGit({ request, snapshot, objects, last }: SecureRequest): Promise<SecuredGit> {
  const { condition, format } = snapshot;
  const gitTree = snapshot.trees.areas.get('git');
  if (snapshot.head === '' || gitTree === undefined) return { condition, state: NOTHING };
  if (last?.gitTree === gitTree) return { condition, state: last };
  const { workspace, limits } = request;
  try {
    const references = readReferences({
      ...{ root: workspace.path, head: snapshot.head },
      ...{ files: snapshot.gitPaths, format },
    });
    const wanted = listWanted(references, snapshot);
    const brought = await bringObjects({ workspace, format, wanted, limits });
    const { parents, keep, tags } = await deriveKept(workspace.project, brought);
    for (const [oid, bytes] of brought.blobs) objects.add(oid, 'blob', { kind: 'bytes', bytes });
    const raw = [...tags].map(
      ([name, bytes]): TreeItem => ({ name, mode: '100644', oid: objects.make('blob', bytes) }),
    );
    const makeTree = (items: readonly TreeItem[]) =>
      items.length === 0 ? null : objects.make('tree', renderTree(items));
    const { missing } = brought;
    const state = { gitTree, commit: references.commit, parents, keep: makeTree(keep), tags: makeTree(raw), missing };
    return { condition, state };
  } catch (error) {
    const reason = explainUnusable(error);
    if (reason === null) throw error;
    return { condition: { state: 'unusable', reason }, state: NOTHING };
  }
}

function explainUnusable(error: unknown): string | null {
  if (error instanceof AgentGitUnusable) return `git does not run on the workspace's .git: ${error.message}`;
  if (error instanceof AgentGitOverLimit) return `.git is more than a checkpoint takes: ${error.message}`;
  return null;
}

function listWanted(references: AgentReferences, { indexes: { all, main } }: Snapshot): WantedObjects {
  const contents = main?.parse() ?? null;
  const linked = all.filter((index) => index !== main).flatMap((index) => index.parse().required);
  return {
    required: new Set([...(references.commit === null ? [] : [references.commit]), ...(contents?.required ?? [])]),
    named: references.named,
    mentioned: new Set([...references.mentioned, ...linked, ...all.flatMap((index) => index.parse().mentioned)]),
  };
}
