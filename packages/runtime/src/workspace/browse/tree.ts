/**
 * Entries of trees in a project's store, found by name, one tree after the other.
 *
 * 1. Names are compared as bytes and handed to no command: only object ids are. A link is an entry like any other; what it
 *    names is never looked up.
 */
import type { BytePath } from '../checkpoint/index.ts';
import { git, splitNul } from '../git/index.ts';

export interface TreeEntry {
  readonly name: BytePath;
  /** Git's: 040000, 100644, 100755, 120000, 160000. */
  readonly mode: string;
  readonly oid: string;
  /** Null for a folder. */
  readonly bytes: number | null;
}

/** Lists one tree, in git's order. */
export async function listTree(gitDir: string, tree: string): Promise<readonly TreeEntry[]> {
  const { stdout } = await git({ gitDir, args: ['ls-tree', '-l', '-z', '--full-tree', tree] });
  return splitNul(stdout).map((line) => parseEntry(line.toString('latin1')));
}

/** Finds what a path leads to, from a tree on; null when there is nothing of that name, or something on the way is no folder. */
export async function findEntry(gitDir: string, tree: string, path: readonly BytePath[]): Promise<TreeEntry | null> {
  let found: TreeEntry = { name: '', mode: '040000', oid: tree, bytes: null };
  for (const name of path) {
    if (!isFolder(found)) return null;
    const next = (await listTree(gitDir, found.oid)).find((entry) => entry.name === name);
    if (next === undefined) return null;
    found = next;
  }
  return found;
}

/** Whether an entry is a folder. */
export function isFolder({ mode }: TreeEntry): boolean {
  return mode === '040000';
}

function parseEntry(line: string): TreeEntry {
  const tab = line.indexOf('\t');
  const [mode = '', , oid = '', size = ''] = line.slice(0, tab).split(/ +/);
  return { name: line.slice(tab + 1), mode, oid, bytes: size === '-' ? null : Number(size) };
}
