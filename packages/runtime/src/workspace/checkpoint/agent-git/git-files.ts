/** The files of the agent's git directory, read as bytes. No link is followed at any component, no git is run. */
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, readlinkSync } from 'node:fs';
import { type BytePath, folderOf, locate } from '../folder/names.ts';

/** Larger files in a git directory are no text git wrote. */
const TEXT_LIMIT_BYTES = 16 * 1024 * 1024;

/** Whether the workspace's `.git` is a folder, something else, or not there. */
export function lookAtGitFolder(root: string): 'folder' | 'other' | 'absent' {
  const stats = lstatSync(`${root}/.git`, { throwIfNoEntry: false });
  if (stats === undefined) return 'absent';
  return stats.isDirectory() ? 'folder' : 'other';
}

/** Whether a path and every folder above it below the root are folders, none of them a link. */
export function isRealFolder(root: string, path: BytePath): boolean {
  if (path === '') return true;
  if (!isRealFolder(root, folderOf(path))) return false;
  try {
    return lstatSync(locate(root, path)).isDirectory();
  } catch {
    return false;
  }
}

/** The bytes of a regular file and its lstat; null where there is none of at most `limitBytes`. */
export function readRegularFile(
  root: string,
  path: BytePath,
  limitBytes: number = TEXT_LIMIT_BYTES,
): { bytes: Buffer; mtimeMs: number } | null {
  if (!isRealFolder(root, folderOf(path))) return null;
  let file: number;
  try {
    file = openSync(locate(root, path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return null;
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile() || stats.size > limitBytes) return null;
    return { bytes: readFileSync(file), mtimeMs: stats.mtimeMs };
  } finally {
    closeSync(file);
  }
}

/** A small file as text, one character a byte; null where there is none. */
export function readText(root: string, path: BytePath): string | null {
  return readRegularFile(root, path)?.bytes.toString('latin1') ?? null;
}

/** A link's text, one character a byte; null where there is no link. */
export function readLinkText(root: string, path: BytePath): string | null {
  if (!isRealFolder(root, folderOf(path))) return null;
  try {
    return readlinkSync(locate(root, path), 'buffer').toString('latin1');
  } catch {
    return null;
  }
}
