/**
 * The trees that hold a workspace's files, one for each folder.
 *
 * A folder's tree is the earlier one of the same path while it has as many entries and each of them is unchanged: what
 * it holds decides a tree's id, so nothing is put together again but the changed folders and those above them.
 */
import type { StoredIndex } from './agent-git/indexes.ts';
import type { Comparison } from './folder/comparison.ts';
import { type CapturedColumns, type FileTable, type FolderRows, oidOf, treeModeOf } from './folder/file-table.ts';
import {
  type BytePath,
  escapeComponent,
  folderOf,
  isGitName,
  joinPath,
  nameOf,
  treeFolderOf,
  treePathOf,
} from './folder/names.ts';
import { hashObject, type ObjectFormat, renderTree, type TreeItem } from './objects/format.ts';

export interface TreesRequest {
  readonly format: ObjectFormat;
  readonly files: FileTable & Comparison & CapturedColumns;
  /** Files with other bytes than the workspace's. */
  readonly replaced: readonly StoredIndex[];
  /** Trees the same files were in when they were last captured, by their path. */
  readonly earlier: ReadonlyMap<BytePath, BuiltFolder>;
}

export interface BuiltFolder {
  readonly oid: string;
  /** How many entries the tree has. */
  readonly size: number;
}

export interface BuiltTrees {
  /** The tree of each folder at the top. */
  readonly areas: ReadonlyMap<string, string>;
  /** Every tree below the top by its path. */
  readonly folders: ReadonlyMap<BytePath, BuiltFolder>;
  /** Bytes of the trees that are no earlier ones, by id. */
  readonly made: ReadonlyMap<string, Buffer>;
}

interface Folder {
  readonly path: BytePath;
  readonly rows: number[];
  readonly items: TreeItem[];
  readonly folders: Folder[];
}

/** Builds the trees; no path may be the folder of another. */
export function buildTrees(request: TreesRequest): BuiltTrees {
  const folders = new Map<BytePath, Folder>([['', { path: '', rows: [], items: [], folders: [] }]]);
  for (const rows of request.files.folders) placeRows(request.files, rows, folders);
  for (const { workspacePath, oid } of request.replaced) {
    const path = treePathOf(workspacePath);
    enterFolder(folders, folderOf(path)).items.push({ name: nameOf(path), mode: '100644', oid });
  }
  const built = { folders: new Map<BytePath, BuiltFolder>(), made: new Map<string, Buffer>() };
  const areas = new Map<string, string>();
  for (const folder of folders.get('')?.folders ?? []) areas.set(folder.path, writeFolder(request, folder, built));
  return { areas, ...built };
}

/** Only a file that is itself named `.git` lies elsewhere than its neighbours. */
function placeRows(files: FileTable, { path, from, to }: FolderRows, folders: Map<BytePath, Folder>): void {
  let usual: Folder | null = null;
  for (let row = from; row < to; row += 1) {
    const name = files.names[row] ?? '';
    if (isGitName(name)) enterFolder(folders, folderOf(treePathOf(joinPath(path, name)))).rows.push(row);
    else {
      usual ??= enterFolder(folders, treeFolderOf(path));
      usual.rows.push(row);
    }
  }
}

function enterFolder(folders: Map<BytePath, Folder>, path: BytePath): Folder {
  const known = folders.get(path);
  if (known !== undefined) return known;
  const made: Folder = { path, rows: [], items: [], folders: [] };
  enterFolder(folders, folderOf(path)).folders.push(made);
  folders.set(path, made);
  return made;
}

interface Building {
  readonly folders: Map<BytePath, BuiltFolder>;
  readonly made: Map<string, Buffer>;
}

function writeFolder(request: TreesRequest, folder: Folder, built: Building): string {
  const items = [...folder.items];
  let isEarlier = items.length === 0 && folder.rows.every((row) => request.files.unchanged[row] === 1);
  for (const child of folder.folders) {
    const oid = writeFolder(request, child, built);
    items.push({ name: nameOf(child.path), mode: '40000', oid });
    isEarlier &&= request.earlier.get(child.path)?.oid === oid;
  }
  const size = items.length + folder.rows.length;
  const earlier = request.earlier.get(folder.path);
  if (isEarlier && earlier?.size === size) {
    built.folders.set(folder.path, earlier);
    return earlier.oid;
  }
  const tree = renderTree([...folder.rows.map((row) => describeItem(request, folder.path, row)), ...items]);
  const oid = hashObject(request.format, 'tree', tree);
  built.made.set(oid, tree);
  built.folders.set(folder.path, { oid, size });
  return oid;
}

function describeItem({ files, format }: TreesRequest, folder: BytePath, row: number): TreeItem {
  const name = files.names[row] ?? '';
  const inFiles = folder === 'files' || folder.startsWith('files/');
  return {
    name: inFiles ? name : escapeComponent(name),
    mode: treeModeOf(files.modes[row] ?? 0),
    oid: oidOf(files, row, format.rawLength),
  };
}
