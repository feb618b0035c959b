/** Each file-system call of each operation of the store fails, runs into a full disk, or is the last before a death. */
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { canonicalJson, type EventDraft, isRefusal, type RunId } from '@ramet/core';
import { forkConversation, forkRun, forkSession } from '@ramet/runtime/fork';
import { type FileStore, keepGraph, openFileStore, readGraph } from '@ramet/runtime/store';
import {
  auditStore,
  buildNode,
  buildRun,
  buildRunStart,
  buildSession,
  buildTurn,
  makeChain,
  makeGraph,
  makeTestId,
} from '@ramet/testkit';
import { type FaultKind, type Outcome, runWithFault } from '@ramet/testkit/fault-harness';
import { bytesOf, countIds, expectDone, ownOf } from '@ramet/testkit/store-contract';
import { afterAll, describe, expect, it } from 'vitest';

const SOURCE = makeTestId(1);
const LARGE = 'payload '.repeat(40_000);
const KINDS: readonly FaultKind[] = ['error', 'full', 'death'];

/** Memory where there is some: a thousand stores are made, and no test here takes the power away. */
const BASE = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'ramet-faults-'));
afterAll(() => rmSync(BASE, { recursive: true, force: true }));

let now = Date.UTC(2030, 0, 1);

function openStore(home: string): FileStore {
  return openFileStore({ home, now: () => now++, sealBytes: 1_500 });
}

/** A store with a session of three turns, two sealed segments and a payload. */
async function makeStore(): Promise<FileStore> {
  const store = openStore(join(mkdtempSync(join(BASE, 'store-')), 'state'));
  const staged = store.stage(SOURCE);
  staged.append(buildSession({ id: SOURCE, turns: [{ prompt: LARGE }] }));
  await staged.commit();
  const owner = await ownOf(store, SOURCE);
  await owner.append(buildTurn({}, 2), { durable: true });
  await owner.append(buildTurn({}, 3), { durable: true });
  owner.close();
  return store;
}

const RUN = makeTestId(0x2a);
const GRAPH = makeChain('a', 'b', 'c');
const OTHER_GRAPH = makeChain('a', 'b', 'c', 'd');

/** The same store with a graph run beside it: event 0, two sealed segments, a payload, and three nodes. */
async function makeRunStore(): Promise<FileStore> {
  const store = await makeStore();
  const staged = store.stage(RUN);
  staged.append([buildRunStart({ id: RUN, graph: GRAPH.hash, input: { text: LARGE } })]);
  await staged.commit();
  const owner = await ownOf(store, RUN);
  for (const path of ['a', 'b', 'c']) {
    await owner.append(buildNode({ path, input: { path, text: LARGE }, calls: [{}, {}, {}] }), { durable: true });
  }
  owner.close();
  return store;
}

function intentsOf(store: FileStore, only?: string): readonly number[] {
  const events = [...(store.read(RUN)?.readEvents() ?? [])];
  return events.flatMap(({ type, seq, node }) => {
    return type === 'tool.intent' && (only === undefined || node === only) ? [seq] : [];
  });
}

function forkGraphRun(store: FileStore, options: { readonly key?: string; readonly ids?: number }) {
  const { key, ids } = options;
  const context = { store, makeId: countIds(ids), now: () => now++ };
  const acknowledge = intentsOf(store, 'c');
  const keyed = key === undefined ? {} : { idempotencyKey: key };
  return forkRun(context, RUN, { fromNode: 'c', acknowledge, sourceGraph: GRAPH, ...keyed });
}

const TALK = makeTestId(0x2b);
const TALK_GRAPH = makeGraph({ nodes: { plan: { kind: 'agent' } } });

/** A run whose agent had one turn, with a payload. */
async function addTalk(store: FileStore): Promise<void> {
  const [enter, exit] = buildNode({ path: 'plan' });
  if (enter === undefined || exit === undefined) throw new Error('a node is entered and left');
  const turn = buildTurn({ prompt: LARGE, checkpoint: null }, 1).map((event) => ({ ...event, node: 'plan' }));
  const staged = store.stage(TALK);
  staged.append([buildRunStart({ id: TALK, graph: TALK_GRAPH.hash }), enter, ...turn, exit]);
  await staged.commit();
}

function forkTalk(store: FileStore, ids?: number) {
  const options = { node: 'plan', sourceGraph: TALK_GRAPH, idempotencyKey: 'k' };
  return forkConversation({ store, makeId: countIds(ids) }, TALK, options);
}

/** Names, bytes, modes, sizes and times of a run's log and payloads. */
function fingerprint(store: FileStore, id: RunId = SOURCE): unknown {
  const { log, blobs } = store.pathsOf(id);
  return [log, blobs].flatMap((folder) =>
    readdirSync(folder)
      .sort()
      .map((name) => {
        const { mode, size, mtimeMs } = lstatSync(join(folder, name));
        return { name, mode, size, mtimeMs, bytes: readFileSync(join(folder, name), 'latin1') };
      }),
  );
}

/** What the next processes do: one sweeps, each run gets an owner. */
async function recover(home: string): Promise<FileStore> {
  const store = openStore(home);
  const leftovers = auditStore(home).filter(({ message }) => !message.includes('.tmp'));
  expect(leftovers).toEqual([]);
  store.stage(makeTestId(0xfff)).discard();
  for (const id of store.listRuns()) (await ownOf(store, id)).close();
  expect(auditStore(home)).toEqual([]);
  expect(readdirSync(store.layout.staging)).toEqual([]);
  const keys = existsSync(store.layout.keys) ? readdirSync(store.layout.keys) : [];
  expect(keys.every((name) => /^[0-9a-f]{64}$/.test(name))).toBe(true);
  for (const id of store.listRuns()) expect(store.read(id)?.readOutline({ full: true }).damage).toBeNull();
  return store;
}

interface Operation<T> {
  /** The run it reads or writes to; absent: the session. */
  readonly source?: RunId;
  prepare?(store: FileStore): Promise<unknown>;
  work(store: FileStore): Promise<T>;
  /** Checks what is there after a recovery; `before` is from the time before the work. */
  check(store: FileStore, outcome: Outcome<T>, before: Before): Promise<void> | void;
}

interface Before {
  readonly bytes: Buffer;
  /** The source's files, before the work and right after it. */
  readonly source: unknown;
  readonly after: unknown;
}

const TITLE: EventDraft = { type: 'session.title', title: 'once' };
const TURN = buildTurn({ prompt: `again ${LARGE}` }, 4);
const NODE = buildNode({ path: 'first', input: { text: `again ${LARGE}` } });

function appendTurn(store: FileStore): Promise<number> {
  return append(store, SOURCE, TURN);
}

async function append(store: FileStore, id: RunId, drafts: readonly EventDraft[]): Promise<number> {
  const owner = await ownOf(store, id);
  try {
    await owner.append(drafts, { durable: true });
    return owner.next;
  } finally {
    owner.close();
  }
}

/** The log holds the old bytes, then a beginning of what was appended: all of it when the append said so. */
function expectAppended(
  store: FileStore,
  outcome: Outcome<number>,
  appended: Pick<Before, 'bytes'> & { readonly id?: RunId; readonly drafts?: readonly EventDraft[] },
): void {
  const { bytes, id = SOURCE, drafts = TURN } = appended;
  const log = bytesOf(store, id);
  expect(log.subarray(0, bytes.length)).toEqual(bytes);
  const added = log
    .subarray(bytes.length)
    .toString()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line).type);
  const types = drafts.map(({ type }) => type);
  const own = added.filter((type) => type !== 'log.repair');
  expect(own).toEqual(types.slice(0, own.length));
  if (outcome.error === undefined) expect(own).toEqual(types);
}

/** Leaves of the graph run what an owner that died before the first seal left; answers with its one segment. */
function leaveEvent0(store: FileStore): string {
  const { log } = store.pathsOf(RUN);
  const [first = ''] = readdirSync(log)
    .sort()
    .filter((name) => name.endsWith('.jsonl'));
  for (const name of readdirSync(log)) if (name !== first) rmSync(join(log, name));
  chmodSync(join(log, first), 0o600);
  return join(log, first);
}

function expectAfterEvent0(store: FileStore, outcome: Outcome<number>, before: Before): void {
  const event0 = before.bytes.subarray(0, before.bytes.indexOf(0x0a) + 1);
  expectAppended(store, outcome, { bytes: event0, id: RUN, drafts: NODE });
}

const operations: Readonly<Record<string, Operation<unknown>>> = {
  'creating a run': {
    work: async (store) => {
      const staged = store.stage(makeTestId(2));
      try {
        staged.append(buildSession({ id: makeTestId(2), turns: [{ prompt: `other ${LARGE}` }] }));
      } catch (error) {
        staged.discard();
        throw error;
      }
      await staged.commit();
    },
    check: (store, { error }, before) => {
      expect(before.after).toEqual(before.source);
      if (error === undefined) expect(store.listRuns()).toHaveLength(2);
      if (store.listRuns().length === 2) expect(store.read(makeTestId(2))?.readOutline().heads).not.toEqual([]);
    },
  },
  'appending a turn with a payload, which seals a segment': {
    work: appendTurn,
    check: (store, outcome, before) => expectAppended(store, outcome as Outcome<number>, before),
  },
  'appending twice, though the first time fails': {
    work: async (store) => {
      const owner = await ownOf(store, SOURCE);
      try {
        await owner.append([TITLE], { durable: false }).catch(() => {});
        await owner.append(TURN, { durable: true });
      } finally {
        owner.close();
      }
    },
    check: (store, outcome, { bytes }) => {
      const log = bytesOf(store, SOURCE);
      expect(log.subarray(0, bytes.length)).toEqual(bytes);
      if (outcome.error === undefined) expect(log.toString()).toContain('prompt');
    },
  },
  'appending after a torn tail': {
    prepare: async (store) => {
      const { log } = store.pathsOf(SOURCE);
      const last =
        readdirSync(log)
          .filter((name) => name.endsWith('.jsonl'))
          .sort()
          .at(-1) ?? '';
      appendFileSync(join(log, last), '{"seq":999,"prev":"half an eve');
    },
    work: appendTurn,
    check: (store, outcome, before) => expectAppended(store, outcome as Outcome<number>, before),
  },
  'forking with a key': {
    work: (store) => forkSession({ store, makeId: countIds() }, SOURCE, { idempotencyKey: 'k' }),
    check: async (store, outcome, before) => {
      expect(before.after).toEqual(before.source);
      expect(isRefusal(outcome.result)).toBe(false);
      if (outcome.error === undefined) expect(store.listRuns()).toHaveLength(2);
      const again = expectDone(await forkSession({ store, makeId: countIds(300) }, SOURCE, { idempotencyKey: 'k' }));
      expect(store.listRuns()).toHaveLength(2);
      const child = again.session ?? SOURCE;
      expect(bytesOf(store, child).subarray(0, before.bytes.length)).toEqual(before.bytes);
      expect(auditStore(store.layout.home)).toEqual([]);
    },
  },
  'forking at the first turn': {
    work: (store) => {
      const end = [...(store.read(SOURCE)?.readEvents() ?? [])].find((event) => event.type === 'session.end');
      return forkSession({ store, makeId: countIds() }, SOURCE, { at: end?.seq ?? -1 });
    },
    check: (store, outcome, before) => {
      expect(before.after).toEqual(before.source);
      if (outcome.error === undefined) expect(store.listRuns()).toHaveLength(2);
    },
  },
  'creating a graph run': {
    work: async (store) => {
      const staged = store.stage(RUN);
      try {
        const nodes = [{ path: 'a', input: { text: `node ${LARGE}` } }];
        staged.append(buildRun({ id: RUN, input: { text: LARGE }, nodes }));
      } catch (error) {
        staged.discard();
        throw error;
      }
      await staged.commit();
    },
    check: (store, { error }) => {
      if (error === undefined) expect(store.listRuns()).toHaveLength(2);
      const heads = store.read(RUN)?.readOutline().heads;
      if (heads !== undefined)
        expect(heads.map(({ first, count }) => [first, count])).toEqual([
          [0, 1],
          [1, 2],
        ]);
    },
  },
  'appending to a graph run whose owner died before it had sealed event 0': {
    source: RUN,
    prepare: async (store) => void leaveEvent0(store),
    work: (store) => append(store, RUN, NODE),
    check: (store, outcome, before) => {
      expectAfterEvent0(store, outcome as Outcome<number>, before);
      expect(store.read(RUN)?.readOutline().heads[0]).toMatchObject({ first: 0, count: 1 });
    },
  },
  'appending to a graph run with a torn first segment': {
    source: RUN,
    prepare: async (store) => appendFileSync(leaveEvent0(store), '{"seq":1,"prev":"half'),
    work: (store) => append(store, RUN, NODE),
    check: (store, outcome, before) => {
      expectAfterEvent0(store, outcome as Outcome<number>, before);
      expect(bytesOf(store, RUN).toString()).not.toContain('half');
    },
  },
  'forking a graph run with a key': {
    source: RUN,
    work: (store) => forkGraphRun(store, { key: 'k' }),
    check: async (store, outcome, before) => {
      expect(before.after).toEqual(before.source);
      expect(isRefusal(outcome.result)).toBe(false);
      if (outcome.error === undefined) expect(store.listRuns()).toHaveLength(3);
      const again = expectDone(await forkGraphRun(store, { key: 'k', ids: 300 }));
      expect(store.listRuns()).toHaveLength(3);
      const child = bytesOf(store, again.run ?? RUN);
      const inherited = child.subarray(child.indexOf(0x0a) + 1);
      const source = before.bytes.subarray(before.bytes.indexOf(0x0a) + 1);
      expect(source.subarray(0, inherited.length)).toEqual(inherited);
      expect(inherited.length).toBeGreaterThan(1_500);
      expect(auditStore(store.layout.home)).toEqual([]);
    },
  },
  'forking a graph run with another document, which is kept first': {
    source: RUN,
    work: (store) => {
      const bytes = Buffer.from(canonicalJson(OTHER_GRAPH.document));
      const beforeCommit = (): void => keepGraph(store.layout.home, OTHER_GRAPH.hash, bytes);
      const context = { store, makeId: countIds(), now: () => now++ };
      return forkRun(context, RUN, {
        at: 1,
        sourceGraph: GRAPH,
        graph: OTHER_GRAPH,
        beforeCommit,
        acknowledge: intentsOf(store),
      });
    },
    check: (store, outcome, before) => {
      expect(before.after).toEqual(before.source);
      expect(isRefusal(outcome.result)).toBe(false);
      if (outcome.error === undefined) expect(store.listRuns()).toHaveLength(3);
      if (store.listRuns().length < 3) return;
      const kept = Buffer.from(readGraph(store.layout.home, OTHER_GRAPH.hash)).toString();
      expect(kept).toBe(canonicalJson(OTHER_GRAPH.document));
    },
  },
  'making a session of a conversation with a key': {
    prepare: addTalk,
    work: forkTalk,
    check: async (store, outcome, before) => {
      expect(before.after).toEqual(before.source);
      expect(isRefusal(outcome.result)).toBe(false);
      if (outcome.error === undefined) expect(store.listRuns()).toHaveLength(3);
      const again = expectDone(await forkTalk(store, 300));
      expect(store.listRuns()).toHaveLength(3);
      expect(bytesOf(store, again.session ?? TALK).toString()).toContain('"forkedFrom"');
      expect(auditStore(store.layout.home)).toEqual([]);
      expect(await store.remove(again.session ?? TALK)).toBeNull();
      expect(await forkTalk(store, 400)).toMatchObject({ code: 'child_removed' });
    },
  },
  'removing a keyed child of a graph run': {
    source: RUN,
    prepare: (store) => forkGraphRun(store, { key: 'k' }),
    work: async (store) => {
      const child = store.listRuns().find((id) => id !== SOURCE && id !== RUN) ?? SOURCE;
      expect(await store.remove(child)).toBeNull();
    },
    check: async (store, outcome, before) => {
      expect(before.after).toEqual(before.source);
      const there = store.listRuns().length === 3;
      if (outcome.error === undefined) expect(there).toBe(false);
      const again = await forkGraphRun(store, { key: 'k', ids: 300 });
      if (there) expect(again).toMatchObject({ repeated: true });
      else expect(again).toMatchObject({ code: 'child_removed' });
    },
  },
  'removing a keyed child': {
    prepare: (store) => forkSession({ store, makeId: countIds() }, SOURCE, { idempotencyKey: 'k' }),
    work: async (store) => {
      const child = store.listRuns().find((id) => id !== SOURCE) ?? SOURCE;
      expect(await store.remove(child)).toBeNull();
    },
    check: async (store, outcome, before) => {
      expect(before.after).toEqual(before.source);
      const there = store.listRuns().length === 2;
      if (outcome.error === undefined) expect(there).toBe(false);
      const again = await forkSession({ store, makeId: countIds(300) }, SOURCE, { idempotencyKey: 'k' });
      if (there) expect(again).toMatchObject({ repeated: true });
      else expect(again).toMatchObject({ code: 'child_removed' });
    },
  },
};

for (const [name, operation] of Object.entries(operations)) {
  describe(name, () => {
    for (const kind of KINDS) {
      it(`leaves a sound store when a call ends in ${kind}`, async () => {
        const { calls, error } = await attempt(operation, null);
        expect(error).toBeUndefined();
        expect(calls.length).toBeGreaterThan(10);
        let hit = 0;
        for (let at = 0; at < calls.length; at += 1) {
          const outcome = await attempt(operation, { at, kind }).catch((failure: unknown) => {
            throw new Error(`after ${kind} in call ${at} (${calls[at]})`, { cause: failure });
          });
          if (outcome.error !== undefined) hit += 1;
        }
        expect(hit).toBeGreaterThan(calls.length / 8);
      });
    }
  });
}

async function attempt(
  operation: Operation<unknown>,
  fault: { readonly at: number; readonly kind: FaultKind } | null,
): Promise<Outcome<unknown>> {
  const { source: id = SOURCE } = operation;
  const store = id === SOURCE ? await makeStore() : await makeRunStore();
  const { home } = store.layout;
  const bytes = bytesOf(store, id);
  await operation.prepare?.(store);
  const source = fingerprint(store, id);
  const outcome = await runWithFault(fault, () => operation.work(openStore(home)));
  const after = fingerprint(store, id);
  const recovered = await recover(home);
  await operation.check(recovered, outcome, { bytes, source, after });
  rmSync(dirname(home), { recursive: true });
  return outcome;
}
