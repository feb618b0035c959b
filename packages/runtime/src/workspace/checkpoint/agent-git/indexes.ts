/** The indexes of the agent's git directory: its own and those of its linked worktrees, with their shared parts. */
import { lstatSync, readdirSync } from 'node:fs';
import { type BytePath, folderOf, locate, nameOf } from '../folder/names.ts';
import type { ObjectFormat } from '../objects/format.ts';
import { isRealFolder, lookAtGitFolder, readRegularFile } from './git-files.ts';
import {
  IndexDamaged,
  type IndexEntry,
  MOST_ENTRIES,
  type ParsedIndex,
  parseIndex,
  relinkIndex,
} from './index-file.ts';

/** One index, ready to be captured. */
export interface AgentIndex {
  readonly path: BytePath;
  readonly mtimeMs: number;
  /** Effective entries: those of the shared index that still count, and its own; in a conflict the last of a path. */
  readonly byPath: ReadonlyMap<BytePath, IndexEntry>;
  /** Whether all entries lie in this one file, so that their stat fields can be filled in at a restore. */
  readonly whole: boolean;
  /** What is captured, by path. */
  readonly files: ReadonlyMap<BytePath, Buffer>;
  /** Objects without which it is broken, and objects it merely mentions. */
  readonly required: readonly string[];
  readonly mentioned: readonly string[];
}

export interface AgentIndexes {
  /** Null without an index (a new repository), or without a usable one. */
  readonly main: AgentIndex | null;
  readonly all: readonly AgentIndex[];
  /** Why the main index cannot be used; null when it can. */
  readonly damage: string | null;
}

const INDEX_LIMIT_BYTES = 256 * 1024 * 1024;
const WORKTREES: BytePath = '.git/worktrees';
const GITLINK = 0o160000;

/** Reads all indexes. A damaged one of a linked worktree is captured as it is, and so are those beyond the limit. */
export function readIndexes(root: string, format: ObjectFormat): AgentIndexes {
  if (lookAtGitFolder(root) !== 'folder') return { main: null, all: [], damage: null };
  let main: AgentIndex | null = null;
  let damage: string | null = null;
  try {
    main = readIndex(root, '.git/index', format);
  } catch (error) {
    if (!(error instanceof IndexDamaged)) throw error;
    damage = `its index is damaged: ${error.message}`;
  }
  const all = main === null ? [] : [main];
  let room = MOST_ENTRIES - (main?.required.length ?? 0);
  for (const name of listWorktrees(root)) {
    if (room <= 0) break;
    const linked = readLinkedIndex(root, `.git/worktrees/${name}/index`, format);
    if (linked === null) continue;
    room -= Math.max(linked.byPath.size, linked.required.length);
    all.push(linked);
  }
  return { main, all, damage };
}

function listWorktrees(root: string): string[] {
  if (!isRealFolder(root, WORKTREES)) return [];
  const names = readdirSync(locate(root, WORKTREES), { encoding: 'buffer', withFileTypes: true });
  return names.filter((name) => name.isDirectory()).map((name) => name.name.toString('latin1'));
}

function readLinkedIndex(root: string, path: BytePath, format: ObjectFormat): AgentIndex | null {
  try {
    return readIndex(root, path, format);
  } catch (error) {
    if (error instanceof IndexDamaged) return null;
    throw error;
  }
}

function readIndex(root: string, path: BytePath, format: ObjectFormat): AgentIndex | null {
  const read = readRegularFile(root, path, INDEX_LIMIT_BYTES);
  if (read === null) return requireAbsent(root, path);
  const index = parseIndex(read.bytes, format);
  const files = new Map<BytePath, Buffer>();
  let { entries } = index;
  if (index.link === null || index.link.base === null) files.set(path, index.normalised);
  else {
    const shared = readSharedIndex(root, `${folderOf(path)}/sharedindex.${index.link.base}`, format);
    const name = shared.normalised.toString('hex', shared.normalised.length - format.rawLength);
    files.set(`${folderOf(path)}/sharedindex.${name}`, shared.normalised);
    files.set(path, relinkIndex(index, format, name));
    entries = mergeEntries(shared, index);
  }
  const byPath = new Map<BytePath, IndexEntry>();
  const required: string[] = [];
  for (const entry of entries) {
    byPath.set(entry.path, entry);
    if (entry.mode !== GITLINK && !entry.intentToAdd && entry.oid !== '') required.push(entry.oid);
  }
  return {
    path,
    mtimeMs: read.mtimeMs,
    byPath,
    whole: index.link === null,
    files,
    required,
    mentioned: [...index.cachedTrees, ...index.undo],
  };
}

/** No index is a new repository's; one that is there and cannot be used must not pass for none. */
function requireAbsent(root: string, path: BytePath): null {
  try {
    if (lstatSync(locate(root, path), { throwIfNoEntry: false }) === undefined) return null;
  } catch {
    // A folder above it cannot be entered.
  }
  throw new IndexDamaged('it is too large, cannot be read, or is no file');
}

function readSharedIndex(root: string, path: BytePath, format: ObjectFormat): ParsedIndex {
  const read = readRegularFile(root, path, INDEX_LIMIT_BYTES);
  if (read === null) throw new IndexDamaged(`its shared index ${nameOf(path)} is missing`);
  return parseIndex(read.bytes, format);
}

/** git's rule: drop the deleted, put the replacing entries (in order, without names) in place, add the rest. */
function mergeEntries(shared: ParsedIndex, index: ParsedIndex): IndexEntry[] {
  const { link } = index;
  if (link === null) return [...index.entries];
  const replacing = index.entries.filter((entry) => entry.path === '').values();
  const merged: IndexEntry[] = [];
  shared.entries.forEach((entry, position) => {
    const by = link.replaced.has(position) ? replacing.next().value : undefined;
    if (!link.deleted.has(position)) merged.push(by === undefined ? entry : { ...by, path: entry.path });
  });
  return [...merged, ...index.entries.filter((entry) => entry.path !== '')];
}
