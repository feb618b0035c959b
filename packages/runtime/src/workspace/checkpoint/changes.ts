/** What differs between two states of a working tree, as trees in `store.git`. */
import { Failure } from '@ramet/core/codes';
import { git, splitNul } from '../git/index.ts';
import type { CaptureRequest, CheckpointRecord, Project } from '../types.ts';
import { type BytePath, renderBytePath } from './folder/names.ts';

/** A working tree: a checkpoint's, a commit's (with submodules as links, not files), or an empty one. */
export type TreeSource =
  | { readonly kind: 'checkpoint'; readonly id: string }
  | { readonly kind: 'commit'; readonly id: string }
  | { readonly kind: 'tree'; readonly id: string };

export interface TreeChange {
  readonly path: BytePath;
  readonly status: 'added' | 'modified' | 'deleted';
  /** Null on the side where it does not exist. */
  readonly from: TreeSide | null;
  readonly to: TreeSide | null;
}

export interface TreeSide {
  readonly mode: string;
  readonly oid: string;
}

const SHOWN_PATHS = 50;
const GITLINK = '160000';
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/** Lists changed paths; a rename is a deletion and an addition. Links to other repositories are left out. */
export async function listChanges(project: Project, from: TreeSource, to: TreeSource): Promise<TreeChange[]> {
  const outcome = await git({
    gitDir: project.storeGit,
    args: ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', nameTree(from), nameTree(to)],
  });
  return parseRawDiff(splitNul(outcome.stdout));
}

function nameTree(source: TreeSource): string {
  if (source.kind === 'checkpoint') return `${source.id}:files`;
  return source.kind === 'commit' ? `${source.id}^{tree}` : source.id;
}

function parseRawDiff(parts: readonly Buffer[]): TreeChange[] {
  const changes: TreeChange[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [, mode1, mode2, oid1, oid2] = /^:(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+) [A-Z]/.exec(String(parts[at])) ?? [];
    const path = parts[at + 1]?.toString('latin1');
    if (mode1 === undefined || mode2 === undefined || oid1 === undefined || oid2 === undefined || path === undefined) {
      throw new Failure(
        'git_failed',
        `git diff-tree answered what is no raw diff: ${JSON.stringify(String(parts[at]))}`,
      );
    }
    const from = mode1 === '000000' || mode1 === GITLINK ? null : { mode: mode1, oid: oid1 };
    const to = mode2 === '000000' || mode2 === GITLINK ? null : { mode: mode2, oid: oid2 };
    if (from === null && to === null) continue;
    changes.push({ path, status: from === null ? 'added' : to === null ? 'deleted' : 'modified', from, to });
  }
  return changes;
}

/** The changes of a new checkpoint's files since the run's previous one, or since its base commit. */
export async function countChanges(request: CaptureRequest, filesTree: string): Promise<CheckpointRecord['changed']> {
  const to: TreeSource = { kind: 'tree', id: filesTree };
  const changes = await listSinceEarlier(request, to);
  const count = (status: TreeChange['status']) => changes.filter((change) => change.status === status).length;
  return {
    added: count('added'),
    modified: count('modified'),
    deleted: count('deleted'),
    paths: changes.slice(0, SHOWN_PATHS).map((change) => renderBytePath(change.path)),
  };
}

/** An earlier state the store no longer has must not fail a capture: everything then counts as added. */
async function listSinceEarlier(request: CaptureRequest, to: TreeSource): Promise<TreeChange[]> {
  const { project } = request.workspace;
  const nothing: TreeSource = { kind: 'tree', id: EMPTY_TREE };
  const earlier = findEarlier(request) ?? nothing;
  try {
    return await listChanges(project, earlier, to);
  } catch (error) {
    if (earlier === nothing || (error as Failure).code !== 'git_failed') throw error;
    return listChanges(project, nothing, to);
  }
}

function findEarlier(request: CaptureRequest): TreeSource | null {
  if (request.previous !== null) return { kind: 'checkpoint', id: request.previous };
  return request.base === null ? null : { kind: 'commit', id: request.base };
}
