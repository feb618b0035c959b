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
  readonly format: 2;
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
/** Length of the header as JSON, before it; the numbers follow as they lie in memory. */
const PREFIX_BYTES = 4;
/** Kernel clocks tick every 1 to 10 ms; more than enough to tell before from after. */
const RACY_MS = 50;
const NUMBERS = 4;
const CLASSES: readonly PathClass[] = ['tracked', 'untracked', 'ignored'];
const MODES: readonly TreeMode[] = ['100644', '100755', '120000'];

/** Reads the cache of a workspace folder; null when there is none that fits. */
export async function readStatCache(privateFolder: string, root: readonly [number, number]): Promise<StatCache | null> {
  try {
    const bytes = await readFile(join(privateFolder, FILE_NAME));
    const headerEnd = PREFIX_BYTES + bytes.readUInt32LE(0);
    const stored = JSON.parse(bytes.toString('latin1', PREFIX_BYTES, headerEnd));
    if (stored.format !== 2 || stored.root[0] !== root[0] || stored.root[1] !== root[1]) return null;
    const paths = (stored.paths as string).split('\0');
    const positions = new Map<BytePath, number>();
    for (let position = 0; position < paths.length; position += 1) positions.set(paths[position] ?? '', position);
    // Copied: the numbers need not lie at a multiple of eight in the file.
    const numbers = new Float64Array(new Uint8Array(bytes.subarray(headerEnd)).buffer);
    const whole = numbers.length === paths.length * NUMBERS && stored.kinds.length === paths.length * 2;
    return whole ? { ...stored, positions, numbers, oids: (stored.oids as string).split(' ') } : null;
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
  const paths: string[] = [];
  const oids: string[] = [];
  const numbers = new Float64Array(files.length * NUMBERS);
  let kinds = '';
  for (const { entry, oid, mode, pathClass } of files) {
    numbers.set([entry.ino, entry.size, entry.mtimeMs, entry.ctimeMs], paths.length * NUMBERS);
    paths.push(entry.path);
    oids.push(oid);
    kinds += `${MODES.indexOf(mode)}${CLASSES.indexOf(pathClass)}`;
  }
  const text = Buffer.from(
    JSON.stringify({ ...header, paths: paths.join('\0'), oids: oids.join(' '), kinds }),
    'latin1',
  );
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32LE(text.length);
  try {
    await writeFile(`${path}.new`, Buffer.concat([prefix, text, Buffer.from(numbers.buffer)]), { mode: 0o600 });
    await rename(`${path}.new`, path);
  } catch {
    return;
  }
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
