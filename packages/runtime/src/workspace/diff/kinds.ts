/** What the agent's git makes of a checkpoint's files: tracked, untracked, ignored, or part of a repository inside. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type IgnoreFile, isIgnoreFile, makeIgnoreRules } from '../checkpoint/folder/ignored.ts';
import { nestedRepositoryOf } from '../checkpoint/folder/names.ts';
import type { BytePath, CheckpointContents } from '../checkpoint/index.ts';
import { readObjectFormat } from '../checkpoint/objects/format.ts';
import { readObjects } from '../checkpoint/objects/read.ts';
import type { Project } from '../types.ts';
import type { Scratch } from './scratch.ts';
import { readStoredIndex, type StoredIndex } from './stored-index.ts';

/** `nested`: a file of a repository inside the workspace (a submodule, a clone), whose history is its own. */
export type FileKind = 'tracked' | 'untracked' | 'ignored' | 'nested';

/** A checkpoint's files, ready to be told apart. */
export interface KindSource {
  readonly contents: CheckpointContents;
  readonly index: StoredIndex | null;
  findKinds(paths: readonly BytePath[]): Promise<ReadonlyMap<BytePath, FileKind>>;
}

/** Reads what tells a checkpoint's files apart. */
export async function readKindSource(
  project: Project,
  contents: CheckpointContents,
  scratch: Scratch,
): Promise<KindSource> {
  const index = await readStoredIndex(project, contents);
  const roots = findNestedRoots(contents, index);
  const findKinds = async (paths: readonly BytePath[]) => {
    const kinds = new Map<BytePath, FileKind>();
    const open: BytePath[] = [];
    for (const path of paths) {
      if (isBelow(path, roots)) kinds.set(path, 'nested');
      else if (index?.tracked.has(path)) kinds.set(path, 'tracked');
      else open.push(path);
    }
    const ignored = await findIgnored(project, contents, { scratch, paths: open });
    for (const path of open) kinds.set(path, ignored.has(path) ? 'ignored' : 'untracked');
    return kinds;
  };
  return { contents, index, findKinds };
}

/** Folders with a `.git` of their own, and links the index names. */
function findNestedRoots(contents: CheckpointContents, index: StoredIndex | null): ReadonlySet<BytePath> {
  const roots = new Set<BytePath>(index?.links.keys());
  for (const { path } of contents.entries) {
    const nested = nestedRepositoryOf(path);
    if (nested !== null && nested !== '') roots.add(nested);
  }
  return roots;
}

function isBelow(path: BytePath, roots: ReadonlySet<BytePath>): boolean {
  for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
    if (roots.has(path.slice(0, slash))) return true;
  }
  return false;
}

async function findIgnored(
  project: Project,
  contents: CheckpointContents,
  { scratch, paths }: { readonly scratch: Scratch; readonly paths: readonly BytePath[] },
): Promise<ReadonlySet<BytePath>> {
  if (paths.length === 0) return new Set();
  const files = contents.entries.filter(({ path, mode }) => isIgnoreFile(path) && mode !== '120000');
  const texts = await readObjects(project.storeGit, [...new Set(files.map((file) => file.oid))]);
  const rules = files.map(
    ({ path, oid }): IgnoreFile => ({ path, oid, read: () => texts.get(oid) ?? Buffer.alloc(0) }),
  );
  const folder = join(scratch.folder, 'rules');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return makeIgnoreRules(folder, await readObjectFormat(project.storeGit), rules).findIgnored(paths);
}
