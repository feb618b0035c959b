/** Which project files a person confirmed: one empty file below `trust/` for each digest. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder, replaceFile } from '../store/index.ts';

/** Records that a person confirmed a file with this digest. */
export function recordTrust(home: string, digest: string, path: string): void {
  const folder = join(home, 'trust');
  makeFolder(folder);
  replaceFile(join(folder, digest), Buffer.from(`${JSON.stringify({ path })}\n`), { sync: true });
}

/** Whether a person confirmed a file with this digest. */
export function isTrusted(home: string, digest: string): boolean {
  return existsSync(join(home, 'trust', digest));
}
