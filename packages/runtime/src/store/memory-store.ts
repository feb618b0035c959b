/** A store in memory, for tests and for embedding: the same lines, no durability. */
import {
  CHAIN_START,
  type ChainState,
  createOutliner,
  type EncodedLine,
  type EventDraft,
  Failure,
  invariant,
  isRefusal,
  type LoggedEvent,
  type Outliner,
  parseLine,
  parseRunId,
  payloadsIn,
  type Refusal,
  type RunId,
  SCHEMA,
} from '@ramet/core';
import { encodeLines } from './append.ts';
import { refuseNewer, refuseOwned, refuseUnknown } from './refusals.ts';
import { sha256 } from './sha256.ts';
import type { KeyRecord, LogOutline, LogReader, OwnedLog, RunStore, SharedLog, StagedRun } from './types.ts';

interface MemoryRun {
  readonly id: RunId;
  readonly lines: Buffer[];
  readonly payloads: Map<string, Uint8Array>;
  readonly outliner: Outliner;
  position: number;
  chain: ChainState;
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

function createRun(id: RunId): MemoryRun {
  return {
    id,
    lines: [],
    payloads: new Map(),
    outliner: createOutliner(0, CHAIN_START.prev),
    position: 0,
    chain: CHAIN_START,
    lock: 'free',
  };
}

function readerOf(run: MemoryRun): LogReader {
  const slice = (range: { readonly from?: number; readonly to?: number } = {}): readonly Buffer[] =>
    run.lines.slice(range.from ?? 0, (range.to ?? Number.MAX_SAFE_INTEGER - 1) + 1);
  return {
    id: run.id,
    readOutline: () => outlineOf(run),
    *readEvents(range) {
      for (const line of slice(range)) yield parseLine(line.toString('utf8')) as LoggedEvent;
    },
    *readBytes(range) {
      for (const line of slice(range)) yield Buffer.concat([line, Buffer.from('\n')]);
    },
    readPayload: (digest) => run.payloads.get(digest) ?? null,
  };
}

function outlineOf(run: MemoryRun): LogOutline {
  const { head, detail } = run.outliner.finish(run.chain.prev);
  return {
    heads: run.lines.length === 0 ? [] : [head],
    readDetail: () => detail,
    readLine: (_segment, position) => JSON.parse(lineAt(run, position).toString('utf8')),
    readLineBytes: (_segment, position) => lineAt(run, position),
    damage: null,
    tornBytes: 0,
  };
}

function lineAt(run: MemoryRun, position: number): Buffer {
  let at = 0;
  for (const line of run.lines) {
    if (at === position) return line;
    at += line.length + 1;
  }
  throw new RangeError(`no line at byte ${position}`);
}

function appendTo(run: MemoryRun, drafts: readonly EventDraft[], nowMs: number): readonly LoggedEvent[] {
  const lines = encodeLines(drafts, run.chain, nowMs);
  for (const line of lines) acceptLine(run, line);
  return lines.map((line) => line.event);
}

function acceptLine(run: MemoryRun, line: EncodedLine): void {
  for (const { digest, bytes } of line.payloads) run.payloads.set(digest, bytes);
  run.outliner.add({ event: line.event, position: run.position, bytes: line.bytes.length });
  run.lines.push(Buffer.from(line.bytes));
  run.position += line.bytes.length + 1;
  run.chain = { seq: line.event.seq + 1, prev: line.digest };
}

function ownRun(run: MemoryRun, now: () => number): OwnedLog | Refusal {
  const { schema } = run.outliner.finish(run.chain.prev).head;
  if (schema > SCHEMA) return refuseNewer(run.id, schema);
  run.lock = 'owned';
  let open = true;
  return {
    ...readerOf(run),
    append: async (drafts) => {
      if (!open) throw new Failure('disk_failed', `the log of ${run.id} was closed; nothing more is appended`);
      return appendTo(run, drafts, now());
    },
    get next() {
      return run.chain.seq;
    },
    repaired: false,
    close: () => {
      if (open) run.lock = 'free';
      open = false;
    },
  };
}

function shareRun(run: MemoryRun): SharedLog {
  const outline = outlineOf(run);
  const live = run.lock === 'owned';
  if (run.lock !== 'owned') run.lock = (run.lock === 'free' ? 0 : run.lock) + 1;
  let open = !live;
  const close = (): void => {
    if (open && typeof run.lock === 'number') run.lock = run.lock === 1 ? 'free' : run.lock - 1;
    open = false;
  };
  return { ...readerOf(run), readOutline: () => outline, live, close };
}

function stageRun(options: {
  readonly id: RunId;
  readonly prefix: Parameters<RunStore['stage']>[1];
  readonly now: () => number;
  readonly runs: Map<RunId, MemoryRun>;
  readonly settle: () => void;
}): StagedRun {
  const { id, prefix, runs, settle } = options;
  const run = createRun(id);
  const missing = new Set<string>();
  if (prefix !== undefined) {
    for (const bytes of prefix.source.readBytes({ to: prefix.plan.boundary.offset })) {
      adoptLine(run, bytes, { source: prefix.source, missing });
    }
  }
  const shared = run.position;
  return {
    id,
    missingPayloads: [...missing],
    get bytes() {
      return { own: run.position - shared, shared };
    },
    append: (drafts) => appendTo(run, drafts, options.now()),
    commit: async (beforeRename) => {
      try {
        beforeRename?.();
        if (runs.has(id)) throw new Failure('disk_failed', `cannot put ${id} in place: it is there`);
        runs.set(id, run);
      } finally {
        settle();
      }
    },
    discard: settle,
  };
}

function adoptLine(
  run: MemoryRun,
  bytes: Uint8Array,
  from: { readonly source: LogReader; readonly missing: Set<string> },
): void {
  const line = bytes.subarray(0, -1);
  const event = parseLine(Buffer.from(line).toString('utf8')) as LoggedEvent;
  acceptLine(run, { bytes: line, digest: sha256(line), event, payloads: [] });
  for (const { $blob: digest } of payloadsIn(event)) {
    const payload = from.source.readPayload(digest);
    if (payload === null) from.missing.add(digest);
    else run.payloads.set(digest, payload);
  }
}
