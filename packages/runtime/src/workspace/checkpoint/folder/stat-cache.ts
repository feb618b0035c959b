/**
 * What the last capture of a workspace saw, so that an unchanged file is not read again. Derived: losing it costs time.
 *
 * 1. It lies outside the agent's reach, and a cache of another folder or format is ignored.
 * 2. It also remembers which checkpoint it belongs to: only while the store still has that one do its objects count
 *    as stored.
 */
import { closeSync, constants, ftruncateSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { BuiltFolder } from '../file-trees.ts';
import type { CapturedColumns, FileTable, FolderRows } from './file-table.ts';
import { STATS } from './file-table.ts';
import type { Stray } from './index-entries.ts';
import type { BytePath } from './names.ts';

/** What a capture found in the agent's git directory, valid as long as `gitTree` is the same. */
export interface CachedGitState {
  readonly gitTree: string;
  readonly commit: string | null;
  readonly parents: readonly string[];
  /** Trees of the checkpoint's root, null when empty. */
  readonly keep: string | null;
  readonly tags: string | null;
  /** Objects refs name that do not exist for the agent either. */
  readonly missing: readonly string[];
}

/** The agent's index at the last capture. */
export interface CachedIndex {
  /** SHA-256 of its bytes. */
  readonly digest: string;
  /** What it was stored as. */
  readonly oid: string;
  /** How many paths it names, and those that are none of the files. */
  readonly count: number;
  readonly strays: readonly Stray[];
}

interface CacheHeader {
  /** Bytes of a raw id. */
  readonly rawLength: number;
  /** Device and inode of the workspace folder. */
  readonly root: readonly [number, number];
  /** When the walk began, by the clock of this machine. */
  readonly takenMs: number;
  readonly checkpoint: string;
  /** Digest of all ignore rules: what the class of untracked files holds for. */
  readonly ignoreKey: string;
  /** Folders found to be ignored and carried under these rules. */
  readonly carried: readonly BytePath[];
  /** Trees of the checkpoint by their path in it. */
  readonly trees: readonly (readonly [path: BytePath, folder: BuiltFolder])[];
  /** Ids of the objects `checkpoint` consists of, without those of `trees` and `oids`. */
  readonly objects: readonly string[];
  readonly git: CachedGitState | null;
  /** The agent's index, unless its entries lie in several files. */
  readonly index: CachedIndex | null;
  /** Files of packs when `checkpoint` was stored, in `store.git` and the `base.git` it borrows from; null when unknown. */
  readonly packs: { readonly store: readonly string[]; readonly base: readonly string[] } | null;
}

/** The files of the last capture, and what else it found. */
export type StatCache = CacheHeader & FileTable & CapturedColumns;

const FILE_NAME = 'stat-cache';
const FORMAT = 6;
/**
 * Length of the header and CRC-32 of all that follows; then the header as JSON, the columns of numbers as they lie in
 * memory, the names. The file is neither synced nor replaced: after a crash it may hold anything.
 */
const PREFIX_BYTES = 8;

/** Reads the cache of a workspace folder; null when there is none that fits. */
export function readStatCache(privateFolder: string, root: readonly [number, number]): StatCache | null {
  try {
    const bytes = readFileSync(join(privateFolder, FILE_NAME));
    const headerEnd = PREFIX_BYTES + bytes.readUInt32LE(0);
    if (crc32(bytes.subarray(PREFIX_BYTES)) !== bytes.readUInt32LE(4)) return null;
    const { format, count, folders, ...header } = JSON.parse(bytes.toString('latin1', PREFIX_BYTES, headerEnd));
    if (format !== FORMAT || header.root[0] !== root[0] || header.root[1] !== root[1]) return null;
    const columns = new ColumnReader(bytes, headerEnd);
    const stats = new Float64Array(columns.take(count * STATS * 8).buffer);
    const modes = new Uint32Array(columns.take(count * 4).buffer);
    const entries = new Uint32Array(columns.take(count * 4).buffer);
    const classes = columns.take(count);
    const oids = Buffer.from(columns.take(count * header.rawLength).buffer);
    const names = count === 0 ? [] : columns.rest().split('\0');
    return names.length === count
      ? { ...header, folders: parseFolders(folders), names, stats, modes, entries, classes, oids }
      : null;
  } catch {
    return null;
  }
}

/** Takes columns off a file's bytes. */
class ColumnReader {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  /** A copy: numbers need not lie at a multiple of their size in the file. */
  take(length: number): Uint8Array<ArrayBuffer> {
    const column = new Uint8Array(this.#bytes.subarray(this.#at, this.#at + length));
    this.#at += length;
    return column;
  }

  rest(): string {
    return this.#bytes.toString('latin1', this.#at);
  }
}

/** Writes the cache; a failure is no error, the next capture reads more. */
export function writeStatCache(privateFolder: string, header: CacheHeader, files: FileTable & CapturedColumns): void {
  const count = files.names.length;
  const folders = renderFolders(files.folders);
  const head = Buffer.from(JSON.stringify({ ...header, format: FORMAT, count, folders }), 'latin1');
  const bytes = Buffer.concat([
    Buffer.alloc(PREFIX_BYTES),
    head,
    Buffer.from(Float64Array.from(files.stats).buffer),
    Buffer.from(Uint32Array.from(files.modes).buffer),
    Buffer.from(files.entries.buffer, files.entries.byteOffset, files.entries.byteLength),
    files.classes,
    files.oids,
    // No name is empty or holds a NUL.
    Buffer.from(files.names.join('\0'), 'latin1'),
  ]);
  bytes.writeUInt32LE(head.length);
  bytes.writeUInt32LE(crc32(bytes.subarray(PREFIX_BYTES)), 4);
  try {
    overwrite(join(privateFolder, FILE_NAME), bytes);
  } catch {
    return;
  }
}

/** In place: a name that is moved over another one waits for the disk. */
function overwrite(path: string, bytes: Buffer): void {
  const file = openSync(path, constants.O_WRONLY | constants.O_CREAT, 0o600);
  try {
    writeFileSync(file, bytes);
    ftruncateSync(file, bytes.length);
  } finally {
    closeSync(file);
  }
}

/** Folders lie one after the other: a path and a count say it all. */
function renderFolders(folders: readonly FolderRows[]): [BytePath, number][] {
  return folders.filter(({ from, to }) => to > from).map(({ path, from, to }) => [path, to - from]);
}

function parseFolders(folders: readonly (readonly [BytePath, number])[]): FolderRows[] {
  let from = 0;
  return folders.map(([path, rows]) => {
    from += rows;
    return { path, from: from - rows, to: from };
  });
}
