/**
 * What the last capture of a workspace saw, so that an unchanged file is not read again. Derived: losing it costs time.
 *
 * 1. A file counts as unchanged while inode, size, mtime and ctime are what they were, and both times lie well before
 *    that capture began: an edit of the same length in the same clock tick is otherwise missed. No program can set
 *    ctime, so an agent that sets mtime back is seen.
 * 2. It lies outside the agent's reach, and a cache of another folder or format is ignored.
 * 3. It also remembers which checkpoint it belongs to: only while the store still has that one do its objects count
 *    as stored.
 */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { TreeMode } from '../objects/format.ts';
import type { BytePath } from './names.ts';
import type { WalkedEntry } from './walk.ts';

/** How a path is captured; derived from the agent's index and the ignore rules. */
export type PathClass = 'tracked' | 'untracked' | 'ignored';

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

/** One file or link as it was captured. */
export interface CachedFile {
  readonly entry: WalkedEntry;
  readonly oid: string;
  readonly mode: TreeMode;
  readonly pathClass: PathClass;
}

interface CacheHeader {
  /** Device and inode of the workspace folder. */
  readonly root: readonly [number, number];
  /** When the walk began, by the clock of this machine. */
  readonly takenMs: number;
  readonly checkpoint: string;
  /** Digest of all ignore rules: what the class of untracked files holds for. */
  readonly ignoreKey: string;
  /** Folders found to be ignored and carried under these rules. */
  readonly carried: readonly BytePath[];
  /** Ids of the objects `checkpoint` consists of, without those of `oids`. */
  readonly objects: readonly string[];
  readonly git: CachedGitState | null;
  /** Files of packs when `checkpoint` was stored, in `store.git` and the `base.git` it borrows from; null when unknown. */
  readonly packs: { readonly store: readonly string[]; readonly base: readonly string[] } | null;
}

/** Columns, not objects: ten thousand files cost milliseconds to read. */
export interface StatCache extends CacheHeader {
  /** Path to position in the columns. */
  readonly positions: ReadonlyMap<BytePath, number>;
  readonly oids: readonly string[];
  /** `NUMBERS` for each file: inode, size, mtime, ctime. */
  readonly numbers: Float64Array;
  /** Two characters for each file: position in `MODES`, position in `CLASSES`. */
  readonly kinds: string;
}

const FILE_NAME = 'stat-cache';
const FORMAT = 4;
/**
 * Length of the header and CRC-32 of all that follows; then the header as JSON, the numbers as they lie in memory, the
 * text columns. The file is not synced: after a power cut it may hold anything.
 */
const PREFIX_BYTES = 8;
/** Kernel clocks tick every 1 to 10 ms; more than enough to tell before from after. */
const RACY_MS = 50;
const NUMBERS = 4;
const CLASSES: readonly PathClass[] = ['tracked', 'untracked', 'ignored'];
const MODES: readonly TreeMode[] = ['100644', '100755', '120000'];
const KINDS = MODES.map((_, mode) => CLASSES.map((_class, position) => `${mode}${position}`));

/** Reads the cache of a workspace folder; null when there is none that fits. */
export async function readStatCache(privateFolder: string, root: readonly [number, number]): Promise<StatCache | null> {
  try {
    const bytes = await readFile(join(privateFolder, FILE_NAME));
    const headerEnd = PREFIX_BYTES + bytes.readUInt32LE(0);
    if (crc32(bytes.subarray(PREFIX_BYTES)) !== bytes.readUInt32LE(4)) return null;
    const header = JSON.parse(bytes.toString('latin1', PREFIX_BYTES, headerEnd));
    if (header.format !== FORMAT || header.root[0] !== root[0] || header.root[1] !== root[1]) return null;
    const numbersEnd = headerEnd + header.count * NUMBERS * 8;
    // Copied: the numbers need not lie at a multiple of eight in the file.
    const numbers = new Float64Array(new Uint8Array(bytes.subarray(headerEnd, numbersEnd)).buffer);
    const [paths = '', oids = '', kinds = ''] = bytes.toString('latin1', numbersEnd).split('\0\0');
    const positions = new Map<BytePath, number>();
    for (const path of paths.split('\0')) positions.set(path, positions.size);
    const whole = positions.size === header.count && kinds.length === header.count * 2;
    return whole && numbers.length === header.count * NUMBERS
      ? { ...header, positions, numbers, oids: oids.split(' '), kinds }
      : null;
  } catch {
    return null;
  }
}

/** Writes the cache, whole or not at all; a failure is no error, the next capture reads more. */
export async function writeStatCache(
  privateFolder: string,
  header: CacheHeader,
  files: readonly CachedFile[],
): Promise<void> {
  const path = join(privateFolder, FILE_NAME);
  const { numbers, text } = renderColumns(files);
  const head = Buffer.from(JSON.stringify({ ...header, format: FORMAT, count: files.length }), 'latin1');
  const prefix = Buffer.alloc(PREFIX_BYTES);
  const bytes = Buffer.concat([prefix, head, Buffer.from(numbers.buffer), text]);
  bytes.writeUInt32LE(head.length);
  bytes.writeUInt32LE(crc32(bytes.subarray(PREFIX_BYTES)), 4);
  try {
    await writeFile(`${path}.new`, bytes, { mode: 0o600 });
    await rename(`${path}.new`, path);
  } catch {
    return;
  }
}

function renderColumns(files: readonly CachedFile[]): { numbers: Float64Array; text: Buffer } {
  const numbers = new Float64Array(files.length * NUMBERS);
  const paths: string[] = [];
  const oids: string[] = [];
  const kinds: string[] = [];
  let at = 0;
  for (const { entry, oid, mode, pathClass } of files) {
    numbers[at] = entry.ino;
    numbers[at + 1] = entry.size;
    numbers[at + 2] = entry.mtimeMs;
    numbers[at + 3] = entry.ctimeMs;
    at += NUMBERS;
    paths.push(entry.path);
    oids.push(oid);
    kinds.push(KINDS[MODES.indexOf(mode)]?.[CLASSES.indexOf(pathClass)] ?? '');
  }
  // No path is empty, so two NULs only ever separate columns.
  const text = Buffer.from([paths.join('\0'), oids.join(' '), kinds.join('')].join('\0\0'), 'latin1');
  return { numbers, text };
}

/** The id of a file's content when it is certain to be what the last capture saw. */
export function cachedOid(cache: StatCache | null, entry: WalkedEntry): string | null {
  const position = cache?.positions.get(entry.path);
  if (cache === null || position === undefined) return null;
  const { numbers } = cache;
  const at = position * NUMBERS;
  const same =
    numbers[at] === entry.ino &&
    numbers[at + 1] === entry.size &&
    numbers[at + 2] === entry.mtimeMs &&
    numbers[at + 3] === entry.ctimeMs;
  if (!same) return null;
  const settled = cache.takenMs - RACY_MS;
  return entry.mtimeMs < settled && entry.ctimeMs < settled ? (cache.oids[position] ?? null) : null;
}

/** The class a path had in the last capture. */
export function cachedClass(cache: StatCache, path: BytePath): PathClass | null {
  const position = cache.positions.get(path);
  return position === undefined ? null : (CLASSES[Number(cache.kinds[position * 2 + 1])] ?? null);
}

/** The content and mode a path had in the last capture. */
export function cachedSide(cache: StatCache, path: BytePath): { oid: string; mode: TreeMode } | null {
  const position = cache.positions.get(path);
  if (position === undefined) return null;
  return { oid: cache.oids[position] ?? '', mode: MODES[Number(cache.kinds[position * 2])] ?? '100644' };
}
