import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { type Refusal, refuse } from '@ramet/core';

/** Refuses a folder to work for that is none: a request comes from no folder of its own that a relative one could start in. */
export function refuseFolder(cwd: string): Refusal | null {
  const named = JSON.stringify(cwd);
  if (!isAbsolute(cwd)) return refuse('bad_usage', `cwd: expected an absolute path, found ${named}`, { cwd });
  const isFolder = statSync(cwd, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder ? null : refuse('bad_usage', `cwd: there is no folder ${named}`, { cwd });
}
