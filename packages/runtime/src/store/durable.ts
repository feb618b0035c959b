/**
 * Every durable file operation of the store.
 *
 * 1. Files are 0600, folders 0700, whatever the umask.
 * 2. A name is durable when its folder was synced after it appeared.
 * 3. Nothing here follows a symbolic link as its last component when it creates or removes.
 */
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fchmodSync,
  fdatasync,
  fsync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Code, Failure } from '@ramet/core/codes';

import { makeRemovable } from './removable.ts';

export const FILE_MODE = 0o600;
export const SEALED_MODE = 0o400;
const FOLDER_MODE = 0o700;

/** Makes a folder and those above it, 0700; one that is there already is left as it is. Returns the first it made. */
export function makeFolder(path: string): string | undefined {
  const missing = listMissing(path);
  if (missing.length === 0) makeOneFolder(path);
  // Not `recursive`: where a folder exists and still takes none (`/proc`), Node's own would try for ever.
  for (const folder of missing.toReversed()) makeOneFolder(folder);
  return missing.at(-1);
}

/** `path` and the folders above it that are not there, from the innermost out. */
function listMissing(path: string): readonly string[] {
  const missing: string[] = [];
  for (let folder = resolve(path); !existsSync(folder); folder = dirname(folder)) missing.push(folder);
  return missing;
}

/** Another process may make it first. */
function makeOneFolder(path: string): void {
  onDisk(`cannot make the folder ${path}`, () => {
    try {
      mkdirSync(path, { mode: FOLDER_MODE });
    } catch (error) {
      if (codeOf(error) !== 'EEXIST' || !statSync(path).isDirectory()) throw error;
    }
  });
}

/** Makes a folder as `makeFolder` does, and makes the names that were missing durable. */
export function makeDurableFolder(path: string): void {
  const first = makeFolder(path);
  if (first === undefined) return;
  for (let folder = path; folder.length >= first.length; folder = dirname(folder)) syncFolderNow(dirname(folder));
}

/** Makes one folder whose parent is there; false when it was there already. */
export function makeNewFolder(path: string): boolean {
  return onDisk(`cannot make the folder ${path}`, () => {
    try {
      mkdirSync(path, { mode: FOLDER_MODE });
      return true;
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
      throw error;
    }
  });
}

/** Creates a new file for appending; fails when it exists. */
export function createFile(path: string): number {
  const flags = constants.O_CREAT | constants.O_EXCL | constants.O_APPEND | constants.O_RDWR | constants.O_NOFOLLOW;
  return onDisk(`cannot create ${path}`, () => {
    const fd = openSync(path, flags, FILE_MODE);
    try {
      fchmodSync(fd, FILE_MODE);
      return fd;
    } catch (error) {
      closeSync(fd);
      rmSync(path, { force: true });
      throw error;
    }
  });
}

/** Opens an existing file for appending. */
export function openForAppend(path: string): number {
  return onDisk(`cannot open ${path}`, () =>
    openSync(path, constants.O_APPEND | constants.O_RDWR | constants.O_NOFOLLOW),
  );
}

/** Opens an existing file for writing in its middle. */
export function openForRepair(path: string): number {
  return onDisk(`cannot open ${path}`, () => openSync(path, constants.O_RDWR | constants.O_NOFOLLOW));
}

/** Writes all bytes, at a position or at the end. */
export function writeAll(fd: number, bytes: Uint8Array, position: number | null = null): void {
  let done = 0;
  while (done < bytes.length) {
    done += writeSync(fd, bytes, done, bytes.length - done, position === null ? null : position + done);
  }
}

/** Makes a file's bytes durable. */
export async function syncFile(fd: number): Promise<void> {
  await completed((done) => fdatasync(fd, done));
}

/** Makes a file's bytes and its mode durable. */
export async function syncFileAndMode(fd: number): Promise<void> {
  await completed((done) => fsync(fd, done));
}

/** Makes what was written to a file by anyone durable, without writing to it. */
export async function syncPath(path: string): Promise<void> {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    await completed((done) => fdatasync(fd, done));
  } finally {
    closeSync(fd);
  }
}

/** Makes the names in a folder durable. */
export async function syncFolder(path: string): Promise<void> {
  const fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await completed((done) => fsync(fd, done));
  } finally {
    closeSync(fd);
  }
}

/** Names that end so are files being written; whoever owns their folder may remove them. */
export const TEMPORARY = '.tmp';

/** Puts a whole file in place of another (or of none) at once; `sync` makes it durable before its name changes. */
export function replaceFile(path: string, bytes: Uint8Array, options: { mode?: number; sync: boolean }): void {
  const temporary = `${path}.${randomUUID()}${TEMPORARY}`;
  onDisk(`cannot write ${path}`, () => {
    try {
      writeNewFile(temporary, bytes, options);
      renameSync(temporary, path);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    }
    if (options.sync) syncFolderNow(dirname(path));
  });
}

/** Writes a file that must not be there yet. */
export function writeNewFile(path: string, bytes: Uint8Array, options: { mode?: number; sync: boolean }): void {
  const fd = createFile(path);
  try {
    writeAll(fd, bytes);
    if (options.mode !== undefined) fchmodSync(fd, options.mode);
    if (options.sync) fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Moves a file or a folder within its file system; durable once the folders it left and reached are synced. */
export function moveEntry(from: string, to: string): void {
  onDisk(`cannot move ${from} to ${to}`, () => renameSync(from, to));
}

/** Gives a name to a file that has one already; false when the new name is taken. */
export function linkNew(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw diskFailure(`cannot link ${to}`, error);
  }
}

/** Removes what interrupted writes left in a folder that nobody else writes to. */
export function sweepTemporaries(folder: string): void {
  for (const name of listNames(folder)) if (name.endsWith(TEMPORARY)) rmSync(join(folder, name), { force: true });
}

/** The names in a folder; none when it is not there. */
export function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw diskFailure(`cannot read the folder ${folder}`, error);
  }
}

/** Links a file, or copies it where links cannot go (another file system, too many links). */
export function linkOrCopy(from: string, to: string): 'linked' | 'copied' {
  try {
    linkSync(from, to);
    return 'linked';
  } catch (error) {
    if (!['EXDEV', 'EMLINK', 'EPERM', 'ENOTSUP'].includes(codeOf(error)))
      throw diskFailure(`cannot link ${from}`, error);
  }
  return copyDurably(from, to);
}

/** Links a file if that is possible; for what can be made again. */
export function linkIfThere(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch {
    return false;
  }
}

/** Copies a file that is never written again. */
export function copyDurably(from: string, to: string): 'copied' {
  onDisk(`cannot copy ${from}`, () => {
    copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    chmodSync(to, SEALED_MODE);
    const fd = openSync(to, constants.O_RDONLY);
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  });
  return 'copied';
}

/** How often a removal starts again when another process removes or adds at the same time. */
const REMOVALS = 5;

/** Removes a file or a folder with all in it; nothing when there is none. Links are removed, not followed. */
export function removeTree(path: string): void {
  for (let left = REMOVALS; ; left -= 1) {
    try {
      rmSync(path, { recursive: true, force: true });
      return;
    } catch (error) {
      const code = codeOf(error);
      if (left === 0 || !['EACCES', 'EPERM', 'ENOENT', 'ENOTEMPTY'].includes(code))
        throw diskFailure(`cannot remove ${path}`, error);
      if (code === 'EACCES' || code === 'EPERM') makeRemovable(path);
    }
  }
}

/** Runs disk work and turns what it throws into a failure with the reason. */
export function onDisk<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof Failure ? error : diskFailure(what, error);
  }
}

/** The failure for an error of the file system: what was tried, the reason, and what to do. */
export function diskFailure(what: string, error: unknown, code: Code = 'disk_failed'): Failure {
  const reason = codeOf(error);
  const advice = ADVICE[reason];
  const message = `${what}: ${reason || String(error)}${advice === undefined ? '' : `; ${advice}`}`;
  return new Failure(code, message, { data: { reason }, cause: error });
}

/** Waits without giving way to other work of this process. */
export function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

/** The `code` of a system error, or ''. */
export function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null ? String((error as { code?: unknown }).code ?? '') : '';
}

const ADVICE: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full: free some space and try again',
  EDQUOT: 'the disk quota is used up: free some space and try again',
  EROFS: 'the file system is read-only: set RAMET_HOME to a folder you can write',
  EACCES: 'no permission: set RAMET_HOME to a folder you own',
  EMFILE: 'too many open files: raise the limit (ulimit -n)',
};

function completed(start: (done: (error: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => start((error) => (error === null ? resolve() : reject(error))));
}

/** Makes the names in a folder durable, at once. */
export function syncFolderNow(path: string): void {
  const fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
