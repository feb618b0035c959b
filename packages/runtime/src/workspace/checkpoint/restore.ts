/**
 * Restores a checkpoint into a new folder.
 *
 * 1. All or nothing: built beside the target under another name, compared with the checkpoint file by file, then
 *    renamed. A failure removes what was built.
 * 2. No git ever runs with the new git directory: its files are written as bytes, its private objects as a pack made
 *    from the store. Nothing is linked.
 * 3. Links are made after everything else, so that no write can follow one.
 */
import { randomUUID } from 'node:crypto';
import { lstatSync, mkdirSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Failure } from '@ramet/core/codes';
import { syncFolder } from '../../store/durable.ts';
import { carryFolders } from '../checkout/index.ts';
import type { CarriedFolder, RestoredWorkspace, RestoreRequest } from '../types.ts';
import { readObjectFormat } from './objects/format.ts';
import { type CheckpointContents, readCheckpoint } from './read.ts';
import { compareWithCheckpoint } from './restored/compare.ts';
import { makeRestoreFailure } from './restored/failure.ts';
import { settleIndex } from './restored/settle.ts';
import { applyFolderModes, writeFiles } from './restored/write-files.ts';
import { writeObjects } from './restored/write-objects.ts';

/**
 * Restores a checkpoint; the target must not exist. Throws `Failure('checkpoint_missing')` when the store does not
 * hold all of it, `Failure('disk_failed')` when the disk is full, `Failure('restore_failed')` for anything else; the
 * target then does not exist.
 */
export async function restoreCheckpoint(request: RestoreRequest): Promise<RestoredWorkspace> {
  const { project, checkpoint, target } = request;
  if (lstatSync(target, { throwIfNoEntry: false }) !== undefined) {
    throw new Failure(
      'restore_failed',
      `Checkpoint ${checkpoint} cannot be restored to ${JSON.stringify(target)}: it exists.`,
    );
  }
  const staging = `${target}.restoring-${randomUUID()}`;
  try {
    const contents = await readCheckpoint(project, checkpoint);
    mkdirSync(staging, { mode: 0o700 });
    const carried = await build(request, contents, staging);
    await rename(staging, target);
    await syncFolder(dirname(target));
    return { files: contents.manifest.files, carried };
  } catch (error) {
    await rm(staging, { recursive: true, force: true }).catch(() => undefined);
    throw makeRestoreFailure(request, error);
  }
}

async function build(request: RestoreRequest, contents: CheckpointContents, staging: string): Promise<CarriedFolder[]> {
  const { project, target } = request;
  const format = await readObjectFormat(project.storeGit);
  const indexDate = Math.floor(Date.now() / 1000);
  // Both are waited for, also when one fails: nothing may still write while the folder is removed.
  const [files, objects] = await Promise.allSettled([
    writeFiles({ project, contents, staging, target, format, indexDate }),
    writeObjects({ project, contents, staging, format }),
  ]);
  if (files.status === 'rejected') throw files.reason;
  if (objects.status === 'rejected') throw objects.reason;
  const { problems, entries } = await compareWithCheckpoint({ contents, staging, format, written: files.value });
  if (problems.length > 0) throw new Error(`what was written differs from the checkpoint: ${problems.join('; ')}`);
  settleIndex({ contents, staging, format, entries, indexDate });
  const carried = await carryFolders({ sources: request.carryFrom, target: staging, carry: request.carry });
  applyFolderModes(contents, staging);
  return carried;
}
