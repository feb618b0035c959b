/** The indexes of the agent's git directory: its own and those of its linked worktrees, with their shared parts. */
import { hash } from 'node:crypto';
import { lstatSync, readdirSync } from 'node:fs';
import { invariant } from '@ramet/core/codes';
import { type BytePath, folderOf, locate, nameOf } from '../folder/names.ts';
import { hashObject, type ObjectFormat } from '../objects/format.ts';
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
  readonly bytes: Buffer;
  /** SHA-256 of the bytes. */
  readonly digest: string;
  /** Whether all entries lie in this one file, so that their stat fields can be filled in at a restore. */
  readonly whole: boolean;
  /** What is captured in its place. */
  readonly stored: readonly StoredIndex[];
  /** What it says; parsed the first time that is asked for. */
  parse(): IndexContents;
}

/** A file of an index as a checkpoint holds it. */
export interface StoredIndex {
  readonly workspacePath: BytePath;
  readonly oid: string;
  read(): Buffer;
}

export interface IndexContents {
  readonly whole: boolean;
  /** What is captured, by path. */
  readonly files: ReadonlyMap<BytePath, Buffer>;
  /** Effective entries: those of the shared index that still count, and its own; in a conflict the last of a path. */
  readonly byPath: ReadonlyMap<BytePath, IndexEntry>;
  /** Objects without which it is broken, and objects it merely mentions. */
  readonly required: readonly string[];
  readonly mentioned: readonly string[];
}

/** A whole index of `.git/index` that parsed, and the id it was stored under. */
export interface KnownIndex {
  readonly digest: string;
  readonly oid: string;
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

/**
 * Reads all indexes; `known` need not be parsed. A damaged one of a linked worktree is captured as it is, and so are
 * those beyond the limit.
 */
export function readIndexes(root: string, format: ObjectFormat, known: KnownIndex | null): AgentIndexes {
  if (lookAtGitFolder(root) !== 'folder') return { main: null, all: [], damage: null };
  let main: AgentIndex | null = null;
  let damage: string | null = null;
  try {
    main = readIndex({ root, format, known }, '.git/index');
  } catch (error) {
    if (!(error instanceof IndexDamaged)) throw error;
    damage = `its index is damaged: ${error.message}`;
  }
  return { main, all: [...(main === null ? [] : [main]), ...readLinkedIndexes(root, format, main)], damage };
}

function readLinkedIndexes(root: string, format: ObjectFormat, main: AgentIndex | null): AgentIndex[] {
  const worktrees = listWorktrees(root);
  if (worktrees.length === 0) return [];
  const linked: AgentIndex[] = [];
  let room = MOST_ENTRIES - (main?.parse().required.length ?? 0);
  for (const name of worktrees) {
    if (room <= 0) break;
    const index = readLinkedIndex(root, `.git/worktrees/${name}/index`, format);
    if (index === null) continue;
    const { byPath, required } = index.parse();
    room -= Math.max(byPath.size, required.length);
    linked.push(index);
  }
  return linked;
}

function listWorktrees(root: string): string[] {
  if (!isRealFolder(root, WORKTREES)) return [];
  const names = readdirSync(locate(root, WORKTREES), { encoding: 'buffer', withFileTypes: true });
  return names.filter((name) => name.isDirectory()).map((name) => name.name.toString('latin1'));
}

function readLinkedIndex(root: string, path: BytePath, format: ObjectFormat): AgentIndex | null {
  try {
    return readIndex({ root, format, known: null }, path);
  } catch (error) {
    if (error instanceof IndexDamaged) return null;
    throw error;
  }
}

interface IndexPlace {
  readonly root: string;
  readonly format: ObjectFormat;
  readonly known: KnownIndex | null;
}

function readIndex({ root, format, known }: IndexPlace, path: BytePath): AgentIndex | null {
  const read = readRegularFile(root, path, INDEX_LIMIT_BYTES);
  if (read === null) return requireAbsent(root, path);
  const digest = hash('sha256', read.bytes, 'hex');
  let parsed: IndexContents | null = null;
  const parse = () => {
    parsed ??= parseContents(root, path, { format, bytes: read.bytes });
    return parsed;
  };
  const base = { path, bytes: read.bytes, mtimeMs: read.mtimeMs, digest, parse };
  if (known?.digest === digest) {
    return {
      ...base,
      whole: true,
      stored: [{ workspacePath: path, oid: known.oid, read: () => readCaptured(parse(), path) }],
    };
  }
  const { files, whole } = parse();
  const stored = [...files].map(([workspacePath, bytes]) => {
    return { workspacePath, oid: hashObject(format, 'blob', bytes), read: () => bytes };
  });
  return { ...base, whole, stored };
}

function readCaptured({ files }: IndexContents, path: BytePath): Buffer {
  const bytes = files.get(path);
  invariant(bytes !== undefined, 'a whole index is captured under its own name');
  return bytes;
}

function parseContents(root: string, path: BytePath, source: { format: ObjectFormat; bytes: Buffer }): IndexContents {
  const { format, bytes } = source;
  const index = parseIndex(bytes, format);
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
  const mentioned = [...index.cachedTrees, ...index.undo];
  return { whole: index.link === null, files, byPath, required, mentioned };
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
