/**
 * Builds a run beside the others and puts it among them with one rename.
 *
 * 1. What is staged holds its own lock from the first moment: whoever can take it may sweep the rest of a crash. A folder
 *    without a lock file is swept only while it is empty: its maker comes back and makes it again.
 * 2. The rename into `runs/` comes after everything in the folder is durable; it is the commit point.
 * 3. A failure removes all of it, also one after the rename.
 * 4. The lock is released when the rename is durable: nobody appends to a run that may still vanish.
 */
import { closeSync, lstatSync, renameSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  CHAIN_START,
  type ChainState,
  createOutliner,
  type EventDraft,
  Failure,
  type LoggedEvent,
  parseRunId,
  type RunId,
} from '@ramet/core';
import { encodeLines, linesToBytes } from './append.ts';
import { bury } from './burial.ts';
import {
  createFile,
  diskFailure,
  listNames,
  makeFolder,
  makeNewFolder,
  onDisk,
  pause,
  removeTree,
  syncFile,
  syncFolder,
  syncPath,
  writeAll,
} from './durable.ts';
import { writeIndex } from './idx.ts';
import { type RunPaths, runPathsOf, type StateLayout } from './layout.ts';
import { type HeldLock, isHeldExclusively, tryAcquireLock } from './lock.ts';
import { segmentNameOf } from './log-folder.ts';
import { syncPayloads, writePayloads } from './payload-files.ts';
import { type Adopted, adoptPrefix, type PrefixSource } from './prefix.ts';
import type { StagedRun } from './types.ts';

/** Removes what crashed forks, imports and removals left; what a living process works on is locked and stays. */
export function sweepStaging(layout: StateLayout): void {
  for (const name of listNames(layout.staging)) {
    try {
      sweepEntry(layout, name);
    } catch {
      // Another sweep may be at it too, and what cannot be removed now is not needed by anyone.
    }
  }
}

function sweepEntry(layout: StateLayout, name: string): void {
  const folder = join(layout.staging, name);
  if (parseRunId(name) === null || !lstatSync(folder).isDirectory()) {
    removeTree(folder);
    return;
  }
  const lock = tryAcquireLock(join(folder, 'lock'), 'exclusive', { create: false });
  if (lock === 'held') return;
  if (lock === 'missing') {
    rmdirSync(folder);
    return;
  }
  bury(layout, folder);
  lock.release();
}

/** Whether a living process is building this run. */
export function isBeingStaged(layout: StateLayout, id: RunId): boolean {
  return isHeldExclusively(runPathsOf(layout.staging, id).lock);
}

/** Begins a run in the staging folder; throws `owned_elsewhere` while another process builds it. */
export function stageRun(
  layout: StateLayout,
  id: RunId,
  options: { readonly now: () => number; readonly prefix?: PrefixSource },
): StagedRun {
  const paths = runPathsOf(layout.staging, id);
  const lock = lockStaging(layout, id, paths);
  try {
    makeNewFolder(paths.log);
    const adopted = options.prefix === undefined ? NOTHING : adoptPrefix(options.prefix, paths);
    return new FileStagedRun({ layout, id, paths, lock, adopted, now: options.now });
  } catch (error) {
    bury(layout, paths.folder);
    lock.release();
    throw error;
  }
}

const NOTHING: Adopted = {
  chain: CHAIN_START,
  tail: new Uint8Array(0),
  tailFirst: 0,
  get outliner() {
    return createOutliner(CHAIN_START.seq, CHAIN_START.prev);
  },
  tailFrom: null,
  bytes: { own: 0, shared: 0 },
  missingPayloads: [],
};

interface Staged {
  readonly layout: StateLayout;
  readonly id: RunId;
  readonly paths: RunPaths;
  readonly lock: HeldLock;
  readonly adopted: Adopted;
  readonly now: () => number;
}

class FileStagedRun implements StagedRun {
  readonly id: RunId;
  readonly missingPayloads: readonly string[];
  readonly #staged: Staged;
  readonly #outliner: Adopted['outliner'];
  readonly #path: string;
  readonly #fd: number;
  readonly #payloads: string[] = [];
  #chain: ChainState;
  /** Bytes of the active segment. */
  #size: number;
  #open = true;

  constructor(staged: Staged) {
    const { adopted, paths } = staged;
    this.id = staged.id;
    this.missingPayloads = adopted.missingPayloads;
    this.#staged = staged;
    this.#outliner = adopted.outliner;
    this.#chain = adopted.chain;
    this.#size = adopted.tail.length;
    this.#path = join(paths.log, segmentNameOf(adopted.tailFirst));
    this.#fd = createFile(this.#path);
    try {
      this.#write(adopted.tail);
    } catch (error) {
      closeSync(this.#fd);
      throw error;
    }
  }

  get bytes(): { readonly own: number; readonly shared: number } {
    const { own, shared } = this.#staged.adopted.bytes;
    return { own: own + this.#size, shared };
  }

  append(drafts: readonly EventDraft[]): readonly LoggedEvent[] {
    const lines = encodeLines(drafts, this.#chain, this.#staged.now());
    this.#payloads.push(...writePayloads(this.#staged.paths.blobs, lines));
    this.#write(linesToBytes(lines));
    for (const line of lines) {
      this.#outliner?.add({ event: line.event, position: this.#size, bytes: line.bytes.length });
      this.#size += line.bytes.length + 1;
      this.#chain = { seq: line.event.seq + 1, prev: line.digest };
    }
    return lines.map((line) => line.event);
  }

  async commit(beforeRename?: () => void): Promise<void> {
    const { layout, id, paths } = this.#staged;
    const target = join(layout.runs, id);
    let renamed = false;
    try {
      await this.#sync();
      beforeRename?.();
      if (this.#outliner !== null && this.#size > 0) writeIndex(this.#path, this.#outliner.finish(this.#chain.prev));
      onDisk(`cannot put ${target} in place`, () => renameSync(paths.folder, target));
      renamed = true;
      await syncFolder(layout.runs);
    } catch (error) {
      this.#remove(renamed ? target : paths.folder);
      throw error;
    }
    this.#settle();
  }

  discard(): void {
    if (this.#open) this.#remove(this.#staged.paths.folder);
  }

  async #sync(): Promise<void> {
    const { paths, adopted, id } = this.#staged;
    const { tailFrom } = adopted;
    try {
      await syncPayloads(paths.blobs, this.#payloads);
      const linkedPayloads = this.#payloads.length === 0 && lstatSync(paths.blobs, { throwIfNoEntry: false });
      // At once: the file system then writes its journal once. All end before anything is removed.
      const syncs = await Promise.allSettled([
        syncFile(this.#fd),
        ...(tailFrom === null ? [] : [syncPath(tailFrom)]),
        ...(linkedPayloads ? [syncFolder(paths.blobs)] : []),
        syncFolder(paths.log),
        syncFolder(paths.folder),
      ]);
      for (const sync of syncs) if (sync.status === 'rejected') throw sync.reason;
    } catch (error) {
      throw diskFailure(`cannot make the log of ${id} durable`, error);
    }
  }

  #write(bytes: Uint8Array): void {
    onDisk(`cannot write the log of ${this.id}`, () => writeAll(this.#fd, bytes));
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
    closeSync(this.#fd);
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
