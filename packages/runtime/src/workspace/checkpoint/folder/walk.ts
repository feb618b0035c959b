/**
 * Reads what a workspace holds: names, types, modes, sizes and times, never content.
 *
 * 1. Every entry is looked at with lstat; a folder is entered only after lstat said it is one. No link is followed.
 * 2. The caller sees to it that no process of the run is alive meanwhile.
 */
import { lstatSync, readdirSync, type Stats } from 'node:fs';
import { type BytePath, locate } from './names.ts';

export type EntryKind = 'file' | 'link' | 'folder' | 'special';

export interface WalkedEntry {
  readonly path: BytePath;
  readonly kind: EntryKind;
  /** Permission bits with setuid, setgid and sticky (07777). */
  readonly mode: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly ino: number;
  readonly uid: number;
  readonly gid: number;
}

/** A folder or file that could not be looked at. */
export interface UnreadEntry {
  readonly path: BytePath;
  readonly reason: 'unreadable' | 'not_supported';
}

export interface Walk {
  readonly entries: WalkedEntry[];
  readonly unread: UnreadEntry[];
  /** Folders the caller asked not to enter, in the order they were met. */
  readonly held: BytePath[];
}

const ENTRIES_BETWEEN_PAUSES = 4096;
/**
 * A restore writes to a folder with a longer name, maybe of another user: of the 4096 bytes a path may have, these are
 * the workspace's. Held all the same, one such file would make the whole checkpoint impossible to restore.
 */
const LONGEST_PATH = 3500;

/** Walks a folder below `root`; `hold` says which folders are not entered. The order depends on the names alone. */
export async function walkFolder(root: string, start: BytePath, hold: (path: BytePath) => boolean): Promise<Walk> {
  const walk: Walk = { entries: [], unread: [], held: [] };
  const pending: BytePath[] = [start];
  let nextPause = ENTRIES_BETWEEN_PAUSES;
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    for (const name of readNames(root, folder, walk)) {
      const path = folder === '' ? name : `${folder}/${name}`;
      const entry = lookAt(root, path, walk);
      if (entry === null) continue;
      if (entry.kind !== 'folder') walk.entries.push(entry);
      else if (hold(path)) walk.held.push(path);
      else {
        walk.entries.push(entry);
        pending.push(path);
      }
    }
    if (walk.entries.length < nextPause) continue;
    nextPause = walk.entries.length + ENTRIES_BETWEEN_PAUSES;
    await new Promise(setImmediate);
  }
  return walk;
}

function readNames(root: string, folder: BytePath, walk: Walk): string[] {
  try {
    // The typings know only 'buffer' and UTF-8 here; any encoding works, and latin1 keeps every byte.
    return readdirSync(locate(root, folder), 'latin1' as BufferEncoding).sort();
  } catch (error) {
    noteUnread(folder, error, walk);
    return [];
  }
}

function lookAt(root: string, path: BytePath, walk: Walk): WalkedEntry | null {
  if (path.length > LONGEST_PATH) {
    walk.unread.push({ path, reason: 'not_supported' });
    return null;
  }
  try {
    return describeEntry(path, lstatSync(locate(root, path)));
  } catch (error) {
    noteUnread(path, error, walk);
    return null;
  }
}

/** What an lstat says of a path. */
export function describeEntry(path: BytePath, stats: Stats): WalkedEntry {
  return {
    path,
    kind: kindOf(stats.mode),
    mode: stats.mode & 0o7777,
    size: stats.size,
    mtimeMs: stats.mtimeMs,
    ctimeMs: stats.ctimeMs,
    ino: stats.ino,
    uid: stats.uid,
    gid: stats.gid,
  };
}

function kindOf(mode: number): EntryKind {
  switch (mode & 0o170000) {
    case 0o100000:
      return 'file';
    case 0o120000:
      return 'link';
    case 0o040000:
      return 'folder';
    default:
      return 'special';
  }
}

function noteUnread(path: BytePath, error: unknown, walk: Walk): void {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'EACCES' || code === 'EPERM') walk.unread.push({ path, reason: 'unreadable' });
  else if (code === 'ENAMETOOLONG') walk.unread.push({ path, reason: 'not_supported' });
  else throw error;
}
