/** A store in memory, for tests and for embedding: the same lines, no durability. */
import { Failure, invariant, isRefusal, parseRunId, type Refusal, type RunId, SCHEMA } from '@ramet/core';
import { appendEvents, createMemoryLog, type MemoryLog, readMemoryLog, stageMemoryLog } from './memory-log.ts';
import { refuseNewer, refuseOwned, refuseUnknown } from './refusals.ts';
import type { KeyRecord, LogReader, OwnedLog, RunStore, SharedLog, StagedRun } from './types.ts';

interface MemoryRun {
  readonly id: RunId;
  readonly log: MemoryLog;
  lock: 'free' | 'owned' | number;
}

/** Opens an empty store in memory. */
export function openMemoryStore(options: { readonly now: () => number }): RunStore {
  const runs = new Map<RunId, MemoryRun>();
  const staged = new Set<RunId>();
  const keys = new Map<string, KeyRecord>();
  const retire = (hash: string, record: KeyRecord): unknown => keys.set(hash, { ...record, removed: true });
  const findFree = (id: RunId): MemoryRun | Refusal => {
    const run = runs.get(id);
    if (run === undefined) return refuseUnknown(id);
    return run.lock === 'free' ? run : refuseOwned(id, { pid: process.pid, self: true });
  };

  return {
    listRuns: () => [...runs.keys()],
    read: (id) => {
      const run = runs.get(id);
      return run === undefined ? null : readerOf(run);
    },
    own: async (id) => {
      const run = findFree(id);
      return isRefusal(run) ? run : ownRun(run, options.now);
    },
    share: async (id) => {
      const run = runs.get(id);
      return run === undefined ? refuseUnknown(id) : shareRun(run);
    },
    stage: (id, prefix) => {
      invariant(parseRunId(id) !== null, `a run is named by a run id, not by ${JSON.stringify(id)}`);
      if (staged.has(id)) throw new Failure('owned_elsewhere', `${id} is being built; wait for it, then try again`);
      staged.add(id);
      return stageRun({ id, prefix, now: options.now, runs, settle: () => staged.delete(id) });
    },
    remove: async (id) => {
      const run = findFree(id);
      if (isRefusal(run)) return run;
      for (const [hash, record] of keys) if (record.child === id) retire(hash, record);
      runs.delete(id);
      return null;
    },
    readKey: (hash) => keys.get(hash) ?? null,
    claimKey: (hash, record) => {
      if (keys.has(hash)) return false;
      keys.set(hash, record);
      return true;
    },
    retireKey: (hash) => {
      const record = keys.get(hash);
      if (record !== undefined) retire(hash, record);
    },
    isStaged: (id) => staged.has(id),
    ownerOf: (id) => (runs.get(id)?.lock === 'owned' ? { pid: process.pid, self: true } : null),
  };
}

function readerOf({ id, log }: MemoryRun): LogReader {
  return { id, ...readMemoryLog(log) };
}

function ownRun(run: MemoryRun, now: () => number): OwnedLog | Refusal {
  const reader = readerOf(run);
  const schema = reader.readOutline().heads.reduce((highest, head) => Math.max(highest, head.schema), 0);
  if (schema > SCHEMA) return refuseNewer(run.id, schema);
  run.lock = 'owned';
  let open = true;
  return {
    ...reader,
    append: async (drafts) => {
      if (!open) throw new Failure('disk_failed', `the log of ${run.id} was closed; nothing more is appended`);
      return appendEvents(run.log, drafts, now());
    },
    get next() {
      return run.log.chain.seq;
    },
    repaired: false,
    close: () => {
      if (open) run.lock = 'free';
      open = false;
    },
  };
}

function shareRun(run: MemoryRun): SharedLog {
  const reader = readerOf(run);
  const outline = reader.readOutline();
  const live = run.lock === 'owned';
  if (run.lock !== 'owned') run.lock = (run.lock === 'free' ? 0 : run.lock) + 1;
  let open = !live;
  const close = (): void => {
    if (open && typeof run.lock === 'number') run.lock = run.lock === 1 ? 'free' : run.lock - 1;
    open = false;
  };
  return { ...reader, readOutline: () => outline, live, close };
}

function stageRun(options: {
  readonly id: RunId;
  readonly prefix: Parameters<RunStore['stage']>[1];
  readonly now: () => number;
  readonly runs: Map<RunId, MemoryRun>;
  readonly settle: () => void;
}): StagedRun {
  const { id, prefix, runs, settle } = options;
  const log = createMemoryLog();
  const staged = stageMemoryLog(log, prefix);
  return {
    id,
    missingPayloads: staged.missingPayloads,
    get bytes() {
      return { own: log.bytes - staged.adoptedBytes, shared: staged.sharedBytes };
    },
    append: (drafts) => staged.append(drafts, options.now()),
    commit: async (beforeRename) => {
      try {
        beforeRename?.();
        if (runs.has(id)) throw new Failure('disk_failed', `cannot put ${id} in place: it is there`);
        runs.set(id, { id, log, lock: 'free' });
      } finally {
        settle();
      }
    },
    discard: settle,
  };
}
