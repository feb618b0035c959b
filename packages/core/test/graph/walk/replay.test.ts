import { build, canonicalJson, createRunFold, decodeValue, type LoggedEvent, nextMoves } from '@ramet/core';
import { sha256 } from '@ramet/testkit';
import { describe, expect, it } from 'vitest';
import { cel } from '../document/documents.ts';
import { checkpoint, digestOf, makeGraph, Simulator } from './simulator.ts';

const { agent, branch, gate, graph, map, tool } = build;
const t = tool('echo');
const pair = graph({
  nodes: { a: t, b: t, c: t },
  edges: [
    ['a', 'b'],
    ['b', 'c'],
  ],
});

describe('what was recorded (W6)', () => {
  it('has the input of each node, and the digest of its canonical JSON', () => {
    const simulator = Simulator.start(makeGraph(pair), { z: 1, a: ['ü', 2.5] });
    simulator.run();
    const enter = simulator.events[1];
    expect(enter).toMatchObject({ type: 'node.enter', node: 'a', attempt: 1, input: { z: 1, a: ['ü', 2.5] } });
    expect(enter?.inputDigest).toBe(sha256('{"a":["ü",2.5],"z":1}'));
  });

  it('is not run again, however often the run is taken up', () => {
    const simulator = Simulator.start(makeGraph(pair), 1);
    simulator.settle();
    simulator.exit('a');
    for (let crash = 0; crash < 3; crash += 1) {
      simulator.crash();
      expect(simulator.divergence()).toBeNull();
      simulator.settle();
    }
    expect([simulator.entries('a'), simulator.entries('b')]).toEqual([1, 3]);
  });

  it('fails the run when it does not follow from the document', () => {
    const simulator = Simulator.start(makeGraph(pair), 1);
    simulator.run((node) => (node.id === 'c' ? null : { kind: 'ok', output: 'recorded' }));
    const changed = simulator.events.map((event) =>
      event.node === 'a' && 'output' in event ? { ...event, output: 'x' } : event,
    );
    const again = new Simulator(simulator.graph, changed as LoggedEvent[]);
    const found = again.divergence();
    expect(found).toMatchObject({ type: 'run.fail', error: { code: 'replay_diverged' } });
    const { message } = (found as unknown as { error: { message: string } }).error;
    expect(message).toContain('b finished with an input (offset 3)');
    expect(message).toContain(sha256(canonicalJson('x')));
  });

  it('diverges too when an input has no value any more', () => {
    const document = graph({
      nodes: { a: t, b: tool('echo', { input: cel('nodes.a.output.x') }) },
      edges: [['a', 'b']],
    });
    const simulator = Simulator.start(makeGraph(document), { x: 1 });
    simulator.run();
    const changed = simulator.events
      .slice(0, -1)
      .map((event) => (event.node === 'a' && 'output' in event ? { ...event, output: {} } : event));
    expect(new Simulator(simulator.graph, changed as LoggedEvent[]).divergence()).toMatchObject({
      error: { code: 'replay_diverged' },
    });
  });

  it('fails nodes of a map whose list is no longer as long as it was', () => {
    const document = graph({
      nodes: { a: t, m: map('nodes.a.output', build.body({ nodes: { x: t } })) },
      edges: [['a', 'm']],
    });
    const simulator = Simulator.start(makeGraph(document), [1, 2]);
    simulator.run(({ path, input }) => (path === 'm[0]/x' ? null : { kind: 'ok', output: input }));
    const changed = simulator.events.map((event) =>
      event.node === 'a' && 'output' in event ? { ...event, output: [1] } : event,
    );
    const again = new Simulator(simulator.graph, changed as LoggedEvent[]);
    again.run();
    expect(again.state).toMatchObject({ status: 'failed', error: { code: 'replay_diverged' } });
  });

  it('is walked with its own document alone', () => {
    const simulator = Simulator.start(makeGraph(pair), 1);
    const { state } = simulator;
    const options = { decode: (value: unknown) => value, sha256, nowMs: 0 };
    const others = [
      { ...pair.nodes, a: tool('other') },
      { a: t, renamed: t, c: t },
      { a: t, b: t, c: t, d: t },
    ];
    for (const nodes of others) expect(() => nextMoves(makeGraph({ nodes }), state, options)).toThrow(/walks graph/);
  });
});

describe('a node that was left at work (W7)', () => {
  it('is entered again with the next attempt, once for each owner that left it', () => {
    const simulator = Simulator.start(makeGraph({ nodes: { a: t } }), 'in');
    simulator.settle();
    simulator.crash();
    expect(simulator.settle().active).toEqual([{ path: 'a', id: 'a', attempt: 2, input: 'in' }]);
    expect(simulator.settle().active).toHaveLength(1);
    simulator.run();
    expect(simulator.entries('a')).toBe(2);
  });

  it('is no map and no fold: those go on where they stand', () => {
    const m = map('input', build.body({ nodes: { x: t } }), { concurrency: 2 });
    const simulator = Simulator.start(makeGraph({ nodes: { m } }), [1, 2, 3]);
    simulator.settle();
    simulator.exit('m[1]/x', { kind: 'ok', output: 'kept' });
    simulator.settle();
    simulator.crash();
    simulator.run();
    expect(simulator.state.output).toEqual([1, 'kept', 3]);
    expect(['m', 'm[0]/x', 'm[1]/x', 'm[2]/x'].map((path) => simulator.entries(path))).toEqual([1, 2, 1, 2]);
  });

  it('is counted again in a chain with failures, a gate and a map, however often the process dies', () => {
    const nodes = {
      n1: t,
      n2: t,
      n3: t,
      n4: tool('echo', { retry: { attempts: 3 } }),
      n5: t,
      g: gate('?'),
      choose: branch({ cases: [{ when: 'true', take: 'go' }], otherwise: 'stay', ends: ['stay'] }),
      m: map('[1, 2]', build.body({ nodes: { in: map('[item]', build.body({ nodes: { x: t } })) } })),
      n6: t,
    };
    const order = ['n1', 'n2', 'n3', 'n4', 'n5', 'g', 'choose', 'm', 'n6'] as const;
    const edges = order.slice(1).map((to, index) => {
      const from = order[index] ?? 'n1';
      return from === 'choose' ? { from, to, on: 'go' } : { from, to };
    });
    const counts = new Map<string, number>();
    const simulator = Simulator.start(makeGraph({ nodes, edges }));
    const left = new Map<string, number>();
    for (let step = 0; simulator.state.status === 'running'; step += 1) {
      const { active, gates } = simulator.settle();
      const [node] = active;
      if (step % 2 === 0) {
        if (node !== undefined) left.set(node.path, (left.get(node.path) ?? 0) + 1);
        simulator.crash();
      } else if (node !== undefined) {
        counts.set(node.path, (counts.get(node.path) ?? 0) + 1);
        const failures = simulator.state.nodes.get(node.path)?.failures ?? 0;
        const fails = node.id === 'n4' && failures < 2;
        const error = { code: 'node_failed', message: 'not yet' };
        simulator.exit(node.path, fails ? { kind: 'failed', error } : { kind: 'ok', output: digestOf(node.input) });
      } else if (gates[0] !== undefined) simulator.answer(gates[0].path, true);
    }
    expect(simulator.state.status).toBe('completed');
    const once = ['n1', 'n2', 'n3', 'n5', 'm[0]/in[0]/x', 'm[1]/in[0]/x', 'n6'];
    expect(Object.fromEntries(counts)).toEqual({ ...Object.fromEntries(once.map((path) => [path, 1])), n4: 3 });
    for (const [path, count] of counts) expect(simulator.entries(path)).toBe(count + (left.get(path) ?? 0));
    expect(['g', 'choose', 'm'].map((path) => simulator.entries(path))).toEqual([1, 1, 1]);
  });
});

describe('a fold of a log', () => {
  it('reads values as the log holds them', () => {
    const simulator = Simulator.start(makeGraph(pair), { $literal: { $blob: 'mine' } });
    const fold = createRunFold(simulator.graph);
    for (const event of simulator.events) fold.add(event);
    const decode = (value: unknown) => decodeValue(value, () => null);
    const { drafts } = nextMoves(simulator.graph, fold.state, { decode, sha256, nowMs: 0 });
    expect(drafts).toMatchObject([{ type: 'node.enter', input: { $blob: 'mine' } }]);
  });

  it('passes over events that do not fit, and types it does not know', () => {
    const simulator = Simulator.start(
      makeGraph({ nodes: { a: t, m: map('input', build.body({ nodes: { x: t } })) } }),
      [1],
    );
    simulator.settle();
    simulator.exit('a', { kind: 'ok', output: 1 });
    const before = JSON.stringify(
      [...simulator.state.nodes].map(([path, { status, attempt }]) => [path, status, attempt]),
    );
    const enter = { type: 'node.enter', attempt: 9, input: 0, inputDigest: sha256('') } as const;
    simulator.append([
      ...['nobody', 'm[1]/x', 'm[x]/x', 'm#1/x', 'a[0]/x', 'a/x', 'x', ''].map((node) => ({ ...enter, node })),
      { ...enter, node: 'a' },
      { type: 'node.exit', node: 'a', attempt: 1, outcome: 'failed' },
      { type: 'node.skip', node: 'm', reason: 'no' },
      { type: 'map.open', node: 'm', count: 7 },
      { type: 'map.item', node: 'm', index: 5, outcome: 'ok', output: 1 },
      { type: 'fold.pass', node: 'm', pass: 1, output: 1, done: true },
      { type: 'gate.answer', node: 'a', gate: 1, answer: 1, by: 'person' },
      { type: 'tool.result', node: 'a', callId: 'call', tool: 'x', outcome: 'ok', output: { type: 'text', value: '' } },
      { ...({ type: 'future.event', node: 'a' } as unknown as { type: 'now'; value: string }) },
    ]);
    const after = JSON.stringify(
      [...simulator.state.nodes].map(([path, { status, attempt }]) => [path, status, attempt]),
    );
    expect(after).toBe(before);
    simulator.run();
    expect(simulator.state.output).toEqual({ a: 1, m: [1] });
  });

  it('forgets a failure once its node is entered again', () => {
    const simulator = Simulator.start(makeGraph({ nodes: { a: t, b: t } }), 1);
    simulator.settle();
    simulator.exit('a', { kind: 'failed', error: { code: 'node_failed', message: 'no' } });
    const again = { type: 'node.enter', node: 'a', attempt: 2, input: 1, inputDigest: sha256('1') } as const;
    simulator.append([again]);
    simulator.run();
    expect(simulator.state).toMatchObject({ status: 'completed', output: { a: 1, b: 1 } });
  });

  it('keeps no checkpoint of a node in a finished item', () => {
    const m = map('input', build.body({ nodes: { x: agent({ workspace: 'own' }) } }));
    const simulator = Simulator.start(makeGraph({ nodes: { m } }), [1]);
    simulator.settle();
    simulator.append([checkpoint('m[0]/x')]);
    expect([...simulator.state.checkpoints.keys()]).toEqual(['m[0]/x']);
    simulator.run();
    expect(simulator.state.checkpoints.size).toBe(0);
  });

  it('sums the usage of agents, and keeps none of their messages', () => {
    const simulator = Simulator.start(makeGraph({ nodes: { a: agent({}) } }), 'hello');
    simulator.settle();
    simulator.append([
      { type: 'message', node: 'a', message: { role: 'user', content: 'a long prompt' } },
      { type: 'model.request', node: 'a', digest: sha256(''), model: 'm', attempt: 1, purpose: 'turn' },
      {
        type: 'model.response',
        node: 'a',
        model: 'm',
        attempt: 1,
        purpose: 'turn',
        usage: { inputTokens: 7, outputTokens: 2 },
      },
    ]);
    expect(simulator.state.own).toMatchObject({ replies: 1, inputTokens: 7, outputTokens: 2 });
    expect(JSON.stringify(simulator.state.nodes.get('a')?.input)).toBe('"hello"');
  });
});
