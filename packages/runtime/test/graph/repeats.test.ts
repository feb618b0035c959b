/** Ways in which a forked run could make a write again without a person's word. */
import type { RunId } from '@ramet/core';
import { cel, type GraphHarness, makeFunction, makeGraphHarness } from '@ramet/testkit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

let harness: GraphHarness;
let sent: unknown[];

beforeEach(() => {
  harness = makeGraphHarness();
  sent = [];
});

afterEach(() => {
  harness.remove();
});

const echo = makeFunction('echo', (input) => input);
const post = makeFunction(
  'post',
  (input) => {
    sent.push(input);
    return null;
  },
  { effect: 'write', contained: () => false },
);
const functions = [echo, post];
const park = { onAsk: 'park' } as const;
const send = (input: unknown) => ({ kind: 'tool' as const, tool: 'post', input });

/** The writes of a run's own, in its log. */
function writesOf(run: RunId): readonly number[] {
  return harness.eventsOfType(run, 'tool.intent').flatMap(({ tool, seq }) => (tool === 'post' ? seq : []));
}

describe('the very write of the source, made by another node', () => {
  const before = { kind: 'tool', tool: 'echo', input: 1 } as const;

  test('takes its acknowledgement, once: a second node that makes it waits for a person', async () => {
    const nodes = { before, old: send('a') };
    const { run } = await harness.start({ nodes, edges: [{ from: 'before', to: 'old' }] }, { functions });
    const renamed = {
      schema: 1 as const,
      nodes: { before, one: send('a'), two: send('a') },
      edges: [
        { from: 'before', to: 'one' },
        { from: 'one', to: 'two' },
      ],
    };
    const [write = 0] = writesOf(run);
    const options = { fromNode: 'before', acknowledge: [write], document: renamed };
    const child = await harness.forkAt(run, options, functions);
    const parked = await harness.resume(child, { functions, settings: park });
    expect(parked).toMatchObject({
      status: 'parked',
      parked: { calls: [{ node: 'two', reason: 'approval_pending' }] },
    });
    expect(harness.eventsOfType(child, 'tool.intent').at(-1)).toMatchObject({ node: 'one', acknowledged: write });
    expect(harness.eventsOfType(child, 'approval.request')).toMatchObject([{ outstanding: [{ offset: write }] }]);
    expect(sent).toEqual(['a', 'a']);
    expect(harness.problems()).toEqual([]);
  });

  test('waits for a person at an item that the source did not have', async () => {
    const nodes = {
      list: { kind: 'tool', tool: 'echo', input: ['a', 'b'] },
      m: { kind: 'map', over: 'nodes.list.output', body: { nodes: { w: send(cel('item')) } } },
    } as const;
    const edges = [{ from: 'list', to: 'm' }];
    const { run } = await harness.start({ nodes, edges }, { functions });
    const outputs = { list: ['a', 'b', 'a', 'c'] };
    const child = await harness.forkAt(run, { fromNode: 'm', acknowledge: writesOf(run), outputs });
    const parked = await harness.resume(child, { functions, settings: park });
    expect(parked).toMatchObject({ status: 'parked', parked: { calls: [{ node: 'm[2]/w' }] } });
    const ask = async () => ({ answer: 'allow', scope: 'once', by: 'person' }) as const;
    expect(await harness.resume(child, { functions, settings: { ask } })).toMatchObject({ status: 'completed' });
    expect(sent).toEqual(['a', 'b', 'a', 'b', 'a', 'c']);
  });

  test('at equal items is made once for each acknowledgement', async () => {
    const nodes = {
      m: { kind: 'map', over: '["a", "a", "a"]', concurrency: 3, body: { nodes: { w: send('a') } } },
    } as const;
    const { run } = await harness.start({ nodes }, { functions });
    const child = await harness.forkAt(run, { fromNode: 'm', acknowledge: writesOf(run) });
    expect(await harness.resume(child, { functions, settings: park })).toMatchObject({ status: 'completed' });
    expect(sent).toHaveLength(6);
    const intents = harness.eventsOfType(child, 'tool.intent').map(({ acknowledged }) => acknowledged);
    expect(new Set(intents)).toEqual(new Set(writesOf(run)));
  });
});

describe('a fork of a fork', () => {
  test('asks about what a grandparent wrote and the parent has not made again', async () => {
    const nodes = {
      a: { kind: 'tool', tool: 'echo', input: 1 },
      g: { kind: 'gate', question: '?' },
      w: send('a'),
    } as const;
    const edges = [
      { from: 'a', to: 'g' },
      { from: 'g', to: 'w' },
    ];
    const { run } = await harness.start({ nodes, edges }, { functions });
    await harness.answer(run, 'g', true);
    await harness.resume(run, { functions });
    const child = await harness.forkAt(run, { fromNode: 'a', acknowledge: writesOf(run) });
    expect(await harness.resume(child, { functions })).toMatchObject({
      status: 'parked',
      parked: { gates: [{ node: 'g' }] },
    });
    const grandchild = await harness.forkAt(child, { fromNode: 'a' });
    await harness.resume(grandchild, { functions });
    await harness.answer(grandchild, 'g', true);
    const parked = await harness.resume(grandchild, { functions, settings: park });
    expect(parked).toMatchObject({ status: 'parked', parked: { calls: [{ node: 'w', reason: 'approval_pending' }] } });
    expect(sent).toEqual(['a']);
    expect(await harness.resume(grandchild, { functions, settings: { onAsk: 'fail' } })).toMatchObject({
      status: 'failed',
      error: { code: 'approval_denied' },
    });
    expect(sent).toEqual(['a']);
    expect(harness.problems()).toEqual([]);
  });
});

test('a write that failed and is tried again by its document is asked about in a fork, beyond what was acknowledged', async () => {
  let fails = 1;
  const flaky = makeFunction('post', () => null, {
    ...post,
    run: async (input) => {
      sent.push(input);
      fails -= 1;
      return fails >= 0 ? { output: { type: 'error-text', value: '500' } } : { output: { type: 'json', value: null } };
    },
  });
  const nodes = { w: { ...send('a'), retry: { attempts: 3 } } };
  const { run } = await harness.start({ nodes }, { functions: [echo, flaky] });
  // The document says how often: each attempt presents the same key.
  expect(new Set(harness.eventsOfType(run, 'tool.intent').map(({ key }) => key)).size).toBe(1);
  expect(writesOf(run)).toHaveLength(2);
  const child = await harness.forkAt(run, { fromNode: 'w', acknowledge: writesOf(run) });
  fails = 3;
  const parked = await harness.resume(child, { functions: [echo, flaky], settings: park });
  expect(parked).toMatchObject({ status: 'parked', parked: { calls: [{ node: 'w', reason: 'approval_pending' }] } });
  expect(sent).toHaveLength(4);
  expect(harness.eventsOfType(child, 'approval.request')).toMatchObject([
    {
      reason: `the acknowledgement of write ${writesOf(run)[0]} was used by a call that failed; it is asked about anew`,
    },
  ]);
});

test('a fork makes no call again that lies before its boundary', async () => {
  const called: unknown[] = [];
  const count = makeFunction('count', (input) => {
    called.push(input);
    return input;
  });
  const call = (input: unknown) => ({ kind: 'tool' as const, tool: 'count', input });
  const nodes = {
    a: call('a'),
    m: { kind: 'map', over: '[1, 2]', body: { nodes: { i: call(cel('item')) } } },
    f: { kind: 'fold', initial: 0, until: 'pass >= 2', maxPasses: 3, body: { nodes: { p: call(cel('pass * 10')) } } },
    z: call('z'),
  } as const;
  const edges = [
    { from: 'a', to: 'm' },
    { from: 'm', to: 'f' },
    { from: 'f', to: 'z' },
  ];
  const { run } = await harness.start({ nodes, edges }, { functions: [count] });
  const all = ['a', 1, 2, 10, 20, 'z'];
  expect(called.splice(0)).toEqual(all);
  const calls = harness.eventsOfType(run, 'tool.intent').map(({ seq }) => seq);
  for (const { seq: at, node } of harness.eventsOfType(run, 'node.enter')) {
    const child = await harness.forkAt(run, { at });
    expect(await harness.resume(child, { functions: [count] })).toMatchObject({ status: 'completed' });
    const before = calls.filter((seq) => seq < at).length;
    expect(called.splice(0), node).toEqual(all.slice(before));
  }
});
