/**
 * Builds a run beside the others and puts it among them with one rename.
 *
 * 1. What is staged holds its own lock from the first moment: whoever can take it may sweep the rest of a crash. A folder
 *    without a lock file is swept only while it is empty: its maker comes back and makes it again.
 * 2. The rename into `runs/` comes after everything in the folder is durable; it is the commit point.
 * 3. A failure removes all of it, also one after the rename.
 * 4. The lock is released when the rename is durable: nobody appends to a run that may still vanish.
 */
import { lstatSync, renameSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { type EventDraft, Failure, type LoggedEvent, parseRunId, type RunId } from '@ramet/core';
import { bury } from './burial.ts';
import { diskFailure, listNames, makeFolder, makeNewFolder, onDisk, pause, removeTree, syncFolder } from './durable.ts';
import { type RunPaths, runPathsOf, type StateLayout } from './layout.ts';
import { type HeldLock, isHeldExclusively, tryAcquireLock } from './lock.ts';
import { type Adopted, adoptPrefix, type PrefixSource } from './prefix.ts';
import { openStagedLog, type StagedLog } from './staged-log.ts';
import type { StagedRun } from './types.ts';

/**
 * Removes what crashed forks, imports and removals left; what a living process works on is locked and stays. Returns how
 * many folders stay, also those that could not be removed now.
 */
export function sweepStaging(layout: StateLayout): number {
  return listNames(layout.staging).filter((name) => !isSwept(layout, name)).length;
}

/**
 * What is to be called whenever a run is about to be staged: sweeps, but after a sweep that left some folders only when as
 * many runs were staged since: what many at once look at grows with their number, not with its square.
 */
export function makeStagingSweeper(layout: StateLayout): () => void {
  let skips = 0;
  return () => {
    if (skips > 0) skips -= 1;
    else skips = sweepStaging(layout);
  };
}

function isSwept(layout: StateLayout, name: string): boolean {
  try {
    return sweepEntry(layout, name);
  } catch {
    // Another sweep may be at it too, and what cannot be removed now is not needed by anyone.
    return false;
  }
}

function sweepEntry(layout: StateLayout, name: string): boolean {
  const folder = join(layout.staging, name);
  if (parseRunId(name) === null || !lstatSync(folder).isDirectory()) {
    removeTree(folder);
    return true;
  }
  const lock = tryAcquireLock(join(folder, 'lock'), 'exclusive', { create: false });
  if (lock === 'held') return false;
  if (lock === 'missing') {
    rmdirSync(folder);
    return true;
  }
  bury(layout, folder);
  lock.release();
  return true;
}

/** Whether a living process is building this run. */
export function isBeingStaged(layout: StateLayout, id: RunId): boolean {
  return isHeldExclusively(runPathsOf(layout.staging, id).lock);
}

/** Begins a run in the staging folder; throws `owned_elsewhere` while another process builds it. */
export function stageRun(
  layout: StateLayout,
  id: RunId,
  options: { readonly now: () => number; readonly prefix?: PrefixSource; readonly onPlaced?: () => void },
): StagedRun {
  const paths = runPathsOf(layout.staging, id);
  const lock = lockStaging(layout, id, paths);
  try {
    makeNewFolder(paths.log);
    const { prefix, now, onPlaced } = options;
    const adopted = prefix === undefined ? null : { ...adoptPrefix(prefix, paths), blobs: prefix.blobs };
    const log = openStagedLog({ paths, adopted, now });
    return new FileStagedRun({
      layout,
      id,
      paths,
      lock,
      adopted,
      log,
      ...(onPlaced === undefined ? {} : { onPlaced }),
    });
  } catch (error) {
    bury(layout, paths.folder);
    lock.release();
    throw error;
  }
}

interface Staged {
  readonly layout: StateLayout;
  readonly id: RunId;
  readonly paths: RunPaths;
  readonly lock: HeldLock;
  readonly adopted: Adopted | null;
  readonly log: StagedLog;
  /** The run is in place, its name durable and its lock released. */
  readonly onPlaced?: () => void;
}

class FileStagedRun implements StagedRun {
  readonly id: RunId;
  readonly missingPayloads: readonly string[];
  readonly #staged: Staged;
  #open = true;

  constructor(staged: Staged) {
    this.id = staged.id;
    this.missingPayloads = staged.adopted?.missingPayloads ?? [];
    this.#staged = staged;
  }

  get bytes(): { readonly own: number; readonly shared: number } {
    const { own, shared } = this.#staged.adopted?.bytes ?? { own: 0, shared: 0 };
    return { own: own + this.#staged.log.ownBytes, shared };
  }

  append(drafts: readonly EventDraft[]): readonly LoggedEvent[] {
    return this.#staged.log.append(drafts);
  }

  async commit(beforeRename?: () => void): Promise<void> {
    const { layout, id, paths, log, onPlaced } = this.#staged;
    const target = join(layout.runs, id);
    let renamed = false;
    try {
      await this.#sync();
      beforeRename?.();
      log.index();
      onDisk(`cannot put ${target} in place`, () => renameSync(paths.folder, target));
      renamed = true;
      await syncFolder(layout.runs);
    } catch (error) {
      this.#remove(renamed ? target : paths.folder);
      throw error;
    }
    this.#settle();
    onPlaced?.();
  }

  discard(): void {
    if (this.#open) this.#remove(this.#staged.paths.folder);
  }

  async #sync(): Promise<void> {
    try {
      await this.#staged.log.sync();
    } catch (error) {
      throw diskFailure(`cannot make the log of ${this.id} durable`, error);
    }
  }

  #remove(folder: string): void {
    try {
      bury(this.#staged.layout, folder);
    } finally {
      this.#settle();
    }
  }

  #settle(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#staged.log.close();
    this.#staged.lock.release();
  }
}

/** How often a staging folder is tried: sweeps and probes hold its lock for a moment. */
const ATTEMPTS = 20;
const PAUSE_MS = 5;

/** What a dead process left under this id is removed first. */
function lockStaging(layout: StateLayout, id: RunId, paths: RunPaths): HeldLock {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    makeFolder(layout.staging);
    const fresh = makeNewFolder(paths.folder);
    const lock = tryAcquireLock(paths.lock, 'exclusive');
    if (lock === 'missing') continue;
    if (lock === 'held') {
      pause(PAUSE_MS);
      continue;
    }
    if (fresh || listNames(paths.folder).length <= 1) return lock;
    bury(layout, paths.folder);
    lock.release();
  }
  throw new Failure('owned_elsewhere', `${id} is being built by another process; wait for it, then try again`, {
    data: { id },
  });
}
