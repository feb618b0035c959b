/** Paths as bytes: a name need not be UTF-8. Relative paths use `/` and have no trailing one. */

/** An absolute path from a folder's path and a relative one. */
export function under(root: string, path: Buffer): Buffer {
  return path.length === 0 ? Buffer.from(root) : Buffer.concat([Buffer.from(`${root}/`), path]);
}

/** A relative path from a relative folder ('' is the top) and a name in it. */
export function child(folder: Buffer, name: Buffer): Buffer {
  return folder.length === 0 ? name : Buffer.concat([folder, SLASH, name]);
}

/** The parent of a relative path; empty at the top. */
export function parent(path: Buffer): Buffer {
  const slash = path.lastIndexOf(0x2f);
  return slash < 0 ? Buffer.alloc(0) : path.subarray(0, slash);
}

/** A path without the slash git writes after a folder's name. */
export function withoutSlash(path: Buffer): Buffer {
  return path.at(-1) === 0x2f ? path.subarray(0, -1) : path;
}

/** Equal bytes, equal key; for maps and sets. */
export function keyOf(path: Buffer): string {
  return path.toString('latin1');
}

const SLASH = Buffer.from('/');
