import { build, findUnknownCalls, type LoggedEvent, ZERO_DIGEST } from '@ramet/core';
import { describe, expect, it } from 'vitest';
import { cel } from '../document/documents.ts';
import { checkpoint, digestOf, type Effect, makeGraph, Simulator } from './simulator.ts';

const { agent, gate, graph, map, tool } = build;
const t = tool('echo');

/** A → B1, B2 → J → map over three → K. */
const document = graph({
  nodes: {
    A: agent({}),
    B1: t,
    B2: t,
    J: tool('echo', { input: [cel('nodes.B1.output'), cel('nodes.B2.output')] }),
    M: map('nodes.J.output', build.body({ nodes: { x: t } })),
    K: t,
  },
  edges: [
    ['A', 'B1'],
    ['A', 'B2'],
    ['B1', 'J'],
    ['B2', 'J'],
    ['J', 'M'],
    ['M', 'K'],
  ],
});

/** J puts out a list of three that tells what it was given; others a digest of theirs, and who they are. */
const work =
  (who: string): Effect =>
  ({ id, input }) => ({
    kind: 'ok',
    output: id === 'J' ? [1, 2, 3].map((item) => [item, input]) : `${who}:${id}:${digestOf(input)}`,
  });

const bytesOf = ({ events }: Simulator): string => events.map((event) => JSON.stringify(event)).join('\n');

function makeSource(): Simulator {
  const simulator = Simulator.start(makeGraph(document), 'in');
  simulator.run(work('source'));
  return simulator;
}

/** A child that `who` walked to its end. */
function walkFork(source: Simulator, path: string, who: string): Simulator {
  const child = source.fork(path);
  expect(child.divergence()).toBeNull();
  child.run(work(who));
  const { status, inheritedThrough, steps, forkedFrom } = child.state;
  expect([status, inheritedThrough]).toEqual(['completed', forkedFrom?.offset]);
  expect(steps).toBe(child.events.filter(({ type, seq }) => type === 'node.enter' && seq > inheritedThrough).length);
  return child;
}

describe('a child of a run', () => {
  it.each(['B1', 'B2', 'J', 'M', 'M[2]/x', 'K'])('walks again from %s, and holds what finished before it', (path) => {
    const source = makeSource();
    const before = bytesOf(source);
    const [one, two] = ['one', 'two'].map((who) => walkFork(source, path, who)) as [Simulator, Simulator];
    expect(bytesOf(source)).toBe(before);
    expect(bytesOf(one)).not.toContain('two:');
    expect(bytesOf(two)).not.toContain('one:');
    expect(one.story).toEqual(two.story);
    expect(one.entries(path)).toBe(1);
  });

  it('runs of a map only the items that are missing', () => {
    const child = makeSource().fork('M[2]/x');
    child.run(work('child'));
    const output = child.state.nodes.get('M')?.output as readonly string[];
    expect(output.map((text) => text.split(':')[0])).toEqual(['source', 'source', 'child']);
    expect(child.state.steps).toBe(2);
  });

  it('enters again what was still at work, with the next attempt', () => {
    const simulator = Simulator.start(makeGraph(document), 'in');
    simulator.run(({ id, input }) => (id === 'A' ? { kind: 'ok', output: input } : null));
    simulator.exit('B1', { kind: 'ok', output: 'b1' });
    const child = simulator.fork('B2');
    child.run(work('child'));
    expect(child.events.filter(({ type, node }) => type === 'node.enter' && node === 'B1')).toMatchObject([
      { attempt: 1 },
      { attempt: 2 },
    ]);
    expect(child.entries('B2')).toBe(1);
  });

  it('gives the fork node the input a person chose, at each attempt and at each check', () => {
    const child = makeSource().fork('J', { changes: { input: ['mine'] } });
    child.settle();
    child.crash();
    child.run(work('child'));
    expect(child.state.nodes.get('J')).toMatchObject({ input: ['mine'], attempt: 2 });
    child.crash();
    expect(child.divergence()).toBeNull();
  });

  it('shows what follows the output a person chose, and the old one to nobody', () => {
    const child = makeSource().fork('B1', { changes: { outputs: { A: 'changed' } } });
    child.run(work('child'));
    expect(child.state.nodes.get('A')?.output).toBe('changed');
    expect([child.state.nodes.get('B1')?.input, child.state.nodes.get('B2')?.input]).toEqual(['changed', 'changed']);
    expect(child.divergence()).toBeNull();
  });

  it('diverges when what had finished does not follow from a changed output', () => {
    const child = makeSource().fork('J', { changes: { outputs: { A: 'changed' } } });
    expect(child.divergence()).toMatchObject({ error: { code: 'replay_diverged' } });
  });

  it('of a child keeps what was changed before, where the log has it', () => {
    const child = makeSource().fork('J', { changes: { input: ['mine'] } });
    child.run(work('child'));
    const grandchild = child.fork('K');
    expect(grandchild.divergence()).toBeNull();
    grandchild.run(work('grandchild'));
    expect(grandchild.state.status).toBe('completed');
    expect(grandchild.state.nodes.get('J')?.input).toEqual(['mine']);
  });

  it('has the answers that were given before it, and no others', () => {
    const items = map('input', build.body({ nodes: { ask: gate('?') } }), { concurrency: 3 });
    const parked = Simulator.start(
      makeGraph(graph({ nodes: { ga: gate('?'), gb: gate('?'), m: items, z: t }, edges: [['gb', 'z']] })),
      [1, 2, 3],
    );
    parked.run();
    for (const path of ['m[2]/ask', 'gb']) parked.answer(path, path);
    parked.settle();
    const child = parked.fork('z');
    child.run();
    expect(child.settle().gates.map(({ path }) => path)).toEqual(['ga', 'm[0]/ask', 'm[1]/ask']);
    for (const path of ['m[1]/ask', 'ga', 'm[0]/ask']) child.answer(path, `child ${path}`);
    child.run();
    expect(child.state.output).toEqual({
      ga: 'child ga',
      m: ['child m[0]/ask', 'child m[1]/ask', 'm[2]/ask'],
      z: 'gb',
    });
    expect(parked.settle().gates).toHaveLength(3);
  });

  it('tries again what had failed for good before it', () => {
    const both = graph({ nodes: { a: t, b: t, c: t }, edges: [['b', 'c']] });
    const source = Simulator.start(makeGraph(both), 1);
    source.run(({ id, input }) =>
      id === 'a' ? { kind: 'failed', error: { code: 'node_failed', message: 'no' } } : { kind: 'ok', output: input },
    );
    source.resume();
    source.run();
    const child = source.fork('a', { attempt: 2 });
    expect(child.state).toMatchObject({ status: 'running' });
    child.run();
    expect(child.state.status).toBe('completed');
    expect(child.entries('a')).toBe(2);
  });

  it('tries again what had failed just before it, when the run had not failed yet', () => {
    const source = Simulator.start(makeGraph(graph({ nodes: { a: t, b: t } })), 1);
    const [enterA, enterB] = source.moves().drafts;
    source.append(enterA === undefined ? [] : [enterA]);
    source.exit('a', { kind: 'failed', error: { code: 'node_failed', message: 'no' } });
    source.append(enterB === undefined ? [] : [enterB]);
    const child = source.fork('b');
    child.run();
    expect(child.state).toMatchObject({ status: 'completed', output: { a: 1, b: 1 } });
  });

  it('begins with no steps, no usage and no time of its own', () => {
    const response = { type: 'model.response', node: 'A', model: 'm', attempt: 1, purpose: 'turn' } as const;
    const source = Simulator.start(makeGraph(document), 'in');
    source.settle();
    source.nowMs += 5000;
    source.append([{ ...response, usage: { inputTokens: 5, outputTokens: 5 } }]);
    source.run(work('source'));
    expect(source.state).toMatchObject({ own: { inputTokens: 5 }, workedMs: 5000 });
    expect(source.fork('K').state).toMatchObject({ own: { inputTokens: 0 }, workedMs: 0, steps: 0, status: 'running' });
  });

  it('needs a workspace of its own, and knows the last checkpoint of each before it', () => {
    const nodes = { a: agent({ workspace: 'own' }), b: t, c: t };
    const source = Simulator.start(
      makeGraph(
        graph({
          nodes,
          edges: [
            ['a', 'b'],
            ['b', 'c'],
          ],
        }),
      ),
      1,
    );
    const opened = { kind: 'git', base: null, branch: null, carried: [], copied: [], leftOut: [], dirty: {} } as const;
    source.append([{ type: 'workspace.open', ...opened }]);
    source.settle();
    source.append([checkpoint('a')]);
    source.exit('a');
    source.settle();
    source.append([checkpoint('b')]);
    source.exit('b');
    source.settle();
    source.append([checkpoint('c')]);
    expect(source.state.workspaceReady).toBe(true);
    const child = source.fork('c');
    expect([...child.state.checkpoints].map(([path, { id }]) => [path, id])).toEqual([
      ['a', 'of a'],
      ['', 'of b'],
    ]);
    expect(child.state.workspaceReady).toBe(false);
    child.append([{ type: 'workspace.restore', checkpoint: 'of b', outcome: 'restored', carried: [] }]);
    expect(child.state.workspaceReady).toBe(true);
  });

  it('goes on with items that its source had begun with more at one time', () => {
    const wide = (concurrency: number) =>
      makeGraph({ nodes: { m: map('input', build.body({ nodes: { x: t } }), { concurrency }) } });
    const source = Simulator.start(wide(4), [1, 2, 3, 4, 5]);
    source.settle();
    source.exit('m[3]/x', { kind: 'ok', output: 'of the source' });
    const narrow = wide(1);
    const events = source.events.map((event) => (event.seq === 0 ? { ...event, graph: narrow.hash } : event));
    const child = new Simulator(narrow, events as LoggedEvent[]);
    child.run();
    expect(child.state.output).toEqual([1, 2, 3, 'of the source', 5]);
    expect(child.entries('m[3]/x')).toBe(1);
  });
});

describe('a call that a fork cuts off', () => {
  const call = {
    type: 'tool.intent',
    node: 'w',
    callId: 'call',
    tool: 'write',
    input: null,
    effect: 'write',
    contained: false,
    key: 'k',
  } as const;
  const nodes = { w: { kind: 'tool', tool: 't' }, z: { kind: 'tool', tool: 't' } } as const;

  it('is the source’s alone: the child enters the node again and waits for nobody', () => {
    const source = Simulator.start(makeGraph({ nodes, edges: [] }));
    source.append([{ type: 'node.enter', node: 'w', attempt: 1, input: null, inputDigest: ZERO_DIGEST }, call]);
    source.append([{ type: 'node.enter', node: 'z', attempt: 1, input: null, inputDigest: ZERO_DIGEST }]);
    const child = source.fork('z');
    expect(child.state.nodes.get('w')?.call).toBeUndefined();
    expect(findUnknownCalls(child.state)).toEqual([]);
    child.run(() => ({ kind: 'ok', output: 1 }));
    expect(child.state.status).toBe('completed');
  });

  it('stays when its result lies before the fork', () => {
    const source = Simulator.start(makeGraph({ nodes, edges: [] }));
    source.append([{ type: 'node.enter', node: 'w', attempt: 1, input: null, inputDigest: ZERO_DIGEST }, call]);
    const output = { type: 'json', value: 1 } as const;
    source.append([{ type: 'tool.result', node: 'w', callId: 'call', tool: 'write', outcome: 'ok', output }]);
    source.append([{ type: 'node.enter', node: 'z', attempt: 1, input: null, inputDigest: ZERO_DIGEST }]);
    expect(source.fork('z').state.nodes.get('w')?.call?.result).toMatchObject({ output });
  });
});
