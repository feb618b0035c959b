/**
 * Makes the store hold what the agent's git directory needs. That is a function of the git directory's bytes: with
 * those unchanged since a checkpoint the store has, nothing is asked.
 */
import type { CaptureRequest } from '../types.ts';
import { deriveKept } from './agent-git/keeping.ts';
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
  const root = request.workspace.path;
  const references = readReferences({ root, head: snapshot.head, files: snapshot.gitPaths, format });
  try {
    const brought = await bringObjects(request.workspace, format, listWanted(references, snapshot));
    const { parents, keep, tags } = await deriveKept(request.workspace.project, brought);
    const raw = [...tags].map(
      ([name, bytes]): TreeItem => ({ name, mode: '100644', oid: objects.make('blob', bytes) }),
    );
    const makeTree = (items: readonly TreeItem[]) =>
      items.length === 0 ? null : objects.make('tree', renderTree(items));
    const { missing } = brought;
    const state = { gitTree, commit: references.commit, parents, keep: makeTree(keep), tags: makeTree(raw), missing };
    return { condition, state };
  } catch (error) {
    if (!(error instanceof AgentGitUnusable)) throw error;
    const reason = `git does not run on the workspace's .git: ${error.message}`;
    return { condition: { state: 'unusable', reason }, state: NOTHING };
  }
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
