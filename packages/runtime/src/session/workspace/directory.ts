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
  if (isFolder(git) && lstatSync(join(git, 'config'), { throwIfNoEntry: false }) === undefined) {
    writeFileSync(join(git, 'config'), '', { flag: 'wx', mode: 0o644 });
  }
  const always = ['hooks', 'config'];
  const present = ['config.worktree', 'commondir'].filter((name) => isThere(join(git, name)));
  return isThere(git) ? [...always, ...present].map((name) => join('.git', name)) : [];
}

/**
 * Removes `.git/commondir` where the agent made one: with it git reads config and hooks from a folder of the agent's
 * choice. In the git directory of a main checkout, which this is, nobody else makes one.
 */
export function removeRedirection(path: string, frozen: readonly string[]): void {
  const redirection = join('.git', 'commondir');
  if (frozen.includes(redirection) || !isFolder(join(path, '.git')) || !isThere(join(path, redirection))) return;
  unlinkSync(join(path, redirection));
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
