/**
 * Walks a workspace: everything but the git directory's objects and the folders that are carried (`node_modules`, where
 * ignored and without a tracked file).
 */
import { lstatSync } from 'node:fs';
import { isRealFolder, readRegularFile } from '../agent-git/git-files.ts';
import { hashObject, type ObjectFormat } from '../objects/format.ts';
import { type IgnoreRules, isIgnoreFile, makeIgnoreRules } from './ignored.ts';
import { type BytePath, folderOf, locate, nameOf, toBytePath } from './names.ts';
import { cachedOid, type StatCache } from './stat-cache.ts';
import { describeEntry, type Walk, type WalkedEntry, walkFolder } from './walk.ts';

export interface WorkspaceWalkRequest {
  readonly root: string;
  readonly privateFolder: string;
  readonly format: ObjectFormat;
  readonly carry: readonly string[];
  readonly cache: StatCache | null;
  /** Paths the agent's index names. */
  readonly tracked: ReadonlyMap<BytePath, unknown>;
}

export interface WalkedWorkspace {
  readonly walk: Walk;
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
  const carry = new Set(request.carry.map(toBytePath));
  const trackedFolders = listFoldersOf(request.tracked.keys());
  const mayBeCarried = (path: BytePath) =>
    carry.has(nameOf(path)) && !path.startsWith('.git/') && !trackedFolders.has(path);
  const hold = (path: BytePath) => path === OBJECTS || mayBeCarried(path);
  const walk = await walkFolder(root, '', hold);
  const carried: BytePath[] = [];
  for (;;) {
    const rules = readRules(request, walk.entries);
    const held = walk.held.splice(0).filter((path) => path !== OBJECTS);
    if (held.length === 0) return { walk, rules, carried: carried.sort(), hasObjects: isRealFolder(root, OBJECTS) };
    const known = new Set(cache?.ignoreKey === rules.key ? cache.carried : []);
    const ignored = await rules.findIgnored(held.filter((path) => !known.has(path)).map((path) => `${path}/`));
    for (const path of held) {
      if (known.has(path) || ignored.has(`${path}/`)) carried.push(path);
      else addWalk(walk, await walkFolder(root, path, hold), describeEntry(path, lstatSync(locate(root, path))));
    }
  }
}

function addWalk(walk: Walk, inner: Walk, folder: WalkedEntry): void {
  walk.entries.push(folder);
  for (const entry of inner.entries) walk.entries.push(entry);
  for (const entry of inner.unread) walk.unread.push(entry);
  for (const path of inner.held) walk.held.push(path);
}

function listFoldersOf(paths: Iterable<BytePath>): Set<BytePath> {
  const folders = new Set<BytePath>();
  let last: BytePath = '';
  for (const path of paths) {
    const folder = folderOf(path);
    if (folder === last) continue;
    last = folder;
    for (let at = folder; at !== '' && !folders.has(at); at = folderOf(at)) folders.add(at);
  }
  return folders;
}

function readRules(request: WorkspaceWalkRequest, entries: readonly WalkedEntry[]): IgnoreRules {
  const { root, format, cache } = request;
  const files = entries
    .filter((entry) => entry.kind === 'file' && isIgnoreFile(entry.path))
    .map((entry) => {
      const read = () => readRegularFile(root, entry.path)?.bytes ?? Buffer.alloc(0);
      return { path: entry.path, oid: cachedOid(cache, entry) ?? hashObject(format, 'blob', read()), read };
    });
  return makeIgnoreRules(request.privateFolder, format, files);
}
