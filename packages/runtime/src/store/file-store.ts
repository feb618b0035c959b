/**
 * The file store: runs as folders below `runs/` (docs/log-format.md).
 *
 * 1. A run exists when its folder in `runs/` has a name that is a run id: what is elsewhere is no run.
 * 2. In this process runs go through a registry: a run owned here may be forked here, up to what its owner made durable.
 * 3. A key is retired before its child is removed: after a crash between the two the child still answers for it.
 */
import { readdirSync } from 'node:fs';
import { invariant, isRefusal, knownEvent, parseRunId, type Refusal, type RunId, SCHEMA } from '@ramet/core';
import { type Announcer, makeAnnouncer } from './announcer.ts';
import { bury } from './burial.ts';
import { codeOf, diskFailure, makeDurableFolder } from './durable.ts';
import { claimKeyRecord, findKeysOf, forkKeyOf, readKeyRecord, retireKeyRecord, startKeyOf } from './keys.ts';
import { layoutOf, type RunPaths, runPathsOf, type StateLayout } from './layout.ts';
import { acquireLock, type HeldLock, isHeldExclusively, type LockMode, readOwner } from './lock.ts';
import { type FolderOutline, type FolderOutlineOptions, readFolderOutline } from './log-folder.ts';
import type { LogWriter } from './log-writer.ts';
import { openOwnedLog } from './open-owned.ts';
import { refuseDamaged, refuseNewer, refuseOwned, refuseUnknown } from './refusals.ts';
import { type FolderReader, hasRun, openRunReader, readRunBy } from './run-reader.ts';
import { scanAhead } from './scan/index.ts';
import { isBeingStaged, makeStagingSweeper, stageRun } from './staging.ts';
import type { OwnedLog, OwnerInfo, RunStore, SharedLog } from './types.ts';

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
  /** Hears of what this process does to the runs; returns what ends it. */
  readonly subscribe: Announcer['subscribe'];
}

/** Opens the store of a state folder; the folder is made by the first run that is staged. */
export function openFileStore(options: FileStoreOptions): FileStore {
  const layout = layoutOf(options.home);
  const owned = new Map<RunId, LogWriter>();
  const announcer = makeAnnouncer();
  const sweepSometimes = makeStagingSweeper(layout);
  const pathsOf = (id: RunId): RunPaths => runPathsOf(layout.runs, id);
  const lockRun = (id: RunId, mode: LockMode): Promise<HeldLock | Refusal> =>
    lockFolder(id, { paths: pathsOf(id), mode, self: () => owned.has(id) });

  return {
    layout,
    pathsOf,
    subscribe: announcer.subscribe,
    listRuns: () => listRunIds(layout),
    read: (id) => (hasRun(id, pathsOf(id)) ? openRunReader(id, pathsOf(id)) : null),
    own: (id) =>
      withLock(lockRun(id, 'exclusive'), (lock) => ownRun(id, { paths: pathsOf(id), lock, owned, announcer, options })),
    share: async (id, wanted = {}) => {
      const paths = pathsOf(id);
      for (let writer = owned.get(id); writer !== undefined; writer = owned.get(id)) {
        const shared = await shareLive({ id, paths, wanted }, { writer, isOpen: () => owned.get(id) === writer });
        if (shared !== null) return shared;
      }
      return withLock(lockRun(id, 'shared'), (lock) =>
        shareAs({ id, paths, wanted }, { live: false, close: lock.release }),
      );
    },
    stage: (id, prefix) => {
      invariant(parseRunId(id) !== null, `a run is named by a run id, not by ${JSON.stringify(id)}`);
      makeDurableFolder(layout.runs);
      sweepSometimes();
      const { now } = options;
      const onPlaced = (): void => announcer.announce('placed', id);
      if (prefix === undefined) return stageRun(layout, id, { now, onPlaced });
      const { source, plan } = prefix;
      const outline = (source as unknown as FolderReader).readOutline();
      return stageRun(layout, id, { now, onPlaced, prefix: { outline, blobs: pathsOf(source.id).blobs, plan } });
    },
    remove: (id) =>
      withLock(lockRun(id, 'exclusive'), async (lock) => {
        for (const hash of keysOf(layout, id)) retireKeyRecord(layout, hash);
        bury(layout, pathsOf(id).folder);
        lock.release();
        announcer.announce('removed', id);
        return null;
      }),
    readKey: (hash) => readKeyRecord(layout, hash),
    claimKey: (hash, record) => claimKeyRecord(layout, hash, record),
    retireKey: (hash) => retireKeyRecord(layout, hash),
    isStaged: (id) => isBeingStaged(layout, id),
    ownerOf: (id) => (owned.has(id) ? { pid: process.pid, self: true } : seeOwner(id, pathsOf(id))),
  };
}

/** Does work under a lock; a refusal or an error of the work releases it, a success keeps it. */
async function withLock<T>(
  attempt: Promise<HeldLock | Refusal>,
  work: (lock: HeldLock) => Promise<T | Refusal>,
): Promise<T | Refusal> {
  const lock = await attempt;
  if (isRefusal(lock)) return lock;
  try {
    const result = await work(lock);
    if (isRefusal(result)) lock.release();
    return result;
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function lockFolder(
  id: RunId,
  run: { readonly paths: RunPaths; readonly mode: LockMode; readonly self: () => boolean },
): Promise<HeldLock | Refusal> {
  const { paths, mode, self } = run;
  if (!hasRun(id, paths)) return refuseUnknown(id);
  const lock = await acquireLock(paths.lock, mode);
  if (lock !== null) return lock;
  if (!hasRun(id, paths)) return refuseUnknown(id);
  return refuseOwned(id, { ...readOwner(paths.lock), self: self() });
}

async function ownRun(
  id: RunId,
  run: {
    readonly paths: RunPaths;
    readonly lock: HeldLock;
    readonly owned: Map<RunId, LogWriter>;
    readonly announcer: Announcer;
    readonly options: FileStoreOptions;
  },
): Promise<OwnedLog | Refusal> {
  const { paths, lock, owned, announcer } = run;
  const outline = readFolderOutline(paths.log, { readLast: true, ahead: await scanAhead(paths.log) });
  if (outline.damage !== null) return refuseDamaged(id, outline);
  const schema = outline.heads.reduce((highest, head) => Math.max(highest, head.schema), 0);
  if (schema > SCHEMA) return refuseNewer(id, schema);
  const { now, sealBytes } = run.options;
  const { writer, repaired } = await openOwnedLog(paths, outline, {
    now,
    ...(sealBytes === undefined ? {} : { sealBytes }),
  });
  owned.set(id, writer);
  announcer.announce('owned', id);
  let open = true;
  /** Nobody else changes a log that is owned: it is as it was found until something is appended. */
  let unchanged = repaired ? null : outline;
  const reader = openRunReader(id, paths);
  return {
    // What it appends to itself an owner need not read.
    ...readRunBy(id, paths, (wanted) => {
      if (unchanged !== null && wanted?.full !== true) return unchanged;
      return reader.readOutline({ ...wanted, ...(open ? { active: writer.active } : {}) });
    }),
    append: async (drafts, wanted) => {
      unchanged = null;
      const events = await writer.append(drafts, wanted);
      announcer.announce('appended', id);
      return events;
    },
    get next() {
      return writer.chain.seq;
    },
    repaired,
    close: () => {
      if (!open) return;
      open = false;
      unchanged = null;
      owned.delete(id);
      writer.close();
      lock.release();
      announcer.announce('released', id);
    },
  };
}

interface Sharing {
  readonly id: RunId;
  readonly paths: RunPaths;
  readonly wanted: FolderOutlineOptions;
}

/**
 * What the owner has appended is made durable first: a child must not know more than its parent after a crash. Null where
 * the owner let go of the run meanwhile.
 */
async function shareLive(
  sharing: Sharing,
  { writer, isOpen }: { readonly writer: LogWriter; readonly isOpen: () => boolean },
): Promise<SharedLog | null> {
  const active = await writer.sync().catch((error: unknown) => {
    if (isOpen()) throw error;
    return null;
  });
  if (active === null) return null;
  const wanted = { ...sharing.wanted, active };
  return shareAs({ ...sharing, wanted }, { live: true, close: () => {} });
}

/** One outline serves the plan and the commit: nobody appends under the lock, and a live log only grows. */
async function shareAs(
  { id, paths, wanted }: Sharing,
  how: { readonly live: boolean; readonly close: () => void },
): Promise<SharedLog> {
  const reader = openRunReader(id, paths);
  const { full = false, active } = wanted;
  const ahead = await scanAhead(paths.log, { full, through: active?.name });
  const outline = reader.readOutline({ ...wanted, ahead });
  const readOutline: FolderReader['readOutline'] = (again) =>
    again?.full === true && !full ? reader.readOutline(again) : outline;
  return { ...readRunBy(id, paths, readOutline), ...how };
}

/** The keys that made a run: its own start or fork names its key; where the log cannot be read they are searched for. */
function keysOf(layout: StateLayout, id: RunId): readonly string[] {
  try {
    const paths = runPathsOf(layout.runs, id);
    const outline = readFolderOutline(paths.log);
    if (outline.damage !== null) return findKeysOf(layout, id);
    const made = findForkOf(outline, id);
    if (made === null) return startKeysOf(openRunReader(id, paths));
    const line = outline.readLine(made.segment, made.position, made.bytes) as { readonly key?: unknown };
    return typeof line.key === 'string' ? [forkKeyOf(made.parent, line.key)] : [];
  } catch {
    return findKeysOf(layout, id);
  }
}

/** Of a run whose event 0 says how it was made. */
function startKeysOf(reader: FolderReader): readonly string[] {
  const [event] = reader.readEvents({ from: 0, to: 0 });
  const start = event === undefined ? null : knownEvent(event);
  if (start?.type !== 'session.start' && start?.type !== 'graph.start') return [];
  const { type, key } = start;
  if (key === undefined) return [];
  const source = parseRunId((event?.forkedFrom as { readonly id?: unknown } | undefined)?.id);
  if (source !== null) return [forkKeyOf(source, key)];
  return [startKeyOf(type === 'session.start' ? 'session' : 'graph', key)];
}

interface Descent {
  readonly parent: RunId;
  /** The line that says so: the last `session.fork`, or event 0 of a graph run. */
  readonly segment: number;
  readonly position: number;
  readonly bytes: number;
}

function findForkOf(outline: FolderOutline, id: RunId): Descent | null {
  const graph = outline.heads[0]?.graph;
  if (graph !== undefined) {
    const parent = graph.forkedFrom?.id;
    return parent === undefined ? null : { parent, segment: 0, position: 0, bytes: graph.bytes };
  }
  const segment = outline.heads.findLastIndex((head) => head.fork !== undefined);
  const fork = outline.heads[segment]?.fork;
  return fork === undefined || fork.id !== id ? null : { ...fork, segment };
}

function seeOwner(id: RunId, paths: RunPaths): OwnerInfo | null {
  return hasRun(id, paths) && isHeldExclusively(paths.lock) ? readOwner(paths.lock) : null;
}

function listRunIds(layout: StateLayout): readonly RunId[] {
  try {
    return readdirSync(layout.runs, { withFileTypes: true }).flatMap((entry) => {
      const id = entry.isDirectory() ? parseRunId(entry.name) : null;
      return id === null ? [] : [id];
    });
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw diskFailure(`cannot list the runs in ${layout.runs}`, error, 'state_unusable');
  }
}
