/**
 * Entries of a folder a process may be changing at this moment (the workspace of a parent that runs).
 *
 * 1. The folder an entry lies in is opened and looked at; from then on it is named by its descriptor, so no name above
 *    the entry can be made to mean another place. A file is opened without following a link, and without waiting.
 * 2. What leads out of the source is as good as gone (`ENOENT`).
 * 3. Only Linux says where a descriptor leads; elsewhere names are used, and links are still not followed as the last one.
 */
import { closeSync, constants, fstatSync, openSync, readlinkSync, realpathSync } from 'node:fs';
import { child, parent, under } from './bytes.ts';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;
const IS_LINUX = process.platform === 'linux';

/** The bytes of a link's text. */
export function readSourceLink(root: string, path: Buffer): Buffer {
  return withFolder(root, path, (entry) => readlinkSync(entry, { encoding: 'buffer' }));
}

/** Opens a regular file; the caller closes the descriptor. Throws errors with a code, as `node:fs` does. */
export function openSourceFile(root: string, path: Buffer): number {
  const file = withFolder(root, path, (entry) => openSync(entry, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  throw gone(path);
}

/** A path that means an open file, for calls that take no descriptor; null where the system has none. */
export function pathOfOpenFile(file: number): string | null {
  return IS_LINUX ? `/proc/self/fd/${file}` : null;
}

function withFolder<T>(root: string, path: Buffer, use: (entry: Buffer) => T): T {
  if (!IS_LINUX) return use(under(root, path));
  const above = parent(path);
  const folder = openSync(under(root, above), O_RDONLY | O_DIRECTORY);
  try {
    const place = Buffer.from(`/proc/self/fd/${folder}`);
    const leadsTo = readlinkSync(place, { encoding: 'buffer' });
    const expected = realpathSync(root, { encoding: 'buffer' });
    // Equal, not just below: no name between the source's top and the entry may be a link.
    if (!leadsTo.equals(above.length === 0 ? expected : child(expected, above))) throw gone(path);
    return use(child(place, above.length === 0 ? path : path.subarray(above.length + 1)));
  } finally {
    closeSync(folder);
  }
}

function gone(path: Buffer): NodeJS.ErrnoException {
  return Object.assign(new Error(`${JSON.stringify(path.toString())} is not there any more`), { code: 'ENOENT' });
}
