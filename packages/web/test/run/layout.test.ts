import { makeGraph } from '@ramet/testkit';
import { describe, expect, it } from 'vitest';
import { type Drawing, layoutGraph } from '../../src/run/canvas/layout.ts';
import { showBody, unfoldTo } from '../../src/run/canvas/unfold.ts';

const program = { kind: 'tool' as const, exec: { command: 'true' } };
const graph = makeGraph({
  nodes: {
    first: program,
    m: {
      kind: 'map',
      over: 'input',
      body: {
        nodes: { a: program, f: { kind: 'fold', until: 'true', maxPasses: 3, body: { nodes: { step: program } } } },
        edges: [{ from: 'a', to: 'f' }],
      },
    },
    last: program,
  },
  edges: [
    { from: 'first', to: 'm' },
    { from: 'm', to: 'last' },
  ],
});

function placeOf({ nodes }: Drawing, path: string) {
  const found = nodes.find((node) => node.path === path);
  if (found === undefined) throw new Error(`${path} is not drawn`);
  return found;
}

describe('the drawing of a document', () => {
  it('puts every node below those it waits for', () => {
    const drawing = layoutGraph(graph, new Map());
    expect(drawing.nodes.map(({ path }) => path)).toEqual(['first', 'm', 'last']);
    expect(placeOf(drawing, 'm').y).toBeGreaterThan(placeOf(drawing, 'first').y);
    expect(placeOf(drawing, 'last').y).toBeGreaterThan(placeOf(drawing, 'm').y);
  });

  it('holds the body of an unfolded map, with what is unfolded in it, within its bounds', () => {
    const unfolded = unfoldTo(new Map(), 'm[7]/f#2/step');
    expect([...unfolded]).toEqual([
      ['m', 7],
      ['m[7]/f', 2],
    ]);
    const drawing = layoutGraph(graph, unfolded);
    expect(drawing.nodes.map(({ path }) => path)).toEqual(['first', 'm', 'm[7]/a', 'm[7]/f', 'm[7]/f#2/step', 'last']);
    expect(placeOf(drawing, 'm').shown).toBe(7);
    expect(drawing.edges).toContainEqual({ from: 'm[7]/a', to: 'm[7]/f' });
    for (const { x, y, width, height, parent } of drawing.nodes) {
      if (parent === null) continue;
      const around = placeOf(drawing, parent);
      expect(x).toBeGreaterThanOrEqual(0);
      expect(y).toBeGreaterThanOrEqual(0);
      expect(x + width).toBeLessThanOrEqual(around.width);
      expect(y + height).toBeLessThanOrEqual(around.height);
    }
  });

  it('folds what lies in an item when another one is shown', () => {
    const unfolded = unfoldTo(new Map(), 'm[7]/f#2/step');
    expect([...showBody(unfolded, 'm', 8)]).toEqual([['m', 8]]);
    expect([...showBody(unfolded, 'm', null)]).toEqual([]);
    expect([...showBody(unfolded, 'm[7]/f', 3)]).toEqual([
      ['m', 7],
      ['m[7]/f', 3],
    ]);
  });
});
