/**
 * Removes runs and stagings: a rename out of sight first, so that a crash in the middle leaves no half run, then the
 * tree. What a crash leaves has a name that is no run id, and whoever comes next finishes the work.
 */
import { randomUUID } from 'node:crypto';
import { renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { codeOf, diskFailure, makeFolder, removeTree, syncFolderNow } from './durable.ts';
import type { StateLayout } from './layout.ts';

/** Removes a folder of a run or a staging whose lock the caller holds; nothing when it is not there. */
export function bury(layout: StateLayout, folder: string): void {
  if (dirname(folder) !== layout.staging) makeFolder(layout.staging);
  const grave = join(layout.staging, `${basename(folder)}.${randomUUID()}.removed`);
  try {
    renameSync(folder, grave);
    // Nothing in it may be gone while its old name might come back.
    if (dirname(folder) === layout.runs) syncFolderNow(layout.runs);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    if (dirname(folder) !== layout.staging) throw diskFailure(`cannot remove ${folder}`, error);
    // A disk so full that nothing can be renamed: nobody reads what is staged, so it may go piece by piece.
    removeTree(folder);
    return;
  }
  removeTree(grave);
}
