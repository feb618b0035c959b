/** Why a restore failed, as one failure with a code that says what to do. */
import { Failure } from '@ramet/core/codes';
import type { RestoreRequest } from '../../types.ts';

const KEPT: ReadonlySet<string> = new Set(['checkpoint_missing', 'restore_failed', 'interrupted']);
/** What the system says of a disk without room, in its own words where git repeats them. */
const FULL = ['ENOSPC', 'EDQUOT'];
const FULL_IN_GIT = /No space left on device|Disk quota exceeded/;

/**
 * The failure for whatever went wrong. A full disk is `disk_failed`: it says nothing about the checkpoint, and the same
 * restore succeeds when there is room.
 */
export function makeRestoreFailure(request: RestoreRequest, error: unknown): Failure {
  if (error instanceof Failure && KEPT.has(error.code)) return error;
  const what = `Checkpoint ${request.checkpoint} could not be restored to ${JSON.stringify(request.target)}`;
  const why = error instanceof Error ? error.message : String(error);
  if (!isDiskFull(error)) {
    return new Failure('restore_failed', `${what}: ${why}. Nothing was left there.`, { cause: error });
  }
  const message = `${what}: the disk is full (${why}). Nothing was left there: free some space and run it again.`;
  return new Failure('disk_failed', message, { cause: error });
}

function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (FULL.includes((error as NodeJS.ErrnoException).code ?? '')) return true;
  return error instanceof Failure && FULL_IN_GIT.test(String(error.data.stderr ?? ''));
}
