/**
 * What a run takes on disk, and what removing it would free.
 *
 * 1. A file with links outside the runs counted is shared: removing those runs does not free it.
 * 2. Links are counted, never followed: a workspace may hold any.
 */
import { type Dirent, lstatSync, readdirSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { codeOf, type RunPaths } from '../store/index.ts';

export interface Bytes {
  /** Freed by a removal. */
  readonly own: number;
  /** The rest: also held by other runs. */
  readonly shared: number;
}

/** A file with more than one name, as often as it was met. */
interface LinkedFile {
  readonly size: number;
  readonly links: number;
  readonly met: number;
}

/** Sizes of the files of a folder or of several; `joinTallies` sees which shared files they share only with each other. */
export interface Tally {
  readonly unlinked: number;
  readonly linked: ReadonlyMap<string, LinkedFile>;
}

export const NO_FILES: Tally = { unlinked: 0, linked: new Map() };

/** Counts all files below some folders; what is missing counts nothing. */
export function tallyFolders(folders: readonly string[]): Tally {
  let unlinked = 0;
  const linked = new Map<string, LinkedFile>();
  const pending = [...folders];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    for (const entry of listEntries(folder)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) pending.push(path);
      const stats = entry.isDirectory() ? undefined : statOf(path);
      if (stats === undefined) continue;
      if (stats.nlink <= 1) unlinked += stats.size;
      else addLink(linked, `${stats.dev}:${stats.ino}`, { size: stats.size, links: stats.nlink, met: 1 });
    }
  }
  return { unlinked, linked };
}

/** Two tallies as one. */
export function joinTallies(left: Tally, right: Tally): Tally {
  const linked = new Map(left.linked);
  for (const [key, file] of right.linked) addLink(linked, key, file);
  return { unlinked: left.unlinked + right.unlinked, linked };
}

/** What removing all that was counted would free, and what it would not. */
export function bytesOf(tally: Tally): Bytes {
  let own = tally.unlinked;
  let shared = 0;
  for (const { size, links, met } of tally.linked.values()) {
    if (met >= links) own += size;
    else shared += size;
  }
  return { own, shared };
}

/** Bytes of a run's log and payloads: what a list shows, because counting workspaces takes long. */
export function logBytesOf(paths: Pick<RunPaths, 'log' | 'blobs'>): Bytes {
  return bytesOf(tallyFolders([paths.log, paths.blobs]));
}

function addLink(linked: Map<string, LinkedFile>, key: string, file: LinkedFile): void {
  linked.set(key, { ...file, met: file.met + (linked.get(key)?.met ?? 0) });
}

/** An agent's folders can be unreadable; they count nothing and their removal makes them readable first. */
function listEntries(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (['ENOENT', 'EACCES', 'ENOTDIR'].includes(codeOf(error))) return [];
    throw error;
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
