import { build, findOpenGates, type GraphLimits } from '@ramet/core';
import { describe, expect, it } from 'vitest';
import { makeGraph, Simulator } from './simulator.ts';

const { agent, gate, graph, map, tool } = build;
const t = tool('echo');
const chain = graph({ nodes: { a: agent({}), b: agent({}) }, edges: [['a', 'b']] });

function reply(simulator: Simulator, path: string, said: { tokens?: number; cost?: number }): void {
  simulator.append([
    {
      type: 'model.response',
      node: path,
      model: 'm',
      attempt: 1,
      purpose: 'turn',
      message: { role: 'assistant', content: [] },
      usage: { inputTokens: said.tokens ?? 0, outputTokens: said.tokens ?? 0 },
      cost: { amount: said.cost ?? 0, currency: 'USD' },
    },
  ]);
}

function started(limits: GraphLimits, own: GraphLimits = {}): Simulator {
  const simulator = new Simulator(
    makeGraph({ ...chain, limits: own }),
    Simulator.start(makeGraph({ ...chain, limits: own })).events,
    limits,
  );
  simulator.settle();
  return simulator;
}

describe('budgets (W15)', () => {
  it('count every node that is entered: items and tries, too', () => {
    const m = map('[1, 2, 3]', build.body({ nodes: { x: t } }));
    const run = (maxSteps: number) => {
      const simulator = Simulator.start(makeGraph({ nodes: { m }, limits: { maxSteps } }));
      simulator.run();
      return simulator.state;
    };
    expect(run(4)).toMatchObject({ status: 'completed', steps: 4 });
    const reached = run(3);
    expect(reached.error).toEqual({ code: 'limit_reached', message: 'the run has reached maxSteps 3' });
    expect(reached.steps).toBe(3);
  });

  it('hold as the document and the command line have them, whichever is tighter', () => {
    const run = (limits: GraphLimits, own: GraphLimits) => {
      const simulator = started(limits, own);
      simulator.run();
      return simulator.state.error?.message;
    };
    expect(run({ maxSteps: 1 }, { maxSteps: 9 })).toBe('the run has reached maxSteps 1');
    expect(run({ maxSteps: 9 }, { maxSteps: 1 })).toBe('the run has reached maxSteps 1');
    expect(run({ maxSteps: 2 }, { maxSteps: 2 })).toBeUndefined();
  });

  it.each<[GraphLimits, { tokens?: number; cost?: number }]>([
    [{ maxTokens: 100 }, { tokens: 50 }],
    [{ maxCost: 0.5 }, { cost: 0.5 }],
  ])('of %j stop nodes at work, then fail the run', (limits, said) => {
    const simulator = started(limits);
    expect(simulator.settle().stopping).toEqual([]);
    reply(simulator, 'a', said);
    const moves = simulator.settle();
    expect(moves.stopping).toEqual(['a']);
    simulator.stop(moves);
    simulator.settle();
    expect(simulator.story.slice(-2)).toEqual(['node.exit a', 'run.fail']);
    expect(simulator.state.error?.code).toBe('limit_reached');
  });

  it('do not fail a run that has nothing left to do, or only waits for a person', () => {
    const simulator = Simulator.start(makeGraph({ nodes: { a: agent({}), g: gate('?') }, limits: { maxTokens: 10 } }));
    simulator.settle();
    reply(simulator, 'a', { tokens: 50 });
    simulator.exit('a');
    expect(simulator.settle().gates).toHaveLength(1);
    simulator.answer('g', true);
    simulator.settle();
    expect(simulator.state.status).toBe('completed');
  });

  it('do not fail a run that waits for a word on an unknown outcome', () => {
    const simulator = started({ maxTokens: 10 });
    reply(simulator, 'a', { tokens: 50 });
    const call = { callId: 'c', tool: 'post', input: {}, effect: 'write', contained: false, key: 'k' } as const;
    simulator.append([{ type: 'tool.intent', node: 'a', ...call }]);
    simulator.crash();
    expect(simulator.settle().unknown).toHaveLength(1);
    expect(simulator.state.status).toBe('running');
  });

  it('count time at work, and none in which the run waits or has no owner', () => {
    const document = graph({
      nodes: { g: gate('?'), a: t, b: t },
      edges: [
        ['g', 'a'],
        ['a', 'b'],
      ],
    });
    const simulator = Simulator.start(makeGraph({ ...document, limits: { maxTimeMs: 1000 } }));
    simulator.settle();
    simulator.nowMs += 86_400_000;
    simulator.answer('g', true);
    simulator.settle();
    simulator.nowMs += 600;
    expect(simulator.settle().stopping).toEqual([]);
    simulator.exit('a');
    simulator.settle();
    expect(simulator.state.workedMs).toBe(600);
    simulator.nowMs += 86_400_000;
    simulator.crash();
    simulator.settle();
    expect(simulator.state.workedMs).toBe(600);
    simulator.nowMs += 400;
    expect(simulator.settle().stopping).toEqual(['b']);
  });

  it('do not count the time before a person answers while a node stands open without an owner', () => {
    const simulator = Simulator.start(makeGraph({ nodes: { g: gate('?'), a: t } }));
    simulator.settle();
    simulator.crash();
    simulator.nowMs += 86_400_000;
    const [open] = findOpenGates(simulator.state);
    simulator.append([{ type: 'gate.answer', node: 'g', gate: open?.offset ?? 0, answer: true, by: 'person' }]);
    simulator.settle();
    expect(simulator.state.workedMs).toBe(0);
  });

  it('may be raised on the command line of a resumed run', () => {
    const simulator = started({ maxSteps: 1 });
    simulator.run();
    expect(simulator.state.status).toBe('failed');
    const again = new Simulator(simulator.graph, simulator.events, { maxSteps: 2 });
    again.resume();
    again.run();
    expect(again.state.status).toBe('completed');
    const same = new Simulator(simulator.graph, simulator.events, { maxSteps: 1 });
    same.resume();
    same.run();
    expect(same.story.slice(-2)).toEqual(['run.fail', 'run.fail']);
  });
});
