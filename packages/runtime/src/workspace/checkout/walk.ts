/**
 * Walks folders of the person's (or of a run that has no live process) without ever following a link.
 *
 * File system calls are synchronous, in batches with a pause between: several times faster than one by one through
 * the thread pool, and the event loop is never held for long.
 */
import { lstatSync, readdirSync, type Stats } from 'node:fs';
import { setImmediate as pause } from 'node:timers/promises';
import { child, under } from './bytes.ts';

export interface FoundEntry {
  /** Relative to the root of the walk. */
  readonly path: Buffer;
  readonly kind: 'file' | 'link' | 'folder' | 'special' | 'unreadable';
  readonly bytes: number;
  readonly mode: number;
  readonly mtimeMs: number;
}

export interface WalkOptions {
  readonly root: string;
  /** Relative to the root; the walk lists it and all below. */
  readonly start: Buffer;
  /** Asked for each folder before it is read; false leaves it out, with all below. */
  readonly enter: (folder: Buffer, stats: Stats) => boolean;
}

const BATCH = 256;

/** Every entry at and below a path, a folder before what it holds. */
export async function* walkTree({ root, start, enter }: WalkOptions): AsyncGenerator<FoundEntry> {
  const pending = [start];
  let seen = 0;
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    seen += 1;
    if (seen % BATCH === 0) await pause();
    const stats = statEntry(root, path);
    if (stats === null) continue;
    if (!stats.isDirectory()) {
      yield describe(path, stats);
      continue;
    }
    if (!enter(path, stats)) continue;
    const names = listFolder(root, path);
    yield names === null ? { ...describe(path, stats), kind: 'unreadable' } : describe(path, stats);
    for (const name of names ?? []) pending.push(child(path, name));
  }
}

/** One entry, not followed; null where there is none. */
export function readEntry(root: string, path: Buffer): FoundEntry | null {
  const stats = statEntry(root, path);
  return stats === null ? null : describe(path, stats);
}

function statEntry(root: string, path: Buffer): Stats | null {
  try {
    return lstatSync(under(root, path));
  } catch {
    // Gone since it was listed.
    return null;
  }
}

function listFolder(root: string, path: Buffer): Buffer[] | null {
  try {
    return readdirSync(under(root, path), { encoding: 'buffer' }).sort(Buffer.compare).reverse();
  } catch {
    return null;
  }
}

function describe(path: Buffer, stats: Stats): FoundEntry {
  const kind = stats.isFile() ? 'file' : stats.isSymbolicLink() ? 'link' : stats.isDirectory() ? 'folder' : 'special';
  return { path, kind, bytes: stats.size, mode: stats.mode & 0o7777, mtimeMs: stats.mtimeMs };
}
