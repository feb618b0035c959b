/** Forks of graph runs, in files and in memory: what a child says of itself, what is refused, and that nothing else happens. */
import { appendFileSync, lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  canonicalJson,
  decodeValue,
  type EventDraft,
  type EventOf,
  exitCodeOf,
  Failure,
  type RunId,
} from '@ramet/core';
import { forkRun, forkSession, type RunForkCommit, type RunForkResult } from '@ramet/runtime/fork';
import { type FileStore, openMemoryStore, type RunStore } from '@ramet/runtime/store';
import {
  auditStore,
  buildNode,
  buildRun,
  buildSession,
  makeChain,
  makeGraph,
  makeTestId,
  sha256,
} from '@ramet/testkit';
import { entersOf, eventsOf } from '@ramet/testkit/run-acts';
import { bytesOf, countIds, ownOf } from '@ramet/testkit/store-contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectDone, FIRST, makeHome, makeSession, openTestStore, segmentsOf } from '../store/helpers.ts';

const GRAPH = makeChain('a', 'b', 'c');
const NOW = Date.UTC(2031, 0, 1);
const SENT = { tool: 'send', contained: false, input: { to: 'person' } } as const;

/** Three nodes: one that stays inside, one that sends twice, one that posts under a key. */
const NODES: readonly EventDraft[] = [
  ...buildNode({ path: 'a', calls: [{}], checkpoint: 'cp-a' }),
  ...buildNode({
    path: 'b',
    calls: [
      { ...SENT, callId: 'x' },
      { ...SENT, callId: 'y', input: { to: 'all' } },
    ],
  }),
  ...buildNode({ path: 'c', calls: [{ tool: 'post', effect: 'idempotent', contained: false }] }),
];

async function putRun(store: RunStore, events: readonly EventDraft[] = NODES, id: RunId = FIRST): Promise<void> {
  const staged = store.stage(id);
  const said = { title: 'the title', labels: { team: 'red' }, input: { order: 7 } };
  staged.append([...buildRun({ id, graph: GRAPH.hash, nodes: [], ...said }), ...events]);
  await staged.commit();
}

function intentsOf(store: RunStore, id: RunId): readonly number[] {
  return eventsOf(store, id).flatMap(({ type, seq }) => (type === 'tool.intent' ? [seq] : []));
}

function startOf(store: RunStore, id: RunId | null): EventOf<'graph.start'> {
  return eventsOf(store, id ?? makeTestId(0))[0] as unknown as EventOf<'graph.start'>;
}

type Options = Omit<RunForkCommit, 'sourceGraph'>;

function forkOf(store: RunStore, options: Options, source: RunId = FIRST, makeId = countIds()) {
  return forkRun({ store, makeId, now: () => NOW }, source, { sourceGraph: GRAPH, ...options });
}

async function forkDone(
  store: RunStore,
  options: Options,
  source?: RunId,
  makeId?: () => RunId,
): Promise<RunForkResult> {
  return expectDone(await forkOf(store, options, source, makeId));
}

let home: string;
let files: FileStore;

beforeEach(() => {
  home = makeHome();
  files = openTestStore(home, 1_500);
});

afterEach(() => expect(auditStore(home)).toEqual([]));

describe.each([
  ['the file store', () => files],
  ['the memory store', () => openMemoryStore({ now: () => NOW })],
])('a fork of a run in %s', (_, open: () => RunStore) => {
  it('says in event 0 what it is a fork of, and is the source up to the boundary', async () => {
    const store = open();
    await putRun(store);
    const source = eventsOf(store, FIRST);
    const at = entersOf(store, FIRST)[2] ?? 0;
    const fork = await forkDone(store, { fromNode: 'c' });
    const start = startOf(store, fork.run);
    expect(start).toMatchObject({ id: fork.run, graph: GRAPH.hash, title: 'the title', cwd: '/home/person' });
    expect(start).toMatchObject({ input: { order: 7 }, labels: { team: 'red' } });
    expect(start.forkedFrom).toEqual({
      id: FIRST,
      offset: at - 1,
      digest: source[at]?.prev,
      fromNode: 'c',
      visit: 1,
      graphHash: GRAPH.hash,
      sourceEvent0Digest: source[1]?.prev,
      acknowledgedWrites: [],
      time: new Date(NOW).toISOString(),
    });
    expect(fork.forkedFrom).toEqual(start.forkedFrom);
    expect(eventsOf(store, fork.run ?? FIRST).slice(1)).toEqual(source.slice(1, at));
    expect(fork).toMatchObject({ wouldProceed: true, repeated: false, missingPayloads: [], plan: { fromNode: 'c' } });
    expect(fork.bytes.own + fork.bytes.shared).toBe(bytesOf(store, fork.run ?? FIRST).length);
  });

  it('is refused while a write that it makes again is not acknowledged, whatever else is', async () => {
    const store = open();
    await putRun(store);
    const [, x = 0, y = 0] = intentsOf(store, FIRST);
    const refusal = await forkOf(store, { fromNode: 'b', acknowledge: [y] });
    expect(refusal).toMatchObject({ kind: 'refusal', code: 'write_replay_hazard' });
    expect(exitCodeOf('write_replay_hazard')).toBe(3);
    const { message, data } = refusal as unknown as { message: string; data: { writes: unknown[] } };
    expect(message).toContain(`send of b (offset ${x}, ok)`);
    expect(message).toContain(`--acknowledge-writes ${x}`);
    expect(data.writes).toMatchObject([
      { offset: x, node: 'b', tool: 'send', input: SENT.input, relation: 'descends' },
    ]);
    expect(store.listRuns()).toEqual([FIRST]);
  });

  it('records what was acknowledged, sorted, each once', async () => {
    const store = open();
    await putRun(store);
    const [, x = 0, y = 0, post = 0] = intentsOf(store, FIRST);
    const fork = await forkDone(store, { fromNode: 'b', acknowledge: [y, x, y] });
    const start = startOf(store, fork.run);
    expect(start.forkedFrom?.acknowledgedWrites).toEqual([x, y]);
    const digestOf = (value: unknown) => sha256(canonicalJson(value));
    const send = { node: 'b', tool: 'send', effect: 'write', acknowledged: true };
    expect(start.rewalk).toEqual([
      { ...send, offset: x, index: 0, inputDigest: digestOf({ to: 'person' }), key: 'key-b.x' },
      { ...send, offset: y, index: 1, inputDigest: digestOf({ to: 'all' }), key: 'key-b.y' },
      {
        offset: post,
        node: 'c',
        index: 0,
        tool: 'post',
        inputDigest: digestOf({ command: 'true' }),
        effect: 'idempotent',
        key: 'key-c.call-0',
        acknowledged: false,
      },
    ]);
  });

  it('is refused when what is acknowledged is no write it makes again', async () => {
    const store = open();
    await putRun(store);
    const [contained = 0, x = 0] = intentsOf(store, FIRST);
    for (const [fromNode, offset] of [['c', x] as const, ['b', contained] as const, ['b', 10_000] as const]) {
      for (const dryRun of [true, false]) {
        const refusal = await forkOf(store, { fromNode, acknowledge: [offset], dryRun });
        expect(refusal).toMatchObject({ code: 'not_a_hazard', data: { offsets: [offset] } });
      }
    }
    expect(store.listRuns()).toEqual([FIRST]);
  });

  it('makes nothing in a dry run, and says whether it would be made', async () => {
    const store = open();
    await putRun(store);
    const [, x = 0, y = 0] = intentsOf(store, FIRST);
    const before = bytesOf(store, FIRST);
    const asked = await forkDone(store, { fromNode: 'b', dryRun: true });
    expect(asked).toMatchObject({ run: null, wouldProceed: false, plan: { writes: [{ offset: x }, { offset: y }] } });
    const acknowledged = await forkDone(store, { fromNode: 'b', dryRun: true, acknowledge: [x, y] });
    expect(acknowledged).toMatchObject({ run: null, wouldProceed: true });
    expect(acknowledged.plan?.writes).toEqual(asked.plan?.writes);
    const made = await forkDone(store, { fromNode: 'b', acknowledge: [x, y] });
    expect(made.forkedFrom).toEqual(acknowledged.forkedFrom);
    expect(made.plan).toEqual(acknowledged.plan);
    expect(bytesOf(store, FIRST)).toEqual(before);
  });

  it('refuses what is no graph run, and sessions refuse runs', async () => {
    const store = open();
    const staged = store.stage(FIRST);
    staged.append(buildSession({ id: FIRST, turns: [{}] }));
    await staged.commit();
    expect(await forkOf(store, { fromNode: 'a' })).toMatchObject({ code: 'not_a_graph_run' });
    expect(await forkOf(store, { fromNode: 'a' }, makeTestId(9))).toMatchObject({ code: 'unknown_run' });
    await putRun(store, NODES, makeTestId(2));
    expect(await forkSession({ store, makeId: countIds() }, makeTestId(2), {})).toMatchObject({
      code: 'not_a_session',
    });
    expect(await forkOf(store, { fromNode: 'nowhere' }, makeTestId(2))).toMatchObject({ code: 'node_unknown' });
    expect(store.listRuns()).toHaveLength(2);
  });

  it('keeps what it needs before it is in place, and is not there when that fails', async () => {
    const store = open();
    await putRun(store);
    const makeId = countIds();
    const failing = forkOf(
      store,
      {
        fromNode: 'c',
        beforeCommit: () => {
          throw new Error('no room');
        },
      },
      FIRST,
      makeId,
    );
    await expect(failing).rejects.toThrow('no room');
    expect(store.listRuns()).toEqual([FIRST]);
    const seen: boolean[] = [];
    const fork = await forkDone(store, {
      fromNode: 'c',
      beforeCommit: () => void seen.push(store.listRuns().length === 1),
    });
    expect(seen).toEqual([true]);
    expect(store.listRuns()).toContain(fork.run);
  });

  it('records what a person changes, and what still holds of the change of its source', async () => {
    const store = open();
    await putRun(store);
    const large = 'x'.repeat(300_000);
    const first = await forkDone(store, { fromNode: 'c', input: { text: large }, title: 'mine' });
    const child = first.run ?? FIRST;
    expect(startOf(store, child)).toMatchObject({ title: 'mine', forkedFrom: { changes: { input: {} } } });
    const owner = await ownOf(store, child);
    await owner.append(buildNode({ path: 'c', input: { text: large } }), { durable: true });
    owner.close();
    const second = await forkDone(store, { fromNode: 'c' }, child, countIds(200));
    expect(second.plan?.changes).toEqual({ input: { text: large } });
    const payload = store.read(second.run ?? FIRST)?.readPayload(sha256(large));
    expect(Buffer.from(payload ?? []).toString()).toBe(large);
    const other = makeGraph({
      ...GRAPH.document,
      nodes: { ...GRAPH.document.nodes, c: { kind: 'gate', question: 'so?' } },
    });
    const third = await forkDone(store, { fromNode: 'c', graph: other }, FIRST, countIds(300));
    expect(startOf(store, third.run)).toMatchObject({
      graph: other.hash,
      forkedFrom: { changes: { graphFrom: GRAPH.hash } },
    });
  });
});

describe('the calls a child may make again', () => {
  const call = (name: string) => ({ type: 'tool-call' as const, toolCallId: name, toolName: 'send', input: {} });
  const reply = (node: string, ...names: string[]): EventDraft => ({
    type: 'model.response',
    node,
    model: 'm',
    attempt: 1,
    purpose: 'turn',
    message: { role: 'assistant', content: names.map(call) },
  });
  const post = (node: string, callId: string, more: Partial<EventOf<'tool.intent'>> = {}): EventDraft => {
    const said = { tool: 'post', input: {}, effect: 'idempotent' as const, contained: false, key: `${node} ${callId}` };
    return { type: 'tool.intent', node, callId, ...said, ...more };
  };
  const ended = (node: string, callId: string, outcome: 'ok' | 'denied' = 'ok'): EventDraft => {
    return { type: 'tool.result', node, callId, tool: 'post', outcome, output: { type: 'text', value: '' } };
  };
  const enter = (node: string, attempt: number): EventDraft => buildNode({ path: node, attempt })[0] as EventDraft;
  const exit = (node: string, attempt: number, outcome: 'ok' | 'failed' | 'interrupted'): EventDraft => {
    return { type: 'node.exit', node, attempt, outcome };
  };

  async function rewalkOf(events: readonly EventDraft[], at: number) {
    const store = openTestStore(makeHome(), 1_500);
    await putRun(store, events);
    const fork = await forkDone(store, { at: entersOf(store, FIRST)[at] ?? 0 });
    expect(auditStore(store.layout.home)).toEqual([]);
    return startOf(store, fork.run).rewalk?.map(({ node, index, key }) => [node, index, key]);
  }

  it('of an agent are numbered as its model named them, those it was denied too', async () => {
    const events = [
      enter('b', 1),
      reply('b', 'one', 'two'),
      ended('b', 'one', 'denied'),
      post('b', 'two'),
      ended('b', 'two'),
      reply('b', 'one'),
      post('b', 'one'),
      ended('b', 'one'),
      exit('b', 1, 'ok'),
    ];
    expect(await rewalkOf(events, 0)).toEqual([
      ['b', 1, 'b two'],
      ['b', 2, 'b one'],
    ]);
  });

  it('are numbered anew after a failure, and go on after a crash or an interruption, also across the boundary', async () => {
    const one = (attempt: number, name: string) => [
      enter('b', attempt),
      reply('b', name),
      post('b', name),
      ended('b', name),
    ];
    const events = [
      ...buildNode({ path: 'a', calls: [{}] }),
      ...one(1, 'p'),
      exit('b', 1, 'failed'),
      ...one(2, 'q'),
      exit('b', 2, 'interrupted'),
      ...one(3, 'r'),
      ...one(4, 's'),
      exit('b', 4, 'ok'),
    ];
    expect(await rewalkOf(events, 3)).toEqual([
      ['b', 1, 'b r'],
      ['b', 2, 'b s'],
    ]);
    expect(await rewalkOf(events, 2)).toEqual([
      ['b', 0, 'b q'],
      ['b', 1, 'b r'],
      ['b', 2, 'b s'],
    ]);
  });

  it('are those of nodes at work at the same time too, also begun before the boundary', async () => {
    const graph = makeGraph({ nodes: GRAPH.document.nodes });
    const events = [
      enter('b', 1),
      reply('b', 'one', 'two'),
      post('b', 'one'),
      ended('b', 'one'),
      post('b', 'two'),
      ...buildNode({ path: 'a', calls: [{}] }),
      ended('b', 'two'),
      exit('b', 1, 'ok'),
      ...buildNode({ path: 'c', calls: [{ effect: 'read', contained: false }, { effect: 'read' }, {}] }),
    ];
    const staged = files.stage(FIRST);
    staged.append([...buildRun({ graph: graph.hash, nodes: [] }), ...events]);
    await staged.commit();
    const at = entersOf(files, FIRST)[1] ?? 0;
    const plan = await forkOf(files, { at, dryRun: true, sourceGraph: graph } as Options);
    const writes = (expectDone(plan).plan?.writes ?? []).map(({ offset }) => offset);
    const fork = await forkDone(files, { at, acknowledge: writes, sourceGraph: graph } as Options);
    // Without a checkpoint nothing is restored: contained writes are hazards, and listed. Reads are counted, not listed.
    expect(
      startOf(files, fork.run).rewalk?.map(({ node, index, acknowledged }) => [node, index, acknowledged]),
    ).toEqual([
      ['b', 1, false],
      ['a', 0, true],
      ['c', 2, true],
    ]);
  });

  it('of a fork are named again in a fork of it, until it has made them; nobody has acknowledged them there', async () => {
    await putRun(files);
    const [, x = 0, y = 0] = intentsOf(files, FIRST);
    const makeId = countIds();
    const child = (await forkDone(files, { fromNode: 'b', acknowledge: [x, y] }, FIRST, makeId)).run ?? FIRST;
    const owner = await ownOf(files, child);
    await owner.append(buildNode({ path: 'b', calls: [{ ...SENT, key: 'new', callId: 'x' }] }), { durable: true });
    owner.close();
    const again = intentsOf(files, child).at(-1) ?? 0;
    const grandchild = await forkDone(files, { fromNode: 'b', acknowledge: [again] }, child, makeId);
    const { rewalk } = startOf(files, grandchild.run);
    expect(rewalk?.map(({ offset, tool, key, acknowledged }) => [offset, tool, key, acknowledged])).toEqual([
      [y, 'send', 'key-b.y', false],
      [intentsOf(files, FIRST)[3], 'post', 'key-c.call-0', false],
      [again, 'send', 'new', true],
    ]);
  });

  const many = (effect: 'idempotent' | 'write') =>
    Array.from({ length: 6_000 }, (_, index) => ({ callId: `call-${index}`, effect, contained: false }));

  it('may be more than a line holds', async () => {
    await putRun(files, buildNode({ path: 'b', calls: many('idempotent') }));
    const { run } = await forkDone(files, { fromNode: 'b' });
    const log = files.read(run ?? FIRST);
    const rewalk = decodeValue(startOf(files, run).rewalk, (digest) => log?.readPayload(digest) ?? null);
    expect(rewalk).toHaveLength(6_000);
  });

  it('make nothing when event 0 cannot hold what was acknowledged of them, and the message says what they are', async () => {
    await putRun(files, buildNode({ path: 'b', calls: many('write') }));
    const acknowledge = intentsOf(files, FIRST);
    const error = await forkOf(files, { fromNode: 'b', acknowledge }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Failure);
    expect(error).toMatchObject({ code: 'event_too_large', data: { id: FIRST, calls: 6_000 } });
    expect((error as Failure).message).toContain('6000 calls');
    expect(files.listRuns()).toEqual([FIRST]);
    expect(readdirSync(files.layout.staging)).toEqual([]);
  });
});

describe('a key of a fork of a run', () => {
  it('makes one child, however often it is used, also at once', async () => {
    await putRun(files);
    const makeId = countIds();
    const options = { fromNode: 'c', idempotencyKey: 'k' };
    const forks = await Promise.all(Array.from({ length: 6 }, () => forkDone(files, options, FIRST, makeId)));
    expect(new Set(forks.map(({ run }) => run)).size).toBe(1);
    const first = forks.find(({ repeated }) => !repeated);
    const again = await forkDone(files, options, FIRST, makeId);
    expect(again).toMatchObject({ run: first?.run, repeated: true, plan: null, forkedFrom: first?.forkedFrom });
    expect(startOf(files, again.run).key).toBe('k');
    expect(files.listRuns()).toHaveLength(2);
  });

  const others: readonly (readonly [string, Options])[] = [
    ['another node', { fromNode: 'b' }],
    ['another visit', { fromNode: 'c', visit: 1 }],
    ['another item', { fromNode: 'c', item: 0 }],
    ['an offset', { at: 20 }],
    ['an input', { fromNode: 'c', input: null }],
    ['outputs', { fromNode: 'c', outputs: { b: 1 } }],
    ['another document', { fromNode: 'c', graph: makeChain('a', 'b', 'c', 'd') }],
    ['an acknowledgement', { fromNode: 'c', acknowledge: [1] }],
    ['a title', { fromNode: 'c', title: 'other' }],
  ];
  it.each(others)('is refused with %s', async (_, options) => {
    await putRun(files);
    await forkDone(files, { fromNode: 'c', idempotencyKey: 'k' });
    const refusal = await forkOf(files, { ...options, idempotencyKey: 'k' });
    expect(refusal).toMatchObject({ code: 'key_reused' });
    expect(files.listRuns()).toHaveLength(2);
  });

  it('makes nothing after its child was removed', async () => {
    await putRun(files);
    const { run } = await forkDone(files, { fromNode: 'c', idempotencyKey: 'k' });
    expect(await files.remove(run ?? FIRST)).toBeNull();
    expect(await forkOf(files, { fromNode: 'c', idempotencyKey: 'k' })).toMatchObject({ code: 'child_removed' });
    expect(files.listRuns()).toEqual([FIRST]);
  });
});

describe('the source of a fork of a run', () => {
  it('is left as it was: bytes, modes, sizes and times', async () => {
    await putRun(files);
    const fingerprint = () => {
      const { log } = files.pathsOf(FIRST);
      return readdirSync(log).map((name) => {
        const { ino, mode, size, mtimeMs } = lstatSync(join(log, name));
        return { name, ino, mode, size, mtimeMs, bytes: readFileSync(join(log, name), 'latin1') };
      });
    };
    const before = fingerprint();
    const makeId = countIds();
    await forkDone(files, { fromNode: 'c' }, FIRST, makeId);
    await forkOf(files, { fromNode: 'b' }, FIRST, makeId);
    expect(fingerprint()).toEqual(before);
  });

  it('may be removed: its children keep every byte and can be forked', async () => {
    await putRun(files);
    const makeId = countIds();
    const child = (await forkDone(files, { fromNode: 'c' }, FIRST, makeId)).run ?? FIRST;
    const owner = await ownOf(files, child);
    await owner.append(buildNode({ path: 'c' }), { durable: true });
    owner.close();
    const before = bytesOf(files, child);
    expect(await files.remove(FIRST)).toBeNull();
    expect(bytesOf(files, child)).toEqual(before);
    const grandchild = await forkDone(files, { fromNode: 'c' }, child, makeId);
    expect(grandchild.forkedFrom).toMatchObject({ id: child });
    expect(files.read(grandchild.run ?? FIRST)?.readOutline({ full: true }).damage).toBeNull();
  });

  it('may be at work in this process', async () => {
    await putRun(files, NODES.slice(0, 5));
    const owner = await ownOf(files, FIRST);
    await owner.append(NODES.slice(5), { durable: false });
    const fork = await forkDone(files, { fromNode: 'c' });
    await owner.append([{ type: 'run.complete', output: null }], { durable: true });
    owner.close();
    expect(bytesOf(files, fork.run ?? FIRST).toString()).not.toContain('run.complete');
  });

  it('is refused when it is damaged: what its writes are nobody knows', async () => {
    await putRun(files);
    const damaged = openTestStore(makeHome(), 1_500);
    await putRun(damaged);
    const last = segmentsOf(damaged).at(-1) ?? '';
    appendFileSync(last, '{}\n');
    for (const dryRun of [true, false]) {
      expect(await forkOf(damaged, { fromNode: 'a', dryRun })).toMatchObject({ code: 'log_damaged' });
    }
  });

  it('that lost a part of its input makes no child with another one', async () => {
    const lossy = openTestStore(makeHome());
    const staged = lossy.stage(FIRST);
    const input = { text: 'x'.repeat(300_000) };
    staged.append([...buildRun({ graph: GRAPH.hash, input, nodes: [] }), ...NODES]);
    await staged.commit();
    rmSync(join(lossy.pathsOf(FIRST).blobs, sha256(input.text)));
    await expect(forkOf(lossy, { fromNode: 'c' })).rejects.toMatchObject({ code: 'log_damaged' });
    expect(lossy.listRuns()).toEqual([FIRST]);
  });

  it('that is a session is refused by name', async () => {
    await makeSession(files, 2);
    expect(await forkOf(files, { fromNode: 'a' })).toMatchObject({ code: 'not_a_graph_run' });
  });
});
