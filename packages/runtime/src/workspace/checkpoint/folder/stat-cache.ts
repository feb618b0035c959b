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
import type { BytePath } from './names.ts';
import type { WalkedEntry } from './walk.ts';

/** How a path is captured; derived from the agent's index and the ignore rules. */
export type PathClass = 'tracked' | 'untracked' | 'ignored';

export interface CachedFile {
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly oid: string;
  readonly pathClass: PathClass;
}

/** What a capture found in the agent's git directory, valid as long as `gitTree` is the same. */
export interface CachedGitState {
  readonly gitTree: string;
  readonly commit: string | null;
  readonly parents: readonly string[];
  /** Trees of the checkpoint's root, null when empty. */
  readonly keep: string | null;
  readonly tags: string | null;
}

export interface StatCache {
  readonly format: 1;
  /** Device and inode of the workspace folder. */
  readonly root: readonly [number, number];
  /** When the walk began, by the clock of this machine. */
  readonly takenMs: number;
  readonly checkpoint: string | null;
  /** Digest of all ignore rules: what `pathClass` of untracked files holds for. */
  readonly ignoreKey: string;
  /** Folders found to be ignored and carried under these rules. */
  readonly carried: readonly BytePath[];
  /** Ids of the objects `checkpoint` consists of. */
  readonly objects: readonly string[];
  readonly git: CachedGitState | null;
  readonly files: ReadonlyMap<BytePath, CachedFile>;
}

const FILE_NAME = 'stat-cache.json';
/** Kernel clocks tick every 1 to 10 ms; more than enough to tell before from after. */
const RACY_MS = 50;
const CLASSES: readonly PathClass[] = ['tracked', 'untracked', 'ignored'];

type FileRow = [path: string, ino: number, size: number, mtime: number, ctime: number, oid: string, pathClass: number];

/** Reads the cache of a workspace folder; null when there is none that fits. */
export async function readStatCache(privateFolder: string, root: readonly [number, number]): Promise<StatCache | null> {
  try {
    const stored = JSON.parse(await readFile(join(privateFolder, FILE_NAME), 'latin1'));
    if (stored.format !== 1 || stored.root[0] !== root[0] || stored.root[1] !== root[1]) return null;
    const files = new Map<BytePath, CachedFile>();
    for (const [path, ino, size, mtimeMs, ctimeMs, oid, pathClass] of stored.files as FileRow[]) {
      files.set(path, { ino, size, mtimeMs, ctimeMs, oid, pathClass: CLASSES[pathClass] ?? 'untracked' });
    }
    return { ...stored, files };
  } catch {
    return null;
  }
}

/** Writes the cache, whole or not at all; a failure is no error, the next capture reads more. */
export async function writeStatCache(privateFolder: string, cache: StatCache): Promise<void> {
  const path = join(privateFolder, FILE_NAME);
  const rows: FileRow[] = [];
  for (const [name, file] of cache.files) {
    const { ino, size, mtimeMs, ctimeMs, oid } = file;
    rows.push([name, ino, size, mtimeMs, ctimeMs, oid, CLASSES.indexOf(file.pathClass)]);
  }
  try {
    await writeFile(`${path}.new`, JSON.stringify({ ...cache, files: rows }), { encoding: 'latin1', mode: 0o600 });
    await rename(`${path}.new`, path);
  } catch {
    return;
  }
}

/** The id of a file's content when it is certain to be what the last capture saw. */
export function cachedOid(cache: StatCache | null, entry: WalkedEntry): string | null {
  const file = cache?.files.get(entry.path);
  if (cache === null || file === undefined) return null;
  const same =
    file.ino === entry.ino &&
    file.size === entry.size &&
    file.mtimeMs === entry.mtimeMs &&
    file.ctimeMs === entry.ctimeMs;
  if (!same) return null;
  const settled = cache.takenMs - RACY_MS;
  return entry.mtimeMs < settled && entry.ctimeMs < settled ? file.oid : null;
}
