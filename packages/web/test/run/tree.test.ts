import type { LoggedEvent } from '@ramet/core';
import { buildRun, encodeLog, makeGraph, type NodePlan } from '@ramet/testkit';
import { describe, expect, it } from 'vitest';
import { Timeline } from '../../src/run/timeline.ts';
import { worstOf } from '../../src/run/walk/states.ts';
import { keysAbove, listWalk } from '../../src/run/walk/tree.ts';

const program = { kind: 'tool' as const, exec: { command: 'true' } };
const graph = makeGraph({
  nodes: {
    first: program,
    m: { kind: 'map', over: 'input', body: { nodes: { work: program } } },
    f: { kind: 'fold', until: 'true', maxPasses: 9, body: { nodes: { step: program } } },
  },
  edges: [
    { from: 'first', to: 'm' },
    { from: 'm', to: 'f' },
  ],
});

function nodesOf(plans: readonly NodePlan[], items = 0) {
  const drafts = [
    ...buildRun({ nodes: [{ path: 'first' }, { path: 'm', outcome: null }] }),
    { type: 'map.open' as const, node: 'm', count: items },
    ...buildRun({ nodes: plans }).slice(1),
  ];
  const events: readonly LoggedEvent[] = encodeLog(drafts).map(({ event }) => event);
  return new Timeline(graph).catchUp(events, 1).nodes;
}

/** The tree as text: one row a line, indented by its level. */
function draw(nodes: ReturnType<typeof nodesOf>, expanded: readonly string[], document: typeof graph | null = graph) {
  return listWalk({ graph: document, nodes, expanded: new Set(expanded) }).map(
    ({ level, label, state, isExpanded }) =>
      `${'  '.repeat(level - 1)}${isExpanded === null ? '' : isExpanded ? '- ' : '+ '}${label}: ${state}`,
  );
}

describe('the tree of a walk', () => {
  const two = nodesOf(
    [
      { path: 'm[0]/work' },
      { path: 'm[1]/work', outcome: 'failed' },
      { path: 'f', outcome: null },
      { path: 'f#1/step', outcome: null },
    ],
    2,
  );

  it('shows every node of the document, also those that were not reached', () => {
    expect(draw(nodesOf([]), [])).toEqual(['first: ok', 'm: entered', 'f: not reached']);
  });

  it('unfolds items and passes, and the nodes in them', () => {
    expect(draw(two, ['m', 'm[1]', 'f'])).toEqual([
      'first: ok',
      '- m: entered',
      '  + item 0: ok',
      '  - item 1: failed',
      '    work: failed',
      '- f: entered',
      '  + pass 1: entered',
    ]);
  });

  it('puts 10,000 items into ranges, and makes rows only of what is unfolded', () => {
    const many = nodesOf([{ path: 'm[205]/work', outcome: 'failed' }], 10_000);
    expect(draw(many, ['m'])).toHaveLength(3 + 100);
    expect(draw(many, ['m'])).toContain('  + items 200 to 299: failed');
    const rows = draw(many, ['m', ...keysAbove('m[205]/work')]);
    expect(rows).toHaveLength(3 + 100 + 100 + 1);
    expect(rows).toContain('      work: failed');
  });

  it('names for a place all that must be unfolded', () => {
    expect(keysAbove('first')).toEqual([]);
    expect(keysAbove('m[2]/f#3/step')).toEqual(['m', 'm from 0', 'm[2]', 'm[2]/f', 'm[2]/f from 1', 'm[2]/f#3']);
  });

  it('shows the places in the order they were met when the document is gone', () => {
    expect(draw(two, [], null)).toEqual([
      'first: ok',
      'm: entered',
      'm[0]/work: ok',
      'm[1]/work: failed',
      'f: entered',
      'f#1/step: entered',
    ]);
  });

  it('gives every row its place among its siblings, and keys that are unique', () => {
    const rows = listWalk({ graph, nodes: two, expanded: new Set(['m', 'm[0]', 'm[1]', 'f', 'f#1']) });
    expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
    for (const { position, siblings, parent } of rows) {
      expect(position).toBeLessThanOrEqual(siblings);
      expect(parent === null || rows.some(({ key }) => key === parent)).toBe(true);
    }
  });
});

describe('the state of a body', () => {
  it('is that of its most notable place', () => {
    expect(worstOf(['ok', 'waiting', 'failed'])).toBe('failed');
    expect(worstOf(['ok', 'skipped'])).toBe('ok');
    expect(worstOf(['ok', 'not reached'])).toBe('entered');
    expect(worstOf(['not reached'])).toBe('not reached');
    expect(worstOf([])).toBe('not reached');
  });
});
