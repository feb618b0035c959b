/**
 * Copies entries found by `walk.ts` into a folder of ours.
 *
 * 1. Content is shared by reflink where the file system can, else copied; never hard-linked.
 * 2. Links are copied as links. Nothing is written through one: what is in the way is replaced itself, or the entry
 *    is passed over.
 * 3. A process may live in what is copied (a parent's workspace): `copy-source.ts` opens only what lies in it.
 */
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  lstatSync,
  mkdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { setImmediate as pause } from 'node:timers/promises';
import { keyOf, parent, under } from './bytes.ts';
import { openSourceFile, pathOfOpenFile, readSourceLink } from './copy-source.ts';
import type { FoundEntry } from './walk.ts';

/** How the content came. */
export type CopyWay = 'reflink' | 'copy';

export interface CopyRequest {
  readonly from: string;
  readonly to: string;
  readonly entries: readonly FoundEntry[];
  /** What becomes of a link or file in a folder's place, and of an entry that is there already. */
  readonly existing: 'replace' | 'keep';
  readonly signal?: AbortSignal;
}

const BATCH = 64;
const LARGE_FILE_BYTES = 1024 * 1024;
const { COPYFILE_EXCL, COPYFILE_FICLONE, COPYFILE_FICLONE_FORCE } = constants;

export interface Copied {
  readonly way: CopyWay;
  /** What could not be read, or was gone. */
  readonly unreadable: readonly FoundEntry[];
}

/** Copies files, links and folders, with modes and times. Special files are skipped; a full disk throws. */
export async function copyEntries({ from, to, entries, existing, signal }: CopyRequest): Promise<Copied> {
  const unreadable: FoundEntry[] = [];
  const folders = new Set<string>(['']);
  let way: CopyWay | null = null;
  for (const [position, entry] of entries.entries()) {
    if (position % BATCH === 0) {
      signal?.throwIfAborted();
      await pause();
    }
    if (!ensureFolder(to, parent(entry.path), { known: folders, existing })) continue;
    const target = under(to, entry.path);
    if (entry.kind === 'folder') ensureFolder(to, entry.path, { known: folders, existing });
    else if (existing === 'keep' && lstatSync(target, { throwIfNoEntry: false }) !== undefined) continue;
    else if (entry.kind === 'link' || entry.kind === 'file') {
      try {
        if (entry.kind === 'link') placeLink(readSourceLink(from, entry.path), target);
        else way = await placeOpened(from, entry, { target, way });
      } catch (error) {
        if (!isUnreadable(error)) throw error;
        unreadable.push(entry);
      }
    }
  }
  applyFolderModes(to, entries, folders);
  return { way: way ?? 'copy', unreadable };
}

/** Makes a folder and its parents; false where something that is none is in the way and stays. */
function ensureFolder(root: string, path: Buffer, way: { known: Set<string>; existing: 'replace' | 'keep' }): boolean {
  const key = keyOf(path);
  if (way.known.has(key)) return true;
  if (!ensureFolder(root, parent(path), way)) return false;
  const target = under(root, path);
  const stats = lstatSync(target, { throwIfNoEntry: false });
  const blocked = stats !== undefined && !stats.isDirectory();
  if (blocked && way.existing === 'keep') return false;
  if (blocked) rmSync(target);
  if (blocked || stats === undefined) mkdirSync(target, { mode: 0o700 });
  way.known.add(key);
  return true;
}

/** Removes what is at a path, never what a link there points to. */
export function removeEntry(root: string, path: Buffer): void {
  rmSync(under(root, path), { recursive: true, force: true });
}

function placeLink(text: Buffer, target: Buffer): void {
  rmSync(target, { recursive: true, force: true });
  symlinkSync(text, target);
}

async function placeOpened(
  from: string,
  entry: FoundEntry,
  { target, way }: { readonly target: Buffer; readonly way: CopyWay | null },
): Promise<CopyWay> {
  const file = openSourceFile(from, entry.path);
  try {
    const source = pathOfOpenFile(file) ?? under(from, entry.path);
    const found = way ?? (canReflink(source, target) ? 'reflink' : 'copy');
    await placeFile(source, target, entry);
    return found;
  } finally {
    closeSync(file);
  }
}

async function placeFile(source: Buffer | string, target: Buffer, entry: FoundEntry): Promise<void> {
  const mode = COPYFILE_FICLONE | COPYFILE_EXCL;
  try {
    if (entry.bytes > LARGE_FILE_BYTES) await copyFile(source, target, mode);
    else copyFileSync(source, target, mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    rmSync(target, { recursive: true, force: true });
    await copyFile(source, target, mode);
  }
  // Copying keeps the mode whole; a program of ours must not run as its owner because theirs did.
  if ((entry.mode & 0o7000) !== 0) chmodSync(target, entry.mode & 0o777);
  // Tools compare times (a compiled Python file with its source), and git its stat cache.
  utimesSync(target, entry.mtimeMs / 1000, entry.mtimeMs / 1000);
}

function isUnreadable(error: unknown): boolean {
  return ['EACCES', 'EPERM', 'ENOENT', 'EIO', 'EISDIR', 'ELOOP', 'ENXIO', 'ENOTDIR'].includes(
    (error as NodeJS.ErrnoException).code ?? '',
  );
}

function canReflink(source: Buffer | string, target: Buffer): boolean {
  const probe = Buffer.concat([target, Buffer.from('.reflink-probe')]);
  try {
    copyFileSync(source, probe, COPYFILE_FICLONE_FORCE | COPYFILE_EXCL);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(probe, { force: true });
  }
}

/** Last, and deepest first: a folder that is read-only in the original could not have been filled. */
function applyFolderModes(to: string, entries: readonly FoundEntry[], made: ReadonlySet<string>): void {
  for (const entry of entries.filter(({ kind, path }) => kind === 'folder' && made.has(keyOf(path))).reverse()) {
    // We must be able to remove it again.
    chmodSync(under(to, entry.path), (entry.mode & 0o777) | 0o700);
  }
}
