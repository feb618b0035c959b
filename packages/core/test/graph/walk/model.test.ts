import { type ActiveNode, type Moves, type NodeOutcome, type RunState, splitNodePath } from '@ramet/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { documents } from './documents.ts';
import { digestOf, makeGraph, Simulator } from './simulator.ts';

const run = fc.record({ body: documents, n: fc.nat(9) });

/** A number below its argument. */
type Roll = (below: number) => number;

/** The same rolls for the same seed (mulberry32). */
function rollsOf(seed: number): Roll {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** An agent fails twice before it answers; an answer is a function of the node and its input. */
function answerOf({ id, path, input }: ActiveNode, state: RunState): NodeOutcome {
  const isAgent = state.progress.graph.nodes.get(id)?.node.kind === 'agent';
  if (isAgent && (state.nodes.get(path)?.failures ?? 0) < 2) {
    return { kind: 'failed', error: { code: 'node_failed', message: 'not yet' } };
  }
  return { kind: 'ok', output: digestOf([id, input]) };
}

/** Goes on in the order of the log, gates answered as they open. */
function finish(simulator: Simulator): Simulator {
  for (;;) {
    const { gates } = simulator.run(answerOf);
    const [gate] = gates;
    if (gate === undefined) return simulator;
    simulator.answer(gate.path, `yes to ${gate.path}`);
  }
}

interface Chaos {
  readonly simulator: Simulator;
  /** For each tool and agent, how often a crash left it open; other nodes go on where they stand. */
  readonly left: Map<string, number>;
  /** How many exits may still be failures that are not retried. */
  readonly failures: { left: number };
}

function makeChaos(simulator: Simulator, failures = 0): Chaos {
  return { simulator, left: new Map(), failures: { left: failures } };
}

/** Any order of completion, and a death of the process at any time, also within one append. */
function scramble(chaos: Chaos, rolls: Roll): void {
  const { simulator, left } = chaos;
  for (let steps = 0; isOpen(simulator); steps += 1) {
    if (steps > 20_000) throw new Error('the run never comes to an end');
    const moves = simulator.moves();
    const dies = rolls(12) === 0;
    if (moves.drafts.length > 0)
      simulator.append(dies ? moves.drafts.slice(0, rolls(moves.drafts.length)) : moves.drafts);
    else if (!dies) act(chaos, moves, rolls);
    if (dies) {
      for (const path of simulator.taken) if (isEffect(simulator, path)) left.set(path, (left.get(path) ?? 0) + 1);
      simulator.crash();
    }
  }
}

/** Whether the run goes on: it has not ended, or its last failure is the one it was resumed after. */
function isOpen({ state, undoes }: Simulator): boolean {
  return state.status === 'running' || (state.status === 'failed' && state.failedAt === undoes);
}

function isEffect({ graph }: Simulator, path: string): boolean {
  const kind = graph.nodes.get(splitNodePath(path).id)?.node.kind;
  return kind === 'tool' || kind === 'agent';
}

function act({ simulator, failures }: Chaos, moves: Moves, rolls: Roll): void {
  const { active, gates, delayed } = moves;
  expect(active.length + gates.length + delayed.length).toBeGreaterThan(0);
  const choice = rolls(active.length + gates.length + 1);
  const node = active[choice];
  const gate = gates[choice - active.length];
  if (node !== undefined && moves.stopping.includes(node.path)) {
    simulator.exit(node.path, rolls(3) > 0 ? { kind: 'interrupted' } : answerOf(node, simulator.state));
  } else if (node !== undefined && failures.left > 0 && rolls(4) === 0) {
    failures.left -= 1;
    simulator.exit(node.path, { kind: 'failed', error: { code: 'node_failed', message: 'for good' }, final: true });
  } else if (node !== undefined) simulator.exit(node.path, answerOf(node, simulator.state));
  else if (gate !== undefined) simulator.answer(gate.path, `yes to ${gate.path}`);
  else simulator.nowMs += 500;
}

/** Of each path, how many of its exits were failures. */
function failuresIn({ events }: Simulator): ReadonlyMap<string, number> {
  const failed = events.filter(({ type, outcome }) => type === 'node.exit' && outcome === 'failed');
  return new Map([...Map.groupBy(failed, ({ node }) => node ?? '')].map(([path, exits]) => [path, exits.length]));
}

function entriesIn({ events }: Simulator): ReadonlyMap<string, number> {
  const entered = events.filter(({ type }) => type === 'node.enter');
  return new Map([...Map.groupBy(entered, ({ node }) => node ?? '')].map(([path, enters]) => [path, enters.length]));
}

describe('a walk of any document', () => {
  it('comes to the same output in any order of completion, whenever its process dies', () => {
    fc.assert(
      fc.property(run, fc.integer(), ({ body, n }, seed) => {
        const graph = makeGraph(body);
        const straight = finish(Simulator.start(graph, { n }));
        expect(straight.state.status).toBe('completed');
        const chaos = makeChaos(Simulator.start(graph, { n }));
        scramble(chaos, rollsOf(seed));
        const { simulator, left } = chaos;
        expect(simulator.state.output).toEqual(straight.state.output);
        expect(simulator.divergence()).toBeNull();
        const failures = failuresIn(simulator);
        for (const [path, entries] of entriesIn(simulator)) {
          const expected = 1 + (failures.get(path) ?? 0) + (left.get(path) ?? 0);
          expect([path, entries]).toEqual([path, expected]);
        }
        expect([...entriesIn(simulator).keys()].sort()).toEqual([...entriesIn(straight).keys()].sort());
      }),
      { numRuns: 100 },
    );
  });

  it('comes to the same end from every prefix of its log', () => {
    fc.assert(
      fc.property(run, fc.integer(), ({ body, n }, seed) => {
        const graph = makeGraph(body);
        const whole = Simulator.start(graph, { n });
        scramble(makeChaos(whole), rollsOf(seed));
        const cuts = Math.min(whole.events.length, 60);
        for (let cut = 0; cut < cuts; cut += 1) {
          const length = 1 + Math.floor((cut * whole.events.length) / cuts);
          const again = new Simulator(graph, whole.events.slice(0, length));
          expect(again.divergence()).toBeNull();
          finish(again);
          expect(again.state.output).toEqual(whole.state.output);
        }
      }),
      { numRuns: 20 },
    );
  });

  it('comes to the same output however often nodes fail for good and the run is resumed', () => {
    fc.assert(
      fc.property(run, fc.integer(), ({ body, n }, seed) => {
        const graph = makeGraph(body);
        const straight = finish(Simulator.start(graph, { n }));
        const chaos = makeChaos(Simulator.start(graph, { n }), 5);
        const rolls = rollsOf(seed);
        for (let ends = 0; chaos.simulator.state.status !== 'completed'; ends += 1) {
          expect(ends).toBeLessThanOrEqual(5);
          if (chaos.simulator.state.status === 'failed') chaos.simulator.resume();
          scramble(chaos, rolls);
        }
        expect(chaos.simulator.state.output).toEqual(straight.state.output);
        expect(chaos.simulator.divergence()).toBeNull();
      }),
      { numRuns: 100 },
    );
  });

  it('keeps of finished items and passes no node', () => {
    fc.assert(
      fc.property(run, ({ body, n }) => {
        const { state, events } = finish(Simulator.start(makeGraph(body), { n }));
        expect([...state.nodes.keys()].sort()).toEqual(Object.keys(body.nodes).sort());
        expect([...state.progress.bodies.keys()]).toEqual(['']);
        expect(state.events).toBe(events.length);
      }),
      { numRuns: 50 },
    );
  });
});
