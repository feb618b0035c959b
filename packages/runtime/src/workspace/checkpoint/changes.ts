/** What differs between two states of a working tree, as trees in `store.git`. */
import { Failure } from '@ramet/core/codes';
import { git, splitNul } from '../git/index.ts';
import type { CaptureRequest, CheckpointRecord, Project } from '../types.ts';
import { type FileTable, oidOf, treeModeOf } from './folder/file-table.ts';
import { type BytePath, joinPath, renderBytePath, treePathOf } from './folder/names.ts';
import type { StatCache } from './folder/stat-cache.ts';
import type { Snapshot } from './snapshot.ts';

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

export interface CountRequest {
  readonly request: CaptureRequest;
  readonly snapshot: Snapshot;
  /** What the run's previous checkpoint held, where that is known without asking. */
  readonly last: StatCache | null;
}

/** The changes of a new checkpoint's files since the run's previous one, or since its base commit. */
export async function countChanges(count: CountRequest): Promise<CheckpointRecord['changed']> {
  const changes = count.last === null ? await listSinceEarlier(count) : listSinceLast(count.snapshot, count.last);
  const ofStatus = (status: TreeChange['status']) => changes.filter((change) => change.status === status).length;
  return {
    added: ofStatus('added'),
    modified: ofStatus('modified'),
    deleted: ofStatus('deleted'),
    paths: changes.slice(0, SHOWN_PATHS).map((change) => renderBytePath(change.path)),
  };
}

type Change = Pick<TreeChange, 'path' | 'status'>;

/** An earlier state the store no longer has must not fail a capture: everything then counts as added. */
async function listSinceEarlier({ request, snapshot }: CountRequest): Promise<readonly Change[]> {
  const { project } = request.workspace;
  const to: TreeSource = { kind: 'tree', id: snapshot.filesTree };
  const earlier = findEarlier(request);
  try {
    if (earlier !== null) return await listChanges(project, earlier, to);
  } catch (error) {
    if ((error as Failure).code !== 'git_failed') throw error;
  }
  return listPaths(snapshot.files).map((path) => ({ path, status: 'added' }));
}

function findEarlier(request: CaptureRequest): TreeSource | null {
  if (request.previous !== null) return { kind: 'checkpoint', id: request.previous };
  return request.base === null ? null : { kind: 'commit', id: request.base };
}

function listSinceLast({ files, format }: Snapshot, last: StatCache): Change[] {
  const changes: Change[] = [];
  for (const { path: folder, from, to } of files.folders) {
    for (let row = from; row < to; row += 1) {
      if (files.unchanged[row] === 1) continue;
      const path = joinPath(folder, files.names[row] ?? '');
      const before = files.before[row] ?? -1;
      if (!isFile(path)) continue;
      if (before < 0) changes.push({ path, status: 'added' });
      else if (
        oidOf(files, row, format.rawLength) !== oidOf(last, before, format.rawLength) ||
        treeModeOf(files.modes[row] ?? 0) !== treeModeOf(last.modes[before] ?? 0)
      )
        changes.push({ path, status: 'modified' });
    }
  }
  if (files.stillThere !== last.names.length) changes.push(...listDeleted(files, last));
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function listDeleted(files: FileTable, last: StatCache): Change[] {
  const kept = new Set(listPaths(files));
  return listPaths(last)
    .filter((path) => !kept.has(path))
    .map((path) => ({ path, status: 'deleted' }));
}

/** Paths of the working tree's files. */
function listPaths({ folders, names }: FileTable): BytePath[] {
  return folders
    .flatMap(({ path, from, to }) => names.slice(from, to).map((name) => joinPath(path, name)))
    .filter(isFile);
}

function isFile(path: BytePath): boolean {
  return treePathOf(path).startsWith('files/');
}
