/**
 * The folder of a `directory` workspace: the person's own, so whatever git of theirs reads there must not be the agent's
 * to write.
 */
import { lstatSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Refusal, refuse } from '@ramet/core';
import { acquireLock, type HeldLock, makeFolder, sha256 } from '../../store/index.ts';

/** Holds a folder for one run at a time; the kernel lets go of it at any death. */
export async function lockDirectory(home: string, path: string): Promise<HeldLock | Refusal> {
  const folder = join(home, 'directories');
  makeFolder(folder);
  const lock = await acquireLock(join(folder, sha256(path)), 'exclusive');
  return (
    lock ??
    refuse('directory_in_use', `another session works in ${path} right now; one folder holds one at a time`, { path })
  );
}

/**
 * Paths of the folder's git directory that the agent may not change, there or not. A missing config is made, empty: what
 * is not there cannot be kept from being written.
 */
export function freezeGit(path: string): readonly string[] {
  const git = join(path, '.git');
  if (isFolder(git) && !isThere(join(git, 'config'))) {
    writeFileSync(join(git, 'config'), '', { flag: 'wx', mode: 0o644 });
  }
  if (!isThere(git)) return [];
  const worktree = isThere(join(git, 'config.worktree')) ? ['config.worktree'] : [];
  return ['hooks', 'config', ...worktree].map((name) => join('.git', name));
}

/** With a `.git/commondir` git reads config and hooks elsewhere, where they cannot be frozen. */
export function hasRedirection(path: string): boolean {
  return isFolder(join(path, '.git')) && isThere(join(path, '.git', 'commondir'));
}

/** Removes a redirection: no session begins in a folder with one, so the agent made it. */
export function removeRedirection(path: string): void {
  if (hasRedirection(path)) unlinkSync(join(path, '.git', 'commondir'));
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
