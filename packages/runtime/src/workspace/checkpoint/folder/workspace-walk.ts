/**
 * Walks a workspace: everything but the git directory's objects and the folders that are carried (`node_modules`, where
 * ignored and without a tracked file).
 */
import { lstatSync, type Stats } from 'node:fs';
import { isRealFolder, readRegularFile } from '../agent-git/git-files.ts';
import { hashObject, type ObjectFormat } from '../objects/format.ts';
import { type Comparison, compareWithCache } from './comparison.ts';
import { type FileTable, FileTableBuilder, oidOf } from './file-table.ts';
import { type IgnoreFile, type IgnoreRules, isIgnoreFile, makeIgnoreRules } from './ignored.ts';
import type { IndexedPaths } from './index-entries.ts';
import { type BytePath, folderOf, isOwnGitFolder, joinPath, locate, nameOf, toBytePath } from './names.ts';
import type { StatCache } from './stat-cache.ts';
import { describeEntry, type FolderWalk, kindOf, visitFolder } from './walk.ts';

export interface WorkspaceWalkRequest {
  readonly root: string;
  readonly privateFolder: string;
  readonly format: ObjectFormat;
  readonly carry: readonly string[];
  readonly cache: StatCache | null;
  readonly indexed: IndexedPaths;
  /** Whether a file, link or special file may be held. */
  accept(folder: BytePath, name: string, stats: Stats): boolean;
}

export interface WalkedWorkspace {
  readonly walk: FolderWalk;
  /** What was accepted. */
  readonly table: FileTable & Comparison;
  readonly rules: IgnoreRules;
  /** Sorted. */
  readonly carried: readonly BytePath[];
  /** Whether the git directory has a folder for objects. */
  readonly hasObjects: boolean;
}

const OBJECTS: BytePath = '.git/objects';

/** Walks a workspace; a folder of a carried name is entered once it proves not to be ignored. */
export async function walkWorkspace(request: WorkspaceWalkRequest): Promise<WalkedWorkspace> {
  const { root, cache } = request;
  const files = new FileTableBuilder();
  const visitor = makeVisitor(request, files);
  const walk = await visitFolder(root, '', visitor);
  const carried: BytePath[] = [];
  for (;;) {
    const table = { ...toTable(files), ...compareWithCache(files, cache) };
    const rules = readRules(request, table);
    const held = walk.held.splice(0).filter((path) => path !== OBJECTS);
    if (held.length === 0)
      return { walk, table, rules, carried: carried.sort(), hasObjects: isRealFolder(root, OBJECTS) };
    const known = new Set(cache?.ignoreKey === rules.key ? cache.carried : []);
    const ignored = await rules.findIgnored(held.filter((path) => !known.has(path)).map((path) => `${path}/`));
    for (const path of held) {
      if (known.has(path) || ignored.has(`${path}/`)) carried.push(path);
      else {
        walk.folders.push(describeEntry(path, lstatSync(locate(root, path))));
        addWalk(walk, await visitFolder(root, path, visitor));
      }
    }
  }
}

function makeVisitor(request: WorkspaceWalkRequest, files: FileTableBuilder) {
  const carry = new Set(request.carry.map(toBytePath));
  let trackedFolders: ReadonlySet<BytePath> | null = null;
  const holdsTracked = (path: BytePath) => {
    trackedFolders ??= withFoldersAbove(request.indexed.listFolders());
    return trackedFolders.has(path);
  };
  let folder: BytePath = '';
  return {
    hold: (path: BytePath) =>
      path === OBJECTS || (carry.has(nameOf(path)) && !path.startsWith('.git/') && !holdsTracked(path)),
    enterFolder: (path: BytePath) => {
      folder = path;
      files.enter(path);
    },
    addFile: (name: string, stats: Stats) => {
      if (request.accept(folder, name, stats)) files.add(name, stats);
    },
  };
}

function toTable({ folders, names, stats, modes }: FileTableBuilder): FileTable {
  return { folders, names, stats, modes };
}

function addWalk(walk: FolderWalk, inner: FolderWalk): void {
  for (const entry of inner.folders) walk.folders.push(entry);
  for (const entry of inner.unread) walk.unread.push(entry);
  for (const path of inner.held) walk.held.push(path);
}

function withFoldersAbove(paths: Iterable<BytePath>): Set<BytePath> {
  const folders = new Set<BytePath>();
  for (const path of paths) {
    for (let at = path; at !== '' && !folders.has(at); at = folderOf(at)) folders.add(at);
  }
  return folders;
}

function readRules(request: WorkspaceWalkRequest, table: FileTable & Comparison): IgnoreRules {
  const { root, format, cache } = request;
  const files: IgnoreFile[] = [];
  for (const { path: folder, from, to } of table.folders) {
    const wanted = isOwnGitFolder(folder) ? 'exclude' : '.gitignore';
    for (let row = from; row < to; row += 1) {
      if (table.names[row] !== wanted || kindOf(table.modes[row] ?? 0) !== 'file') continue;
      const path = joinPath(folder, wanted);
      if (!isIgnoreFile(path)) continue;
      const read = () => readRegularFile(root, path)?.bytes ?? Buffer.alloc(0);
      const known = table.unchanged[row] === 1 && cache !== null;
      const oid = known ? oidOf(cache, table.before[row] ?? -1, format.rawLength) : hashObject(format, 'blob', read());
      files.push({ path, oid, read });
    }
  }
  return makeIgnoreRules(request.privateFolder, format, files);
}
