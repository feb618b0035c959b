/**
 * Builds a run beside the others and puts it among them with one rename.
 *
 * 1. What is staged holds its own lock from the first moment: whoever can take it may sweep the rest of a crash.
 * 2. The rename into `runs/` comes after everything in the folder is durable; it is the commit point.
 * 3. A failure removes all of it.
 */
import { closeSync, existsSync, fdatasyncSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { CHAIN_START, type EventDraft, type ForkPlan, type LoggedEvent, parseRunId, type RunId } from '@ramet/core';
import { encodeLines, linesToBytes, writePayload } from './append.ts';
import { codeOf, createFile, diskFailure, makeFolder, onDisk, removeTree, syncFolder, writeAll } from './durable.ts';
import { type RunPaths, runPathsOf, type StateLayout } from './layout.ts';
import { type HeldLock, tryAcquireLock } from './lock.ts';
import { type FolderOutline, segmentNameOf } from './log-folder.ts';
import { type Adopted, adoptPrefix } from './prefix.ts';
import type { StagedRun } from './types.ts';

/** What a prefix is taken from. */
export interface PrefixSource {
  readonly outline: FolderOutline;
  readonly blobs: string;
  readonly plan: ForkPlan;
}

const NOTHING: Adopted = { chain: CHAIN_START, tail: new Uint8Array(0), tailFirst: 0, bytes: { own: 0, shared: 0 } };

/** Removes what crashed forks, imports and removals left; what a living process works on is locked and stays. */
export function sweepStaging(layout: StateLayout): void {
  for (const name of listFolder(layout.staging)) {
    const folder = join(layout.staging, name);
    const lock = tryAcquireLock(join(folder, 'lock'), 'exclusive');
    if (lock === null && parseRunId(name) !== null) continue;
    removeTree(folder);
    lock?.release();
  }
}

/** Whether a living process is building this run. */
export function isBeingStaged(layout: StateLayout, id: RunId): boolean {
  const path = runPathsOf(layout.staging, id).lock;
  if (!existsSync(path)) return false;
  const lock = tryAcquireLock(path, 'exclusive', { create: false });
  lock?.release();
  return lock === null;
}

/** Begins a run in the staging folder. */
export function stageRun(
  layout: StateLayout,
  id: RunId,
  options: { readonly now: () => number; readonly prefix?: PrefixSource },
): StagedRun {
  const paths = runPathsOf(layout.staging, id);
  const lock = lockStaging(layout, paths);
  try {
    makeFolder(paths.log);
    makeFolder(paths.blobs);
    const adopted = options.prefix === undefined ? NOTHING : adoptPrefix(options.prefix, paths);
    return openStaged({ layout, id, paths, lock, adopted, now: options.now });
  } catch (error) {
    removeTree(paths.folder);
    lock.release();
    throw error;
  }
}

interface Staged {
  readonly layout: StateLayout;
  readonly id: RunId;
  readonly paths: RunPaths;
  readonly lock: HeldLock;
  readonly adopted: Adopted;
  readonly now: () => number;
}

function openStaged(staged: Staged): StagedRun {
  const { layout, id, paths, lock, adopted, now } = staged;
  const fd = createFile(join(paths.log, segmentNameOf(adopted.tailFirst)));
  let { chain } = adopted;
  let own = adopted.bytes.own + adopted.tail.length;
  let open = true;
  const settle = (): void => {
    if (!open) return;
    open = false;
    closeSync(fd);
    lock.release();
  };
  const discard = (): void => {
    if (!open) return;
    removeTree(paths.folder);
    settle();
  };
  writeAll(fd, adopted.tail);
  return {
    id,
    get bytes() {
      return { own, shared: adopted.bytes.shared };
    },
    append: (drafts: readonly EventDraft[]): readonly LoggedEvent[] => {
      const lines = encodeLines(drafts, chain, now());
      for (const line of lines) for (const payload of line.payloads) writePayload(paths.blobs, payload);
      const bytes = linesToBytes(lines);
      onDisk(`cannot write the log of ${id}`, () => writeAll(fd, bytes));
      own += bytes.length;
      const last = lines.at(-1);
      if (last !== undefined) chain = { seq: last.event.seq + 1, prev: last.digest };
      return lines.map((line) => line.event);
    },
    commit: async (beforeRename) => {
      try {
        onDisk(`cannot make the log of ${id} durable`, () => fdatasyncSync(fd));
        await Promise.all([syncFolder(paths.log), syncFolder(paths.blobs), syncFolder(paths.folder)]);
        beforeRename?.();
        const target = join(layout.runs, id);
        onDisk(`cannot put ${target} in place`, () => renameSync(paths.folder, target));
      } catch (error) {
        discard();
        throw error;
      }
      settle();
      await syncFolder(layout.runs);
    },
    discard,
  };
}

/** A folder of a dead process with this id is removed first; one of a living process is an error. */
function lockStaging(layout: StateLayout, paths: RunPaths): HeldLock {
  makeFolder(layout.staging);
  const stale = tryAcquireLock(paths.lock, 'exclusive', { create: false });
  if (stale !== null) removeTree(paths.folder);
  stale?.release();
  makeFolder(paths.folder);
  const lock = tryAcquireLock(paths.lock, 'exclusive');
  if (lock === null) throw diskFailure(`${paths.folder} is being built by another process`, null);
  return lock;
}

function listFolder(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw diskFailure(`cannot read ${folder}`, error);
  }
}
