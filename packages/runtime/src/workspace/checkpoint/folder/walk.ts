/**
 * Reads what a workspace holds: names, types, modes, sizes and times, never content.
 *
 * 1. Every entry is looked at with lstat; a folder is entered only after lstat said it is one. No link is followed.
 * 2. The caller sees to it that no process of the run is alive meanwhile.
 */
import { lstatSync, readdirSync, type Stats } from 'node:fs';
import { type BytePath, joinPath, locate } from './names.ts';

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

/** What a walk found besides what its visitor was shown. */
export interface FolderWalk {
  readonly folders: WalkedEntry[];
  readonly unread: UnreadEntry[];
  /** Folders the visitor asked not to enter, in the order they were met. */
  readonly held: BytePath[];
}

/** Is shown what a walk finds: each folder, then everything directly in it that is no folder, by name. */
export interface WalkVisitor {
  /** Whether a folder is not entered. */
  hold(path: BytePath): boolean;
  enterFolder(path: BytePath): void;
  /** `stats` is what lstat said of the name in the folder entered last. */
  addFile(name: string, stats: Stats): void;
}

const ENTRIES_BETWEEN_PAUSES = 4096;
/**
 * A restore writes to a folder with a longer name, maybe of another user: of the 4096 bytes a path may have, these are
 * the workspace's. Held all the same, one such file would make the whole checkpoint impossible to restore.
 */
const LONGEST_PATH = 3500;

/** Walks a folder below `root`. The order depends on the names alone. */
export async function visitFolder(root: string, start: BytePath, visitor: WalkVisitor): Promise<FolderWalk> {
  const walk: FolderWalk = { folders: [], unread: [], held: [] };
  const pending: BytePath[] = [start];
  let sincePause = 0;
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    visitor.enterFolder(folder);
    const names = readNames(root, folder, walk);
    const place = locate(root, folder);
    for (const name of names) {
      const stats = lookAt({ root, folder, place }, name, walk);
      if (stats === null) continue;
      if (!stats.isDirectory()) {
        visitor.addFile(name, stats);
        continue;
      }
      const path = joinPath(folder, name);
      if (visitor.hold(path)) walk.held.push(path);
      else {
        walk.folders.push(describeEntry(path, stats));
        pending.push(path);
      }
    }
    sincePause += names.length;
    if (sincePause < ENTRIES_BETWEEN_PAUSES) continue;
    sincePause = 0;
    await new Promise(setImmediate);
  }
  return walk;
}

function readNames(root: string, folder: BytePath, walk: FolderWalk): string[] {
  try {
    // The typings know only 'buffer' and UTF-8 here; any encoding works, and latin1 keeps every byte.
    return readdirSync(locate(root, folder), 'latin1' as BufferEncoding).sort();
  } catch (error) {
    noteUnread(folder, error, walk);
    return [];
  }
}

/** A folder below a root, and its own name for `node:fs`: not put together again for each file in it. */
interface Place {
  readonly root: string;
  readonly folder: BytePath;
  readonly place: string | Buffer;
}

function lookAt({ root, folder, place }: Place, name: string, walk: FolderWalk): Stats | null {
  if (folder.length + 1 + name.length > LONGEST_PATH) {
    walk.unread.push({ path: joinPath(folder, name), reason: 'not_supported' });
    return null;
  }
  try {
    return lstatSync(typeof place === 'string' ? locate(place, name) : locate(root, joinPath(folder, name)));
  } catch (error) {
    noteUnread(joinPath(folder, name), error, walk);
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

/** What the bits of an lstat's mode say something is. */
export function kindOf(mode: number): EntryKind {
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

function noteUnread(path: BytePath, error: unknown, walk: FolderWalk): void {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'EACCES' || code === 'EPERM') walk.unread.push({ path, reason: 'unreadable' });
  else if (code === 'ENAMETOOLONG') walk.unread.push({ path, reason: 'not_supported' });
  else throw error;
}
