import { build } from '@ramet/core';
import { describe, expect, it } from 'vitest';
import { cel } from '../document/documents.ts';
import { makeGraph, Simulator } from './simulator.ts';

const { branch, fold, gate, graph, map, tool } = build;
const t = tool('echo');

/** Runs to the end; each tool answers its own id and input. */
function outputOf(simulator: Simulator): unknown {
  simulator.run(({ id, input }) => ({ kind: 'ok', output: { [id]: input } }));
  expect(simulator.state.error).toBeUndefined();
  expect(simulator.state.status).toBe('completed');
  return simulator.state.output;
}

function skipsOf({ events }: Simulator): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    events.filter(({ type }) => type === 'node.skip').map(({ node, reason }) => [node, reason]),
  );
}

const pick = (take: string) => branch({ cases: [{ when: `input == "${take}"`, take: 'yes' }], otherwise: 'no' });

describe('which nodes are ready (W2)', () => {
  it('runs nodes that are ready at the same time at the same time', () => {
    const simulator = Simulator.start(
      makeGraph(
        graph({
          nodes: { a: t, b: t, c: t, d: t },
          edges: [
            ['a', 'c'],
            ['b', 'c'],
            ['a', 'd'],
          ],
        }),
      ),
    );
    expect(simulator.settle().active.map(({ path }) => path)).toEqual(['a', 'b']);
    simulator.exit('a');
    expect(simulator.settle().active.map(({ path }) => path)).toEqual(['b', 'd']);
    simulator.exit('b');
    expect(simulator.settle().active.map(({ path }) => path)).toEqual(['d', 'c']);
  });

  it('skips the way that was not taken, and all that only it leads to, each with its reason', () => {
    const document = graph({
      nodes: { choose: pick('go'), go: t, stay: t, wait: t, join: t },
      edges: [
        ['choose', 'go', 'yes'],
        ['choose', 'stay', 'no'],
        ['stay', 'wait'],
        ['go', 'join'],
        ['wait', 'join'],
      ],
    });
    const simulator = Simulator.start(makeGraph(document), 'go');
    expect(outputOf(simulator)).toEqual({ join: { go: { take: 'yes' } } });
    expect(skipsOf(simulator)).toEqual({ stay: "'choose' took 'yes'", wait: "'stay' was skipped" });
    expect(simulator.state.nodes.get('wait')).toMatchObject({ status: 'skipped', attempt: 0 });
  });

  it('runs a node that one live edge leads to, whatever the others are', () => {
    const document = graph({
      nodes: { choose: pick('go'), a: t, b: t },
      edges: [
        ['choose', 'b', 'no'],
        ['a', 'b'],
        ['choose', 'a', 'yes'],
      ],
    });
    expect(outputOf(Simulator.start(makeGraph(document), 'go'))).toEqual({ b: { a: { take: 'yes' } } });
    const other = Simulator.start(makeGraph(document), 'stay');
    expect(outputOf(other)).toEqual({ b: { take: 'no' } });
    expect(skipsOf(other)).toEqual({ a: "'choose' took 'no'" });
  });

  it('names every reason once, and counts what are too many to name', () => {
    const sources = Array.from({ length: 8 }, (_, index) => `s${index}`);
    const nodes = { choose: branch({ cases: [{ when: 'false', take: 'x' }] }), end: t };
    const simulator = Simulator.start(
      makeGraph({
        nodes: { ...nodes, ...Object.fromEntries(sources.map((id) => [id, t])) },
        edges: sources.flatMap((id) => [
          { from: 'choose', to: id, on: 'x' },
          { from: id, to: 'end' },
        ]),
      }),
    );
    expect(outputOf(simulator)).toBeNull();
    const named = sources.slice(0, 5).map((id) => `'${id}' was skipped`);
    expect(skipsOf(simulator).end).toBe([...named, 'and 3 more'].join(', '));
    expect(skipsOf(simulator).s0).toBe("'choose' took no way");
  });
});

describe("a node's input (W3, W4)", () => {
  it("is the run's input at the start, the output of one node before, or all of them by id", () => {
    const document = graph({
      nodes: { a: t, b: t, c: t },
      edges: [
        ['a', 'b'],
        ['a', 'c'],
        ['b', 'c'],
      ],
    });
    expect(outputOf(Simulator.start(makeGraph(document), 1))).toEqual({ c: { a: { a: 1 }, b: { b: { a: 1 } } } });
  });

  it('is its template, which sees the run, the nodes before, and the item it lies in', () => {
    const document = graph({
      nodes: {
        a: tool('echo', { input: { n: cel('input.n * 2'), text: `n is ${cel('input.n')}` } }),
        m: map(
          'input.list',
          build.body({ nodes: { x: tool('echo', { input: cel('nodes.a.output.a.n + item + index') }) } }),
        ),
      },
      edges: [['a', 'm']],
    });
    const output = outputOf(Simulator.start(makeGraph(document), { n: 4, list: [10, 20] }));
    expect(output).toEqual([{ x: 18 }, { x: 29 }]);
  });

  it('sees the inputs and outputs of skipped nodes as null', () => {
    const document = graph({
      nodes: { choose: pick('go'), a: t, b: tool('echo', { input: cel('nodes.a.output == null') }) },
      edges: [
        ['choose', 'a', 'yes'],
        ['choose', 'b', 'no'],
        ['a', 'b'],
      ],
    });
    expect(outputOf(Simulator.start(makeGraph(document), 'stay'))).toEqual({ b: true });
  });

  it('has names of objects as ids without harm', () => {
    const document = {
      nodes: JSON.parse('{"__proto__":{"kind":"tool","tool":"x"},"constructor":{"kind":"tool","tool":"x"}}'),
    };
    const simulator = Simulator.start(makeGraph(document), 1);
    simulator.run();
    expect(JSON.stringify(simulator.state.output)).toBe('{"__proto__":1,"constructor":1}');
  });
});

describe('branch (W9)', () => {
  it('records the way, then its exit, and looks at conditions in order', () => {
    const choose = branch({
      cases: [
        { when: 'input > 1', take: 'many' },
        { when: 'true', take: 'few' },
      ],
      ends: ['many', 'few'],
    });
    const run = (input: number) => {
      const simulator = Simulator.start(makeGraph({ nodes: { choose } }), input);
      return [outputOf(simulator), simulator.story];
    };
    const story = ['graph.start', 'node.enter choose', 'branch.take choose', 'node.exit choose', 'run.complete'];
    expect(run(2)).toEqual([{ take: 'many' }, story]);
    expect(run(1)).toEqual([{ take: 'few' }, story]);
  });

  it('fails the node when a condition is neither true nor false', () => {
    const choose = branch({ cases: [{ when: 'input', take: 'x' }], ends: ['x'] });
    const simulator = Simulator.start(makeGraph({ nodes: { choose } }), 7);
    simulator.run();
    expect(simulator.state).toMatchObject({ status: 'failed', error: { code: 'expression_failed' } });
    expect(simulator.story.slice(-3)).toEqual(['node.enter choose', 'node.exit choose', 'run.fail']);
  });

  it('waits for a model where the document says so, and exits when its choice is recorded, also after a crash', () => {
    const choose = branch({ choices: { left: 'l', right: 'r' } });
    const document = graph({
      nodes: { choose, a: t, b: t },
      edges: [
        ['choose', 'a', 'left'],
        ['choose', 'b', 'right'],
      ],
    });
    const simulator = Simulator.start(makeGraph(document));
    expect(simulator.settle().active).toMatchObject([{ path: 'choose' }]);
    simulator.append([{ type: 'branch.take', node: 'choose', take: 'right', by: 'model' }]);
    simulator.crash();
    expect(outputOf(simulator)).toEqual({ b: { b: { take: 'right' } } });
    expect(simulator.entries('choose')).toBe(1);
  });
});

describe('map (W10)', () => {
  const body = build.body({ nodes: { x: t } });

  it.each([0, 1, 2, 7, 500])('puts out one entry for each of %i items, in their order, at any concurrency', (count) => {
    const items = Array.from({ length: count }, (_, index) => index % 3);
    for (const concurrency of [1, 2, 7, 1000]) {
      const simulator = Simulator.start(makeGraph({ nodes: { m: map('input', body, { concurrency }) } }), items);
      const started: string[] = [];
      let most = 0;
      simulator.run((node) => {
        if (!started.includes(node.path)) started.push(node.path);
        most = Math.max(most, simulator.state.progress.running.size);
        return { kind: 'ok', output: [node.path, node.input] };
      });
      expect(simulator.state.output).toEqual(items.map((item, index) => [`m[${index}]/x`, item]));
      expect(started).toEqual(items.map((_, index) => `m[${index}]/x`));
      expect(most).toBe(Math.min(concurrency, count));
      expect(simulator.story.filter((line) => line === 'map.item m')).toHaveLength(count);
    }
  });

  it('begins the lowest item that is left whenever one is done', () => {
    const simulator = Simulator.start(
      makeGraph({ nodes: { m: map('input', body, { concurrency: 2 }) } }),
      [1, 2, 3, 4],
    );
    simulator.settle();
    simulator.exit('m[1]/x');
    expect(simulator.settle().active.map(({ path }) => path)).toEqual(['m[0]/x', 'm[2]/x']);
    expect(simulator.state.nodes.get('m')?.items).toEqual({ count: 4, done: 1 });
  });

  it('fails when its list is none', () => {
    const simulator = Simulator.start(
      makeGraph({ nodes: { m: map('input', body, { retry: { attempts: 3 } }) } }),
      'text',
    );
    simulator.run();
    expect(simulator.state).toMatchObject({ status: 'failed', error: { code: 'expression_failed' } });
    expect(simulator.entries('m')).toBe(1);
  });

  it('nests: an inner map has its items in each item of the outer one', () => {
    const inner = build.body({
      nodes: { in: map('item', build.body({ nodes: { y: t }, output: cel('[item, index]') })) },
    });
    const simulator = Simulator.start(makeGraph({ nodes: { out: map('input', inner, { concurrency: 2 }) } }), [
      [1, 2],
      [],
      [3],
    ]);
    expect(outputOf(simulator)).toEqual([
      [
        [1, 0],
        [2, 1],
      ],
      [],
      [[3, 0]],
    ]);
    expect(simulator.story).toContain('node.enter out[2]/in[0]/y');
  });
});

describe('fold (W11)', () => {
  const grow = build.body({ nodes: { x: t }, output: cel('previous + pass') });

  it('gives each pass the output of the one before, until its condition holds', () => {
    const simulator = Simulator.start(
      makeGraph({ nodes: { f: fold(grow, { until: 'output >= 16 && pass == 3', maxPasses: 9 }) } }),
      10,
    );
    expect(outputOf(simulator)).toBe(16);
    expect(simulator.events.filter(({ type }) => type === 'fold.pass')).toMatchObject([
      { pass: 1, output: 11, done: false },
      { pass: 2, output: 13, done: false },
      { pass: 3, output: 16, done: true },
    ]);
  });

  it('begins with `initial`, and lists every pass where it is told to', () => {
    const f = fold(grow, { initial: cel('input * 100'), until: 'pass == 2', maxPasses: 5, join: 'list' });
    expect(outputOf(Simulator.start(makeGraph({ nodes: { f } }), 1))).toEqual([101, 103]);
  });

  it('at `maxPasses` fails, or finishes with what there is', () => {
    const bound = (onBound: 'fail' | 'finish') =>
      fold(grow, { until: 'false', maxPasses: 2, onBound, retry: { attempts: 5 } });
    const failed = Simulator.start(makeGraph({ nodes: { f: bound('fail') } }), 0);
    failed.run();
    expect(failed.state.error).toEqual({ code: 'limit_reached', message: "f: 'until' did not hold in 2 passes" });
    expect(outputOf(Simulator.start(makeGraph({ nodes: { f: bound('finish') } }), 0))).toBe(3);
  });

  it('fails when its condition is neither true nor false', () => {
    const simulator = Simulator.start(makeGraph({ nodes: { f: fold(grow, { until: 'output', maxPasses: 2 }) } }), 0);
    simulator.run();
    expect(simulator.state.error?.code).toBe('expression_failed');
    expect(simulator.story.slice(-2)).toEqual(['node.exit f', 'run.fail']);
  });
});

describe('outputs (W12, W13)', () => {
  it('are the template, the output of the one last node, or of every last node that was not skipped', () => {
    const nodes = { choose: pick('go'), a: t, b: t, c: t };
    const edges = [
      ['choose', 'a', 'yes'],
      ['choose', 'b', 'no'],
    ] as const;
    expect(outputOf(Simulator.start(makeGraph(graph({ nodes, edges })), 'go'))).toEqual({
      a: { a: { take: 'yes' } },
      c: { c: 'go' },
    });
    const output = { from: cel('nodes.choose.output.take'), b: cel('nodes.b.output') };
    expect(outputOf(Simulator.start(makeGraph(graph({ nodes, edges, output })), 'go'))).toEqual({
      from: 'yes',
      b: null,
    });
    expect(
      outputOf(Simulator.start(makeGraph({ nodes: { m: map('input', { nodes: { a: t, b: t } }) } }), [1])),
    ).toEqual([{ a: { a: 1 }, b: { b: 1 } }]);
  });

  it('fail the run when the template has no value', () => {
    const simulator = Simulator.start(makeGraph({ nodes: { a: t }, output: cel('nodes.a.output.missing') }), {});
    simulator.run();
    expect(simulator.state.error?.code).toBe('expression_failed');
    expect(simulator.state.error?.message).toMatch(/^output: /);
    expect(simulator.story.slice(-2)).toEqual(['node.exit a', 'run.fail']);
  });
});

describe('gate (W14)', () => {
  const nodes = { g: gate(`ship ${cel('input.what')}?`), other: t, after: t };
  const document = graph({ nodes, edges: [['g', 'after']] });

  it('asks, waits while other nodes go on, and puts out the answer', () => {
    const simulator = Simulator.start(makeGraph(document), { what: 'it' });
    const parked = simulator.run();
    expect(parked).toMatchObject({ active: [], delayed: [], drafts: [] });
    expect(parked.gates).toEqual([{ path: 'g', offset: 3, question: 'ship it?', answerSchema: { type: 'boolean' } }]);
    expect(simulator.state.nodes.get('other')?.status).toBe('ok');
    simulator.answer('g', true);
    expect(outputOf(simulator)).toEqual({ other: { what: 'it' }, after: { after: true } });
  });

  it('is not entered again after a crash, before it opened or while it waits', () => {
    const simulator = Simulator.start(makeGraph(document), { what: 'it' });
    simulator.append(simulator.moves().drafts);
    simulator.crash();
    simulator.run();
    simulator.crash();
    simulator.run();
    expect(simulator.entries('g')).toBe(1);
    expect(simulator.story.filter((line) => line === 'gate.open g')).toHaveLength(1);
  });

  it('keeps its first answer, and takes none that names another gate', () => {
    const simulator = Simulator.start(makeGraph(document), { what: 'it' });
    const [gate] = simulator.run().gates;
    const answer = (offset: number, value: unknown) =>
      simulator.append([{ type: 'gate.answer', node: 'g', gate: offset, answer: value, by: 'person' }]);
    answer((gate?.offset ?? 0) + 1, 'wrong');
    expect(simulator.settle().gates).toHaveLength(1);
    answer(gate?.offset ?? 0, 'first');
    answer(gate?.offset ?? 0, 'second');
    outputOf(simulator);
    expect(simulator.state.nodes.get('g')?.output).toBe('first');
  });

  it('keeps each answer at its own gate and item, in any order of answers', () => {
    const items = map('input', { nodes: { ask: gate('?') } }, { concurrency: 3 });
    const simulator = Simulator.start(makeGraph({ nodes: { ga: gate('?'), gb: gate('?'), m: items } }), [1, 2, 3]);
    expect(
      simulator
        .run()
        .gates.map(({ path }) => path)
        .sort(),
    ).toEqual(['ga', 'gb', 'm[0]/ask', 'm[1]/ask', 'm[2]/ask']);
    for (const path of ['gb', 'm[2]/ask']) simulator.answer(path, path);
    simulator.crash();
    for (const path of ['m[0]/ask', 'ga', 'm[1]/ask']) simulator.answer(path, path);
    expect(outputOf(simulator)).toEqual({ ga: 'ga', gb: 'gb', m: ['m[0]/ask', 'm[1]/ask', 'm[2]/ask'] });
  });

  it('asks with the JSON of a question that is no text', () => {
    const simulator = Simulator.start(makeGraph({ nodes: { g: gate({ sum: cel('input') }) } }), 3);
    expect(simulator.run().gates[0]?.question).toBe('{"sum":3}');
  });
});
