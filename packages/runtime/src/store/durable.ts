/**
 * Every durable file operation of the store.
 *
 * 1. Files are 0600, folders 0700, whatever the umask.
 * 2. A name is durable when its folder was synced after it appeared.
 * 3. Nothing here follows a symbolic link as its last component when it creates or removes.
 */
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  fdatasync,
  fsync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { type Code, Failure } from '@ramet/core';

import { makeRemovable } from './removable.ts';

const fsyncAsync = promisify(fsync);
const fdatasyncAsync = promisify(fdatasync);

export const FILE_MODE = 0o600;
export const SEALED_MODE = 0o400;
export const FOLDER_MODE = 0o700;

/** Makes a folder and those above it, 0700; one that is there already is left as it is. */
export function makeFolder(path: string): void {
  onDisk(`cannot make the folder ${path}`, () => mkdirSync(path, { recursive: true, mode: FOLDER_MODE }));
}

/** Creates a new file for appending; fails when it exists. */
export function createFile(path: string): number {
  const flags = constants.O_CREAT | constants.O_EXCL | constants.O_APPEND | constants.O_RDWR | constants.O_NOFOLLOW;
  return onDisk(`cannot create ${path}`, () => {
    const fd = openSync(path, flags, FILE_MODE);
    fchmodSync(fd, FILE_MODE);
    return fd;
  });
}

/** Opens an existing file for appending. */
export function openForAppend(path: string): number {
  return onDisk(`cannot open ${path}`, () =>
    openSync(path, constants.O_APPEND | constants.O_RDWR | constants.O_NOFOLLOW),
  );
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
  await fdatasyncAsync(fd);
}

/** Makes the names in a folder durable. */
export async function syncFolder(path: string): Promise<void> {
  const fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await fsyncAsync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Puts a whole file in place of another (or of none) at once; `sync` makes it durable before its name changes. */
export function replaceFile(path: string, bytes: Uint8Array, options: { mode?: number; sync: boolean }): void {
  const temporary = `${path}.${process.pid}.tmp`;
  onDisk(`cannot write ${path}`, () => {
    rmSync(temporary, { force: true });
    const fd = createFile(temporary);
    try {
      writeAll(fd, bytes);
      if (options.mode !== undefined) fchmodSync(fd, options.mode);
      if (options.sync) fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, path);
    if (options.sync) syncFolderNow(dirname(path));
  });
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

/** Removes a file or a folder with all in it; nothing when there is none. Links are removed, not followed. */
export function removeTree(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch (error) {
    if (codeOf(error) !== 'EACCES') throw diskFailure(`cannot remove ${path}`, error);
    makeRemovable(path);
    onDisk(`cannot remove ${path}`, () => rmSync(path, { recursive: true, force: true }));
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

function syncFolderNow(path: string): void {
  const fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
