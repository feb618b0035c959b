import { join } from 'node:path';
import { type Refusal, refuse } from '@ramet/core';
import { acquireLock, type HeldLock, makeFolder, sha256 } from '../../store/index.ts';

/** Holds a folder for one run at a time; the kernel lets go of it at any death. */
export async function lockDirectory(home: string, path: string): Promise<HeldLock | Refusal> {
  const folder = join(home, 'directories');
  makeFolder(folder);
  const lock = await acquireLock(join(folder, sha256(path)), 'exclusive');
  return (
    lock ??
    refuse('directory_in_use', `another session works in ${path} right now; one folder holds one at a time`, { path })
  );
}
