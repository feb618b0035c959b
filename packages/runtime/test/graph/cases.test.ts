/** Ways in which graph runs have been seen to go wrong elsewhere. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { type GraphDocument, isRefusal, type LoggedEvent, type RunId } from '@ramet/core';
import { answerGate } from '@ramet/runtime/graph';
import { resolveCall } from '@ramet/runtime/runs';
import { accept, cel, cutRunLog, type GraphHarness, makeFunction, makeGraphHarness } from '@ramet/testkit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

let harness: GraphHarness;

beforeEach(() => {
  harness = makeGraphHarness();
});

afterEach(() => {
  harness.remove();
});

const echo = makeFunction('echo', (input) => input);

function echoNode(input?: unknown) {
  return { kind: 'tool' as const, tool: 'echo', ...(input === undefined ? {} : { input }) };
}

function bytesOf(run: RunId): string {
  return createHash('sha256').update(harness.logOf(run)).digest('hex');
}

function entryOf(run: RunId, path: string): number {
  const enter = harness.eventsOfType(run, 'node.enter').find(({ node }) => node === path);
  if (enter === undefined) throw new Error(`${path} was not entered`);
  return enter.seq;
}

describe('B61: results of one branch in the other', () => {
  const document = {
    nodes: {
      A: { kind: 'agent' },
      B1: echoNode(),
      B2: echoNode(),
      J: echoNode([cel('nodes.B1.output'), cel('nodes.B2.output')]),
      M: { kind: 'map', over: 'nodes.J.output', body: { nodes: { x: echoNode(`${cel('item')}!`) } } },
      K: echoNode(),
    },
    edges: [
      { from: 'A', to: 'B1' },
      { from: 'A', to: 'B2' },
      { from: 'B1', to: 'J' },
      { from: 'B2', to: 'J' },
      { from: 'J', to: 'M' },
      { from: 'M', to: 'K' },
    ],
  } as const;
  const functions = [echo];

  test('forks at each boundary see what was before it and their own, and leave the source as it is', async () => {
    const source = await harness.start(document, { functions, script: { A: [{ text: 'source' }] } });
    expect(source.output).toEqual(['source!', 'source!']);
    const before = bytesOf(source.run);
    for (const path of ['B1', 'B2', 'J', 'M[1]/x', 'K']) {
      const child = await harness.forkAt(source.run, { at: entryOf(source.run, path) });
      const result = await harness.resume(child, { functions });
      expect(result, path).toMatchObject({ status: 'completed', output: ['source!', 'source!'] });
      const items = harness.eventsOfType(child, 'map.item').map(({ index }) => index);
      expect(items, path).toEqual([0, 1]);
    }
    const changed = await harness.forkAt(source.run, { fromNode: 'B1', outputs: { A: 'changed' } });
    expect((await harness.resume(changed, { functions })).output).toEqual(['changed!', 'changed!']);
    const other = await harness.forkAt(source.run, { fromNode: 'B1', outputs: { A: 'other' } });
    expect((await harness.resume(other, { functions })).output).toEqual(['other!', 'other!']);
    expect(harness.logOf(other).includes('changed')).toBe(false);
    expect(bytesOf(source.run)).toBe(before);
    const again = await harness.forkAt(source.run, { fromNode: 'J' });
    expect((await harness.resume(again, { functions })).output).toEqual(['source!', 'source!']);
    expect(harness.problems()).toEqual([]);
  });
});

describe('B63: one answer, several gates', () => {
  const gate = { kind: 'gate', question: 'Which?', answer: { type: 'string' } } as const;
  const document = {
    nodes: {
      GA: gate,
      GB: gate,
      M: { kind: 'map', over: '[1, 2, 3]', concurrency: 3, body: { nodes: { g: gate } } },
      J: echoNode(),
    },
    edges: [
      { from: 'GA', to: 'J' },
      { from: 'GB', to: 'J' },
      { from: 'M', to: 'J' },
    ],
  } as const;

  test('each answer sits at its own gate, in a fork, too, and the join waits for all', async () => {
    const functions = [echo];
    const { run } = await harness.start(document, { functions });
    await harness.answer(run, 'GB', 'b');
    await harness.answer(run, 'M[2]/g', 'x');
    const ambiguous = await answerGate(harness.services, { id: run, answer: 'y', by: 'person' });
    expect(ambiguous).toMatchObject({ code: 'ambiguous_gate', data: { open: { length: 3 } } });
    expect(await harness.resume(run, { functions })).toMatchObject({
      status: 'parked',
      parked: { gates: { length: 3 } },
    });
    for (const [path, answer] of [
      ['M[0]/g', 'first'],
      ['GA', 'a'],
    ] as const)
      await harness.answer(run, path, answer);
    await harness.answer(run, 'GA', 'a');
    const twice = await answerGate(harness.services, { id: run, gate: 'GA', answer: 'other', by: 'person' });
    expect(twice).toMatchObject({ code: 'gate_answered' });
    await harness.answer(run, 'M[1]/g', 'second');
    const result = await harness.resume(run, { functions });
    expect(result.output).toEqual({ GA: 'a', GB: 'b', M: ['first', 'second', 'x'] });
    expect(harness.eventsOfType(run, 'node.enter').filter(({ node }) => node === 'J')).toHaveLength(1);
    // The run goes on with what was answered before J: a fork at J has all five, one before the gates has none.
    const late = await harness.forkAt(run, { fromNode: 'J' });
    expect((await harness.resume(late, { functions })).output).toEqual(result.output);
    const early = await harness.forkAt(run, { fromNode: 'GA' });
    expect(await harness.resume(early, { functions })).toMatchObject({
      status: 'parked',
      parked: { gates: { length: 5 } },
    });
  });
});

describe('B66: the document changed while the run waited', () => {
  const wrote: unknown[] = [];
  const write = makeFunction('write', (input) => wrote.push(input), { effect: 'write', contained: () => false });
  const functions = [echo, write];
  const make = (amount: string): GraphDocument => ({
    schema: 1,
    nodes: {
      first: echoNode('kept'),
      gate: { kind: 'gate', question: 'Go?' },
      W: { kind: 'tool', tool: 'write', input: amount },
    },
    edges: [
      { from: 'first', to: 'gate' },
      { from: 'gate', to: 'W' },
    ],
  });

  beforeEach(() => {
    wrote.length = 0;
  });

  test('goes on with the document it began with; another one is asked for, and held against what was used', async () => {
    const { run } = await harness.start(make('10'), { functions });
    await harness.answer(run, 'gate', true);
    const edited = make('1000');
    const child = await harness.forkAt(run, { fromNode: 'gate', document: edited }, functions);
    expect(await harness.resume(run, { functions })).toMatchObject({ status: 'completed' });
    expect(wrote).toEqual(['10']);
    expect(await harness.resume(child, { functions })).toMatchObject({ status: 'parked' });
    await harness.answer(child, 'gate', true);
    expect(await harness.resume(child, { functions })).toMatchObject({ status: 'completed' });
    expect(wrote).toEqual(['10', '1000']);
    const [start] = harness.eventsOfType(child, 'graph.start');
    expect(start?.forkedFrom?.changes?.graphFrom).toBe(harness.eventsOfType(run, 'graph.start')[0]?.graph);
    const renamed = { ...edited, nodes: { ...edited.nodes, first: echoNode('other') } };
    expect(await harness.tryForkAt(run, { fromNode: 'gate', document: renamed }, functions)).toMatchObject({
      code: 'graph_changed',
    });
  });
});

describe('B67: lost, doubled or empty items', () => {
  const functions = [echo];
  const map = (over: string, concurrency: number, body: GraphDocument['nodes']): GraphDocument => ({
    schema: 1,
    nodes: { m: { kind: 'map', over, concurrency, onFailure: 'collect', body: { nodes: body } }, j: echoNode() },
    edges: [{ from: 'm', to: 'j' }],
  });

  test.each([
    [0, 1],
    [1, 7],
    [2, 2],
    [7, 2],
    [500, 1000],
  ])('%i items, %i at a time, come out in their order, each once', async (count, concurrency) => {
    const items = Array.from({ length: count }, (_, index) => index % 3);
    const result = await harness.start(map('input', concurrency, { x: echoNode() }), { functions, input: items });
    expect(result).toMatchObject({ status: 'completed', output: items });
    expect(harness.eventsOfType(result.run, 'map.item')).toHaveLength(count);
  });

  test('failures stand at their index, nested maps at theirs, and an item of 5 MiB comes back', async () => {
    const strict = makeFunction('strict', (input) => input, {
      run: async (input) =>
        input === 2 ? { output: { type: 'error-text', value: 'two' } } : { output: { type: 'json', value: input } },
    });
    const failing = await harness.start(map('[1, 2, 3]', 3, { x: { kind: 'tool', tool: 'strict' } }), {
      functions: [echo, strict],
    });
    expect(failing.output).toEqual([1, { error: { code: 'node_failed', message: 'm[1]/x: two' } }, 3]);
    const nested = map('[[1, 2], [], [3]]', 2, {
      inner: { kind: 'map', over: 'item', concurrency: 2, body: { nodes: { x: echoNode(cel('item + 1')) } } },
    });
    expect((await harness.start(nested, { functions })).output).toEqual([[2, 3], [], [4]]);
    const long = 'x'.repeat(5 * 1024 * 1024);
    expect((await harness.start(map('input', 1, { x: echoNode() }), { functions, input: [long] })).output).toEqual([
      long,
    ]);
  });

  test('a fork in the middle runs the items that are missing alone', async () => {
    const ran: unknown[] = [];
    const noted = makeFunction('echo', (input) => {
      ran.push(input);
      return input;
    });
    const source = await harness.start(map('[1, 2, 3]', 1, { x: echoNode() }), { functions: [noted] });
    ran.length = 0;
    const child = await harness.forkAt(source.run, { fromNode: 'x', item: 2 });
    expect((await harness.resume(child, { functions: [noted] })).output).toEqual([1, 2, 3]);
    expect(ran).toEqual([3, [1, 2, 3]]);
  });
});

describe('B71: an acknowledgement that is too broad or sticks too long', () => {
  const sent: { input: unknown; key: string }[] = [];
  const post = makeFunction(
    'post',
    (input, key) => {
      sent.push({ input, key });
      return null;
    },
    { effect: 'write', contained: () => false },
  );
  const functions = [echo, post];
  const call = (input: unknown) => ({ kind: 'tool' as const, tool: 'post', input });
  const document = {
    nodes: {
      src: echoNode(10),
      w1: call({ to: '/a', amount: 10 }),
      w2: call({ to: '/a', amount: cel('nodes.src.output') }),
      w3: call({ to: '/b' }),
    },
    edges: [
      { from: 'src', to: 'w1' },
      { from: 'w1', to: 'w2' },
      { from: 'w2', to: 'w3' },
    ],
  };

  beforeEach(() => {
    sent.length = 0;
  });

  /** A run that wrote three times, and the offsets of its writes. */
  async function makeSource(): Promise<{ readonly run: RunId; readonly writes: readonly number[] }> {
    const { run, status } = await harness.start(document, { functions });
    expect(status).toBe('completed');
    return {
      run,
      writes: harness
        .eventsOfType(run, 'tool.intent')
        .filter(({ tool }) => tool === 'post')
        .map(({ seq }) => seq),
    };
  }

  test('nothing is made before every write is acknowledged, and nothing else may be', async () => {
    const { run, writes } = await makeSource();
    const [w1 = 0] = writes;
    const some = await harness.tryForkAt(run, { fromNode: 'w1', acknowledge: [w1] });
    expect(some).toMatchObject({ code: 'write_replay_hazard', data: { writes: { length: 2 } } });
    const wrong = await harness.tryForkAt(run, { fromNode: 'w1', acknowledge: [...writes, 1] });
    expect(wrong).toMatchObject({ code: 'not_a_hazard' });
    expect(harness.store.listRuns()).toEqual([run]);
  });

  test('covers the very call, once: with another input it is asked about anew', async () => {
    const { run, writes } = await makeSource();
    const child = await harness.forkAt(run, { fromNode: 'w1', acknowledge: writes, outputs: { src: 11 } });
    const before = sent.splice(0);
    const parked = await harness.resume(child, { functions, settings: { onAsk: 'park' } });
    expect(parked).toMatchObject({ status: 'parked', parked: { calls: [{ node: 'w2', reason: 'approval_pending' }] } });
    expect(sent.map(({ input }) => input)).toEqual([{ to: '/a', amount: 10 }]);
    expect(sent[0]?.key).not.toBe(before[0]?.key);
    expect(harness.eventsOfType(child, 'tool.intent').at(-1)).toMatchObject({ node: 'w1', acknowledged: writes[0] });
    const [asked] = harness.eventsOfType(child, 'approval.request');
    expect(asked).toMatchObject({ node: 'w2', outstanding: [{ offset: writes[1], input: { to: '/a', amount: 10 } }] });
    const result = await harness.resume(child, {
      functions,
      settings: { ask: async () => ({ answer: 'allow', scope: 'once', by: 'person' }) },
    });
    expect(result.status).toBe('completed');
    expect(sent.map(({ input }) => input)).toEqual([{ to: '/a', amount: 10 }, { to: '/a', amount: 11 }, { to: '/b' }]);
    expect(new Set([...before, ...sent].map(({ key }) => key)).size).toBe(6);
    expect(harness.problems()).toEqual([]);
  });

  test('is not inherited: a fork of the fork begins with nothing acknowledged', async () => {
    const { run, writes } = await makeSource();
    const child = await harness.forkAt(run, { fromNode: 'w1', acknowledge: writes });
    expect(await harness.resume(child, { functions })).toMatchObject({ status: 'completed' });
    expect(await harness.tryForkAt(child, { fromNode: 'w2' })).toMatchObject({
      code: 'write_replay_hazard',
      data: { writes: { length: 2 } },
    });
  });

  test('five requests with one key make one run', async () => {
    const { run, writes } = await makeSource();
    const options = { fromNode: 'w1', acknowledge: writes, idempotencyKey: 'once' };
    const children = await Promise.all(Array.from({ length: 5 }, () => harness.tryForkAt(run, options)));
    const ids = children.map((child) => (isRefusal(child) ? child.code : child.run));
    expect(new Set(ids).size).toBe(1);
    expect(harness.store.listRuns()).toHaveLength(2);
  });

  test('is used once, also by a run that died while it used it', async () => {
    const { run, writes } = await makeSource();
    const child = await harness.forkAt(run, { fromNode: 'w1', acknowledge: writes });
    sent.length = 0;
    const death = new Error('the process dies here');
    const observer = {
      event: ({ type }: LoggedEvent) => {
        if (type === 'tool.result') throw death;
      },
    };
    await expect(harness.resume(child, { functions, settings: { observer } })).rejects.toBe(death);
    const intent = harness.eventsOfType(child, 'tool.intent').at(-1)?.seq ?? 0;
    cutRunLog(join(harness.store.pathsOf(child).folder, 'log'), intent + 1);
    const parked = await harness.resume(child, { functions });
    expect(parked).toMatchObject({ status: 'parked', parked: { calls: [{ node: 'w1', reason: 'outcome_unknown' }] } });
    expect(sent).toHaveLength(1);
    // A person says that it did not reach the outside: the same call is made again, under its key.
    const offset = parked.parked?.calls[0]?.offset ?? 0;
    accept(await resolveCall(harness.store, { id: child, offset, resolution: 'did_not_happen' }));
    expect(await harness.resume(child, { functions })).toMatchObject({ status: 'completed' });
    expect(sent.map(({ input }) => input)).toEqual([
      { to: '/a', amount: 10 },
      { to: '/a', amount: 10 },
      { to: '/a', amount: 10 },
      { to: '/b' },
    ]);
    expect(sent[1]?.key).toBe(sent[0]?.key);
  });

  test('covers a call that differs in what its document calls volatile alone', async () => {
    const nodes = {
      stamp: echoNode(1),
      w: { ...call({ to: '/a', stamp: cel('nodes.stamp.output') }), volatile: ['stamp'] },
    };
    const edges = [{ from: 'stamp', to: 'w' }];
    const { run } = await harness.start({ nodes, edges }, { functions });
    const [write = 0] = harness
      .eventsOfType(run, 'tool.intent')
      .flatMap(({ tool, seq }) => (tool === 'post' ? seq : []));
    const child = await harness.forkAt(run, { fromNode: 'w', acknowledge: [write], outputs: { stamp: 2 } });
    expect(await harness.resume(child, { functions })).toMatchObject({ status: 'completed' });
    expect(sent.map(({ input }) => input)).toEqual([
      { to: '/a', stamp: 1 },
      { to: '/a', stamp: 2 },
    ]);
  });

  test('covers a call that was under way at the boundary: the child enters its node again and makes it once', async () => {
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = makeFunction('post', () => null, {
      ...post,
      run: async (input, context) => {
        await released;
        return post.run(input, context);
      },
    });
    const opener = makeFunction('open', (input) => {
      release();
      return input;
    });
    const nodes = { w: call({ to: '/a' }), a: echoNode(1), z: { kind: 'tool', tool: 'open' } } as const;
    const edges = [{ from: 'a', to: 'z' }];
    const { run } = await harness.start({ nodes, edges }, { functions: [echo, slow, opener] });
    const [write] = harness.eventsOfType(run, 'tool.intent').filter(({ node }) => node === 'w');
    expect(write?.seq).toBeLessThan(entryOf(run, 'z'));
    const dry = await harness.tryForkAt(run, { fromNode: 'z', dryRun: true });
    expect(dry).toMatchObject({ plan: { writes: [{ node: 'w', straddles: true, relation: 'concurrent' }] } });
    const child = await harness.forkAt(run, { fromNode: 'z', acknowledge: [write?.seq ?? 0] });
    expect(await harness.resume(child, { functions: [echo, post, opener] })).toMatchObject({ status: 'completed' });
    expect(sent).toHaveLength(2);
    expect(sent[1]?.key).not.toBe(sent[0]?.key);
    expect(harness.eventsOfType(child, 'tool.intent').filter(({ node }) => node === 'w')).toMatchObject([
      { key: write?.key },
      { acknowledged: write?.seq },
    ]);
    expect(harness.problems()).toEqual([]);
  });

  test('an idempotent call presents the key its source had', async () => {
    const put = makeFunction(
      'put',
      (input, key) => {
        sent.push({ input, key });
        return null;
      },
      { effect: 'idempotent', contained: () => false },
    );
    const { run } = await harness.start(
      { nodes: { p: { kind: 'tool', tool: 'put', input: 1 } } },
      { functions: [put] },
    );
    const child = await harness.forkAt(run, { fromNode: 'p' });
    expect(await harness.resume(child, { functions: [put] })).toMatchObject({ status: 'completed' });
    expect(sent).toHaveLength(2);
    expect(sent[1]?.key).toBe(sent[0]?.key);
    const changed = await harness.forkAt(run, { fromNode: 'p', input: 2 });
    await harness.resume(changed, { functions: [put] });
    expect(sent[2]?.key).not.toBe(sent[0]?.key);
  });
});
