/**
 * The file store: runs as folders below `runs/` (docs/log-format.md).
 *
 * 1. A run exists when its folder in `runs/` has a name that is a run id: what is elsewhere is no run.
 * 2. In this process runs go through a registry: a run owned here may be forked here, up to its completed turns.
 */
import { lstatSync, readdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, isRefusal, parseRunId, type Refusal, type RunId, refuse, SCHEMA } from '@ramet/core';
import { codeOf, diskFailure, makeFolder, onDisk, removeTree } from './durable.ts';
import { claimKeyRecord, readKeyRecord, retireKeyRecord } from './keys.ts';
import { layoutOf, type RunPaths, runPathsOf, type StateLayout } from './layout.ts';
import { acquireLock, type HeldLock, readOwner, tryAcquireLock } from './lock.ts';
import {
  type FolderOutline,
  readFolderEvents,
  readFolderLines,
  readFolderOutline,
  readPayloadFile,
} from './log-folder.ts';
import { openLogWriter } from './log-writer.ts';
import { prepareLog } from './open-owned.ts';
import { isBeingStaged, stageRun, sweepStaging } from './staging.ts';
import type { LogReader, OwnedLog, OwnerInfo, RunStore, SharedLog } from './types.ts';

export interface FileStoreOptions {
  /** The state folder. */
  readonly home: string;
  /** Current time in Unix milliseconds. */
  readonly now: () => number;
  /** Seal segments above this many bytes; tests make it small. */
  readonly sealBytes?: number;
}

/** A store of files, and where they lie. */
export interface FileStore extends RunStore {
  readonly layout: StateLayout;
  pathsOf(id: RunId): RunPaths;
}

interface FolderReader extends LogReader {
  readOutline(options?: { readonly full?: boolean }): FolderOutline;
}

/** Opens the store of a state folder; the folder is made by the first run that is staged. */
export function openFileStore(options: FileStoreOptions): FileStore {
  const layout = layoutOf(options.home);
  const owned = new Map<RunId, OwnedLog>();
  const pathsOf = (id: RunId): RunPaths => runPathsOf(layout.runs, id);
  const readRun = (id: RunId): FolderReader | null =>
    hasFolder(pathsOf(id).folder) ? readerOf(id, pathsOf(id)) : null;

  return {
    layout,
    pathsOf,
    listRuns: () => listRunIds(layout),
    read: readRun,
    own: async (id) => {
      const lock = await lockRun(pathsOf(id), id, 'exclusive');
      if (isRefusal(lock)) return lock;
      const log = await takeOver(id, pathsOf(id), { lock, options });
      if (isRefusal(log)) {
        lock.release();
        return log;
      }
      const registered = withClose(log, () => owned.delete(id));
      owned.set(id, registered);
      return registered;
    },
    share: async (id) => {
      const reader = readRun(id);
      if (reader === null) return refuseUnknown(id);
      if (owned.has(id)) return sharedLogOf(reader, { live: true, close: () => {} });
      const lock = await lockRun(pathsOf(id), id, 'shared');
      return isRefusal(lock) ? lock : sharedLogOf(reader, { live: false, close: lock.release });
    },
    stage: (id, prefix) => {
      makeFolder(layout.runs);
      sweepStaging(layout);
      const { now } = options;
      if (prefix === undefined) return stageRun(layout, id, { now });
      const { source, plan } = prefix;
      const outline = (source as unknown as FolderReader).readOutline();
      return stageRun(layout, id, { now, prefix: { outline, blobs: pathsOf(source.id).blobs, plan } });
    },
    remove: async (id) => {
      const lock = await lockRun(pathsOf(id), id, 'exclusive');
      if (isRefusal(lock)) return lock;
      removeRun(layout, id);
      lock.release();
      return null;
    },
    readKey: (hash) => readKeyRecord(layout, hash),
    claimKey: (hash, record) => claimKeyRecord(layout, hash, record),
    retireKey: (hash) => retireKeyRecord(layout, hash),
    isStaged: (id) => isBeingStaged(layout, id),
    ownerOf: (id) => (owned.has(id) ? { pid: process.pid, self: true } : probeOwner(pathsOf(id))),
  };
}

function readerOf(id: RunId, paths: RunPaths): FolderReader {
  return {
    id,
    readOutline: (options) => readFolderOutline(paths.log, options),
    *readEvents(range = {}) {
      const outline = readSound(id, paths, range.to);
      yield* readFolderEvents(outline, { from: range.from ?? 0, to: range.to ?? Number.MAX_SAFE_INTEGER });
    },
    *readBytes(range = {}) {
      const outline = readFolderOutline(paths.log);
      const lines = readFolderLines(outline, { from: range.from ?? 0, to: range.to ?? Number.MAX_SAFE_INTEGER });
      for (const { bytes } of lines) yield Buffer.concat([bytes, Buffer.from('\n')]);
    },
    readPayload: (digest) => readPayloadFile(paths.blobs, digest),
  };
}

/** The outline, or the failure that names the damage when it lies in the range asked for. */
function readSound(id: RunId, paths: RunPaths, to: number | undefined): FolderOutline {
  const outline = readFolderOutline(paths.log);
  const { damage } = outline;
  if (damage === null || (to !== undefined && to < damage.offset)) return outline;
  const refusal = refuseDamaged(id, outline);
  throw new Failure('log_damaged', refusal.message, { data: refusal.data });
}

/** The words for a damaged log: where, what was expected, what was found, what now. */
export function refuseDamaged(id: RunId, outline: Pick<FolderOutline, 'damage'>): Refusal {
  const { damage } = outline;
  const where = damage === null ? '' : ` in ${damage.segment}, line ${damage.line}, byte ${damage.byte}`;
  const what = damage === null ? '' : `: expected ${damage.expected}, found ${damage.found}`;
  const message = `the log of ${id} is damaged${where}${what}; nothing was changed; earlier turns can still be forked`;
  return refuse('log_damaged', message, { id, damage });
}

async function lockRun(paths: RunPaths, id: RunId, mode: 'exclusive' | 'shared'): Promise<HeldLock | Refusal> {
  if (!hasFolder(paths.folder)) return refuseUnknown(id);
  const lock = await acquireLock(paths.lock, mode);
  if (lock !== null) return lock;
  if (!hasFolder(paths.folder)) return refuseUnknown(id);
  return refuseOwned(id, readOwner(paths.lock));
}

function refuseUnknown(id: RunId): Refusal {
  return refuse('unknown_run', `there is no run ${id}; \`ramet sessions\` lists those there are`, { id });
}

function refuseOwned(id: RunId, owner: OwnerInfo): Refusal {
  const who = owner.pid === undefined ? 'another process' : `process ${owner.pid} on ${owner.host ?? 'this host'}`;
  const since = owner.start === undefined ? '' : `, started ${owner.start}`;
  return refuse('owned_elsewhere', `run ${id} is in use by ${who}${since}; wait for it or end it, then try again`, {
    id,
    owner,
  });
}

async function takeOver(
  id: RunId,
  paths: RunPaths,
  context: { readonly lock: HeldLock; readonly options: FileStoreOptions },
): Promise<OwnedLog | Refusal> {
  const outline = readFolderOutline(paths.log);
  if (outline.damage !== null) return refuseDamaged(id, outline);
  const schema = Math.max(0, ...outline.heads.map((head) => head.schema));
  if (schema > SCHEMA) {
    return refuse(
      'log_newer',
      `run ${id} was written with schema ${schema}; this version writes ${SCHEMA}: update ramet`,
      {
        id,
        schema,
      },
    );
  }
  const ready = prepareLog(paths.log, outline);
  const { now, sealBytes } = context.options;
  const { segment, chain } = ready;
  const writer = openLogWriter({
    log: paths.log,
    blobs: paths.blobs,
    now,
    segment,
    chain,
    ...(sealBytes === undefined ? {} : { sealBytes }),
  });
  if (ready.repair !== null) await writer.append([ready.repair], { durable: true });
  return {
    ...readerOf(id, paths),
    append: writer.append,
    get next() {
      return writer.chain.seq;
    },
    repaired: ready.repair !== null,
    close: () => {
      writer.close();
      context.lock.release();
    },
  };
}

function withClose(log: OwnedLog, onClose: () => void): OwnedLog {
  let open = true;
  const close = (): void => {
    if (!open) return;
    open = false;
    onClose();
    log.close();
  };
  return Object.defineProperty({ ...log, close }, 'next', { get: () => log.next, enumerable: true });
}

function sharedLogOf(reader: FolderReader, options: { readonly live: boolean; readonly close: () => void }): SharedLog {
  // Nobody appends while the lock is held, so one outline serves the plan and the commit.
  const outline = options.live ? null : reader.readOutline();
  return {
    ...reader,
    ...options,
    readOutline: (wanted) => (outline === null || wanted?.full ? reader.readOutline(wanted) : outline),
  };
}

/** Renames the run out of sight first: a crash in the middle leaves no half run, and the sweep finishes the work. */
function removeRun(layout: StateLayout, id: RunId): void {
  const folder = runPathsOf(layout.runs, id).folder;
  const grave = join(layout.staging, `${id}.removed`);
  makeFolder(layout.staging);
  removeTree(grave);
  onDisk(`cannot remove ${folder}`, () => renameSync(folder, grave));
  removeTree(grave);
}

/** A probe must not make an owner's attempt fail: it locks shared, for a moment, and owners retry. */
function probeOwner(paths: RunPaths): OwnerInfo | null {
  const lock = hasFolder(paths.folder) ? tryAcquireLock(paths.lock, 'shared', { create: false }) : null;
  if (lock === null)
    return statSync(paths.lock, { throwIfNoEntry: false }) === undefined ? null : readOwner(paths.lock);
  lock.release();
  return null;
}

function listRunIds(layout: StateLayout): readonly RunId[] {
  try {
    return readdirSync(layout.runs).flatMap((name) => {
      const id = parseRunId(name);
      return id === null ? [] : [id];
    });
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw diskFailure(`cannot list the runs in ${layout.runs}`, error, 'state_unusable');
  }
}

/** A folder of our own: a link in `runs/` is no run. */
function hasFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
