import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { type Refusal, refuse } from '@ramet/core';

/**
 * Refuses a folder that is none: a request comes from no folder of its own that a relative one could start in. `name` is what
 * the request calls it.
 */
export function refuseFolder(path: string, name = 'cwd'): Refusal | null {
  const named = JSON.stringify(path);
  if (!isAbsolute(path))
    return refuse('bad_usage', `${name}: expected an absolute path, found ${named}`, { [name]: path });
  return isFolder(path) ? null : refuse('bad_usage', `${name}: there is no folder ${named}`, { [name]: path });
}

/** One that cannot be looked at, and a name no system has, are none to work in. */
function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}
