/**
 * Finds what an agent would put into a bare repository in the person's checkout: git run in such a folder takes it for a
 * repository, and obeys its config and hooks.
 */
import { type BytePath, folderOf } from '../checkpoint/folder/names.ts';
import type { MergedChange } from './merge.ts';
import { readSeen } from './overlap.ts';

/** The folders that something is written in or below and that git would then take for a bare repository. */
export function findBareRepositories(checkout: string, changes: readonly MergedChange[]): BytePath[] {
  const removed = new Set(changes.filter(({ newMode }) => newMode === null).map(({ path }) => path));
  const made = new Set<BytePath>();
  for (const { path, newMode } of changes) {
    if (newMode === null) continue;
    for (let at = path; at !== '' && !made.has(at); at = folderOf(at)) made.add(at);
  }
  const isThere = (path: BytePath) => made.has(path) || (!removed.has(path) && readSeen(checkout, path) !== null);
  // At the top git finds `.git` first.
  return [...made].filter((folder) => looksBare(folder, isThere)).sort();
}

/** As git's `is_git_directory`, but whatever has one of the names counts: a link to a folder does for git, too. */
function looksBare(folder: BytePath, isThere: (path: BytePath) => boolean): boolean {
  const has = (name: string) => isThere(`${folder}/${name}`);
  return has('HEAD') && (has('commondir') || (has('objects') && has('refs')));
}
