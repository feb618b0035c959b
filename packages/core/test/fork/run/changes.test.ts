import type { Graph, GraphBody } from '@ramet/core';
import { describe, expect, it } from 'vitest';
import { buildChild, buildRun, enter, exit, makeGraph, planOf, refusalOf, skip, sourceOf, work } from './run-log.ts';

const send = { kind: 'tool', tool: 'mcp__a__send' } as const;

/** A template that names the output of a node. */
function of(id: string): string {
  return `\${{ nodes.${id}.output }}`;
}

/** `first` → `second` (its input names nothing) → `fork`, which names `first`; beside them a map and a fold. */
const DOCUMENT = {
  nodes: {
    first: send,
    second: { ...send, input: 'fixed' },
    beside: send,
    map: {
      kind: 'map',
      over: 'nodes.first.output.list',
      body: {
        nodes: { item: send, next: { ...send, input: of('beside') } },
        edges: [{ from: 'item', to: 'next' }],
        output: of('beside'),
      },
    },
    fork: { ...send, input: `as ${of('first')} says` },
    loop: {
      kind: 'fold',
      until: 'false',
      maxPasses: 9,
      body: { nodes: { step: send, check: send }, edges: [{ from: 'step', to: 'check' }] },
    },
    last: send,
  },
  edges: [
    { from: 'first', to: 'second' },
    { from: 'second', to: 'fork' },
    { from: 'first', to: 'beside' },
    { from: 'beside', to: 'map' },
    { from: 'fork', to: 'loop' },
    { from: 'loop', to: 'last' },
  ],
} as const satisfies GraphBody;
const GRAPH = makeGraph(DOCUMENT);

const START = [...work('first'), ...work('second')];
const TO_LOOP = [
  ...START,
  ...work('beside'),
  ...work('fork'),
  enter('loop'),
  ...work('loop#1/step'),
  ...work('loop#1/check'),
  ...work('loop#2/step'),
  ...work('loop#2/check'),
];

function source(drafts: Parameters<typeof buildRun>[1], graph: Graph = GRAPH) {
  return sourceOf(graph, buildRun(graph, drafts));
}

describe('a changed input', () => {
  it.each(['first', 'second', 'loop', 'loop#2/step'])('replaces that of the fork node %s', (fromNode) => {
    expect(planOf(source([...TO_LOOP]), { fromNode, input: null }).changes).toEqual({ input: null });
  });
});

describe('a changed output', () => {
  it('replaces that of a finished node which nothing before the boundary used', () => {
    const plan = planOf(source([...START, enter('fork')]), { fromNode: 'fork', outputs: { second: { a: 1 } } });
    expect(plan.changes).toEqual({ outputs: { second: { a: 1 } } });
  });

  it('replaces that of a node which the nodes after it do not look at', () => {
    expect(planOf(source([...START, enter('fork')]), { fromNode: 'fork', outputs: { first: 1 } }).changes).toEqual({
      outputs: { first: 1 },
    });
  });

  it('is kept by the path of the node', () => {
    expect(planOf(source(TO_LOOP), { fromNode: 'loop#1/check', outputs: { step: 1 } }).changes).toEqual({
      outputs: { 'loop#1/step': 1 },
    });
  });

  it.each([
    ['takes it as its input', [...START, ...work('beside'), enter('map'), enter('fork')], 'beside', ['map']],
    ['names it and has finished', [...START, ...work('fork'), enter('loop')], 'first', ['fork']],
    [
      'names it and is still running',
      [...START, ...work('beside'), enter('map'), enter('fork')],
      'first',
      ['beside', 'map'],
    ],
    ['is a pass that is done', TO_LOOP, 'loop#1/step', ['loop#1', 'loop#1/check']],
    [
      'is in an item or is what an item put out',
      [...START, ...work('beside'), enter('map'), ...work('map[0]/item'), ...work('map[0]/next'), enter('fork')],
      'beside',
      ['map', 'map[0]/next', 'map[0]'],
    ],
  ])('is refused when something %s, and that is named', (_, drafts, node, users) => {
    const fromNode =
      drafts === TO_LOOP ? 'loop#2/step' : drafts.some((draft) => draft.node === 'loop') ? 'loop' : 'fork';
    expect(refusalOf(source(drafts), { fromNode, outputs: { [node]: 1 } })).toMatchObject({
      code: 'change_refused',
      data: { node, users },
    });
  });

  it.each(['fork', 'last', 'beside'])('is refused of %s, which had not finished', (node) => {
    const drafts = [...START, enter('beside'), ...work('fork')];
    expect(refusalOf(source(drafts), { fromNode: 'fork', outputs: { [node]: 1 } })).toMatchObject({
      code: 'change_refused',
      data: { node },
    });
  });

  it('is refused of a node that finished at several places', () => {
    expect(refusalOf(source([...TO_LOOP, enter('last')]), { fromNode: 'last', outputs: { step: 1 } })).toMatchObject({
      code: 'change_refused',
      data: { paths: ['loop#1/step', 'loop#2/step'] },
    });
  });

  it('is refused of a node that is not in the document', () => {
    expect(refusalOf(source(START), { fromNode: 'second', outputs: { nope: 1 } }).code).toBe('node_unknown');
  });
});

describe('another document', () => {
  const { nodes, edges } = DOCUMENT;
  const forkAt = (fromNode: string, body: GraphBody, drafts: Parameters<typeof buildRun>[1] = TO_LOOP) => ({
    source: source(drafts),
    request: { fromNode, graph: makeGraph(body) },
  });

  it.each<[string, string, GraphBody]>([
    ['changes the fork node', 'fork', { nodes: { ...nodes, fork: { ...send, effect: 'write' } }, edges }],
    ['changes what comes after it', 'fork', { nodes: { ...nodes, last: { ...send, input: 1 } }, edges }],
    [
      'adds a node behind',
      'fork',
      { nodes: { ...nodes, more: send }, edges: [...edges, { from: 'last', to: 'more' }] },
    ],
    [
      'adds a node before the fork node',
      'fork',
      { nodes: { ...nodes, more: send }, edges: [...edges, { from: 'more', to: 'fork' }] },
    ],
    [
      'changes a node of a body that was not entered yet',
      'loop#1/check',
      {
        nodes: {
          ...nodes,
          loop: { ...nodes.loop, body: { ...nodes.loop.body, nodes: { step: send, check: { ...send, input: 1 } } } },
        },
        edges,
      },
    ],
  ])('is walked when it %s', (_, fromNode, body) => {
    const { source: from, request } = forkAt(fromNode, body);
    expect(planOf(from, request)).toMatchObject({ graphHash: request.graph.hash, changes: { graphFrom: GRAPH.hash } });
  });

  it('that is the same is no change', () => {
    const { source: from, request } = forkAt('fork', DOCUMENT);
    expect(planOf(from, request)).not.toHaveProperty('changes');
  });

  it.each<[string, string, GraphBody, object[]]>([
    [
      'changes fields of a node that finished',
      'fork',
      { nodes: { ...nodes, second: { kind: 'tool', tool: 'mcp__a~b__other', input: 'fixed', effect: 'read' } }, edges },
      [
        { at: '/nodes/second/tool', change: 'changed' },
        { at: '/nodes/second/effect', change: 'added' },
      ],
    ],
    [
      'takes a field from a node that finished',
      'fork',
      { nodes: { ...nodes, second: send }, edges },
      [{ at: '/nodes/second/input', change: 'removed' }],
    ],
    [
      'puts a node between two that finished',
      'fork',
      {
        nodes: { ...nodes, more: send },
        edges: [{ from: 'first', to: 'more' }, { from: 'more', to: 'second' }, ...edges.slice(1)],
      },
      [
        { at: '/edges/0', change: 'removed' },
        { at: '/edges/1', change: 'added' },
      ],
    ],
    [
      'changes a fold that was entered',
      'loop#1/step',
      { nodes: { ...nodes, loop: { ...nodes.loop, maxPasses: 3 } }, edges },
      [{ at: '/nodes/loop/maxPasses', change: 'changed' }],
    ],
    [
      'changes a node in a pass that was entered',
      'loop#2/step',
      {
        nodes: {
          ...nodes,
          loop: { ...nodes.loop, body: { ...nodes.loop.body, nodes: { step: { ...send, input: 1 }, check: send } } },
        },
        edges,
      },
      [{ at: '/nodes/loop/body/nodes/step/input', change: 'added' }],
    ],
    [
      'changes what a pass that is done put out',
      'loop#2/step',
      { nodes: { ...nodes, loop: { ...nodes.loop, body: { ...nodes.loop.body, output: 1 } } }, edges },
      [{ at: '/nodes/loop/body', change: 'added' }],
    ],
  ])('is refused when it %s, with the differences', (_, fromNode, body, differences) => {
    const { source: from, request } = forkAt(fromNode, body);
    expect(refusalOf(from, request)).toMatchObject({ code: 'graph_changed', data: { differences } });
  });

  it('is refused when it has the fork node no more, or has it elsewhere', () => {
    const { loop, ...rest } = nodes;
    const without = { nodes: rest, edges: edges.slice(0, 4) };
    const at = forkAt('loop', without, [...START, ...work('beside'), ...work('fork'), enter('loop')]);
    expect(refusalOf(at.source, at.request)).toMatchObject({
      data: { differences: [{ at: '/nodes/loop', change: 'removed' }] },
    });
    const inner = { kind: 'fold', until: 'true', maxPasses: 1, body: { nodes: { loop } } } as const;
    const moved = forkAt('loop', { nodes: { ...rest, outer: inner }, edges: edges.slice(0, 4) }, [enter('loop')]);
    expect(refusalOf(moved.source, moved.request)).toMatchObject({
      data: { differences: [{ at: '/nodes/loop', change: 'moved' }] },
    });
  });

  it('is refused when it changes a node that was skipped', () => {
    const drafts = [...work('first'), skip('second', 'x'), enter('beside')];
    const { source: from, request } = forkAt('beside', { nodes: { ...nodes, second: send }, edges }, drafts);
    expect(refusalOf(from, request).code).toBe('graph_changed');
  });
});

describe('what the source’s own fork changed', () => {
  const lines = buildRun(GRAPH, [...START, ...work('fork')]);
  const changed = planOf(sourceOf(GRAPH, lines), {
    fromNode: 'fork',
    input: 'given',
    outputs: { second: 2, first: 1 },
  });
  const child = sourceOf(GRAPH, buildChild(lines, changed, { own: [...work('fork'), enter('loop')] }));

  it('holds in its child where the prefix rests on it', () => {
    expect(planOf(child, { fromNode: 'loop' }).inheritedChanges).toEqual({ outputs: { second: 2, first: 1 } });
    expect(planOf(child, { fromNode: 'second' }).inheritedChanges).toEqual({ outputs: { first: 1 } });
    expect(planOf(child, { fromNode: 'first' })).not.toHaveProperty('inheritedChanges');
  });

  it('is the input of the fork node again, unless that is changed again', () => {
    expect(planOf(child, { fromNode: 'fork' }).inheritedChanges).toEqual({
      input: 'given',
      outputs: { second: 2, first: 1 },
    });
    const again = planOf(child, { fromNode: 'fork', input: 'new', outputs: { second: 3 } });
    expect(again.changes).toEqual({ input: 'new', outputs: { second: 3 } });
    expect(again.inheritedChanges).toEqual({ outputs: { second: 2, first: 1 } });
  });

  it('is refused to be lost with the input of a node that is still at work', () => {
    const atWork = sourceOf(GRAPH, buildChild(lines, changed, { own: [enter('fork'), enter('beside'), exit('fork')] }));
    expect(refusalOf(atWork, { fromNode: 'beside' })).toMatchObject({ code: 'change_refused', data: { node: 'fork' } });
  });
});
