import { lstatSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RunId } from '@ramet/core';
import type { FileStore } from '../store/index.ts';

/**
 * Other runs that hold the same file (one inode, many names) as a run's `log/...` or `blobs/...`: what harms it harms
 * them all.
 */
export function findSharers(store: FileStore, id: RunId, file: string): readonly RunId[] {
  const damaged = lstatSync(join(store.pathsOf(id).folder, file), { throwIfNoEntry: false });
  if (damaged === undefined || damaged.nlink < 2) return [];
  return store.listRuns().filter((other) => {
    if (other === id) return false;
    const folder = join(store.pathsOf(other).folder, dirname(file));
    return listNames(folder).some((name) => {
      const stats = lstatSync(join(folder, name), { throwIfNoEntry: false });
      return stats !== undefined && stats.ino === damaged.ino && stats.dev === damaged.dev;
    });
  });
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
