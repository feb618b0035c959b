/**
 * Populates submodules from the person's checkout of them.
 *
 * Each becomes a repository of its own with a real `.git` folder, borrowing from the same `base.git`, at the commit
 * its parent names, detached, as `git submodule update` would leave it; with `allowDirty` as the person has it. One
 * the person has not checked out, or whose commit is not there, stays an empty folder and is named in `leftOut`.
 */
import { lstat, mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure, isRefusal, type Refusal } from '@ramet/core/codes';
import { git, renderName } from '../git/index.ts';
import { findRepository, type Repository } from '../project/index.ts';
import type { LeftOut } from '../types.ts';
import { type BuildRequest, type Built, buildRepository } from './build.ts';
import type { IndexEntry } from './index-entries.ts';
import type { BuiltRepository } from './types.ts';

const DEEPEST = 16;

/** Builds the submodules of a built repository, and theirs; returns the whole with their paths prefixed. */
export async function buildSubmodules(
  parent: BuildRequest,
  built: Built,
  depth = 0,
): Promise<BuiltRepository | Refusal> {
  let { carried, copied, leftOut } = built.result;
  for (const [position, link] of built.gitlinks.entries()) {
    const name = renderName(link.path);
    const request = depth < DEEPEST ? await planSubmodule(parent, link, position) : null;
    if (request === null) {
      leftOut = [...leftOut, { path: name, reason: 'not_supported' } satisfies LeftOut];
      continue;
    }
    const inner = await buildRepository(request);
    if (isRefusal(inner)) return inner;
    const whole = await buildSubmodules(request, inner, depth + 1);
    if (isRefusal(whole)) return whole;
    carried = [...carried, ...whole.carried.map((folder) => ({ ...folder, path: `${name}/${folder.path}` }))];
    copied = [...copied, ...whole.copied.map((path) => `${name}/${path}`)];
    leftOut = [...leftOut, ...whole.leftOut.map((entry) => ({ ...entry, path: `${name}/${entry.path}` }))];
  }
  return { ...built.result, carried, copied, leftOut };
}

async function planSubmodule(parent: BuildRequest, link: IndexEntry, position: number): Promise<BuildRequest | null> {
  const name = link.path.toString();
  // The rest of the code names folders by text; a submodule at a path that is not UTF-8 is left empty.
  if (!Buffer.from(name).equals(link.path)) return null;
  const path = join(parent.path, name);
  if (!(await makePlace(path))) return null;
  const repository = await findSubmodule(join(parent.repository.checkout, name));
  if (repository === null || repository.objectFormat !== parent.repository.objectFormat) return null;
  if (!(await holdsCommit(repository, link.id))) return null;
  const pinned = parent.allowDirty ? null : link.id;
  return { ...parent, repository, path, scratch: `${parent.scratch}-${position}`, pinned };
}

/** Makes the submodule's folder; false where something else is in its place (a dirty checkout may have a file there). */
async function makePlace(path: string): Promise<boolean> {
  await mkdir(path, { recursive: true, mode: 0o700 }).catch(() => undefined);
  return (await lstat(path).catch(() => null))?.isDirectory() ?? false;
}

async function findSubmodule(folder: string): Promise<Repository | null> {
  const real = await realpath(folder).catch(() => null);
  if (real === null || real !== folder) return null;
  const found = await findRepository(folder);
  // An empty folder belongs to the repository around it.
  return found === null || isRefusal(found) || found.checkout !== folder ? null : found;
}

async function holdsCommit(repository: Repository, id: string): Promise<boolean> {
  try {
    await git({ gitDir: repository.gitDir, args: ['cat-file', '-e', `${id}^{commit}`] });
    return true;
  } catch (error) {
    if (error instanceof Failure && error.code === 'git_failed') return false;
    throw error;
  }
}
