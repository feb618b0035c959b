/** Files and folders of ours in the system's temporary folder. That one may be wrong or full: the failure names it. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure } from '@ramet/core/codes';

/** Makes a folder only we can enter; throws `Failure('disk_failed')`. */
export function makeTemporaryFolder(name: string): string {
  try {
    return mkdtempSync(join(tmpdir(), `ramet-${name}-`));
  } catch (cause) {
    throw makeTemporaryFailure('folder', cause);
  }
}

/** The failure of making a file or folder there. */
export function makeTemporaryFailure(what: 'file' | 'folder', cause: unknown): Failure {
  const where = JSON.stringify(tmpdir());
  const message = `Could not make a temporary ${what} in ${where}: ${(cause as Error).message}. Free space there or set TMPDIR.`;
  return new Failure('disk_failed', message, { cause });
}
