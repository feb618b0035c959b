/**
 * Mount points in folders that an agent writes: made by us, never through its links.
 *
 * bubblewrap makes missing mount points itself and follows links while it does, still with a view of the host's whole
 * file system: a link put in the way would let it make folders anywhere. So each component is checked and made here,
 * while no process of the run lives, and empty folders we made are taken away afterwards.
 */
import { lstatSync, mkdirSync, rmdirSync, unlinkSync } from 'node:fs';
import { join, sep } from 'node:path';
import { Failure } from '@ramet/core/codes';
import type { Bind } from './bubblewrap-arguments.ts';
import { isWithin } from './toolchains.ts';

/**
 * Makes the folders below a writable mount that read-only mounts need; returns those made, deepest last. What stands in
 * the way is removed (`replace`, for a scratch folder), or is a `Failure('process_failed')`: a workspace loses nothing.
 */
export function makeMountPoints(mount: Bind, targets: readonly string[], way: 'replace' | 'fail'): string[] {
  const made: string[] = [];
  for (const target of targets.filter((path) => path !== mount.target && isWithin(path, mount.target))) {
    let folder = mount.source;
    for (const name of target.slice(mount.target.length).split(sep).filter(Boolean)) {
      folder = join(folder, name);
      const stat = lstatSync(folder, { throwIfNoEntry: false });
      if (stat?.isDirectory()) continue;
      if (stat !== undefined) {
        if (way === 'fail') throw makeInTheWayFailure(target, folder);
        unlinkSync(folder);
      }
      mkdirSync(folder, { mode: 0o700 });
      made.push(folder);
    }
  }
  return made;
}

/** Takes away the folders made for mounts, as far as they are still empty. */
export function removeMountPoints(made: readonly string[]): void {
  for (const folder of made.toReversed()) {
    try {
      rmdirSync(folder);
    } catch {
      // A command left something there: it is the command's now.
    }
  }
}

export interface FrozenMounts {
  /** Folders above a frozen path, mounted onto themselves: a mount point cannot be renamed away. */
  readonly pinned: readonly Bind[];
  readonly frozen: readonly Bind[];
}

/**
 * Mounts for paths the agent may not change. A path that is missing while the folder above it is there is made, as an
 * empty folder, so that it cannot be made by the agent; one whose folder is missing is left alone. Throws `Failure('process_failed')`
 * where a link stands in the way.
 */
export function makeFrozenMounts(workspace: Bind, paths: readonly string[]): FrozenMounts {
  const pinned = new Map<string, Bind>();
  const frozen: Bind[] = [];
  for (const path of paths) {
    const above: Bind[] = [];
    let source = workspace.source;
    let target = workspace.target;
    const names = path.split(sep).filter(Boolean);
    for (const [index, name] of names.entries()) {
      source = join(source, name);
      target = join(target, name);
      const isLast = index === names.length - 1;
      let stat = lstatSync(source, { throwIfNoEntry: false });
      if (stat === undefined && !isLast) break;
      if (stat === undefined) mkdirSync(source, { mode: 0o700 });
      stat ??= lstatSync(source);
      if (stat.isSymbolicLink()) throw makeFrozenFailure(path, source);
      // The `.git` of a linked worktree is a file: what it names must not change either.
      const isEnd = isLast || !stat.isDirectory();
      (isEnd ? frozen : above).push({ source, target });
      if (isEnd) break;
    }
    for (const bind of above) pinned.set(bind.target, bind);
  }
  return { pinned: [...pinned.values()], frozen };
}

function makeInTheWayFailure(target: string, found: string): Failure {
  return new Failure(
    'process_failed',
    `Could not show ${JSON.stringify(target)} to commands: ${JSON.stringify(found)} is in the way. Rename it, or move the state folder (RAMET_HOME) out of ${JSON.stringify(`/${target.split(sep)[1]}`)}.`,
    { data: { target, found } },
  );
}

function makeFrozenFailure(path: string, found: string): Failure {
  return new Failure(
    'process_failed',
    `Could not protect ${JSON.stringify(path)}: ${JSON.stringify(found)} is a symbolic link. Replace it by what it leads to, then try again.`,
    { data: { path } },
  );
}
