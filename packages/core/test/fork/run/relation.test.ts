import type { Scope } from '@ramet/core';
import { describe, expect, it } from 'vitest';
import { makeDescends } from '../../../src/fork/run/relation.ts';
import { makeGraph } from './run-log.ts';

const tool = { kind: 'tool', tool: 'mcp__a__send' } as const;
const GRAPH = makeGraph({
  nodes: {
    a: tool,
    b: tool,
    c: tool,
    m: {
      kind: 'map',
      over: '[1, 2]',
      body: {
        nodes: {
          x: tool,
          f: {
            kind: 'fold',
            until: 'false',
            maxPasses: 3,
            body: { nodes: { p: tool, q: tool, r: tool }, edges: [{ from: 'p', to: 'q' }] },
          },
          y: tool,
          z: tool,
        },
        edges: [
          { from: 'x', to: 'f' },
          { from: 'f', to: 'y' },
        ],
      },
    },
    d: tool,
  },
  edges: [
    { from: 'a', to: 'm' },
    { from: 'a', to: 'b' },
    { from: 'm', to: 'd' },
    { from: 'b', to: 'c' },
  ],
});
const ITEMS = 2;
const PASSES = 3;

/** Every node of a walk, and what comes at once after its beginning and its end: `<path` begins, `path>` ends. */
function unroll(): { readonly paths: readonly string[]; readonly next: ReadonlyMap<string, readonly string[]> } {
  const paths: string[] = [];
  const next = new Map<string, string[]>();
  const follows = (from: string, to: string) => next.set(from, [...(next.get(from) ?? []), to]);
  const addBody = (scope: Scope, prefix: string, after: readonly string[]): readonly string[] => {
    for (const id of scope.order) {
      const path = `${prefix}${id}`;
      paths.push(path);
      follows(`<${path}`, `${path}>`);
      for (const before of after) follows(before, `<${path}`);
      const placed = GRAPH.nodes.get(id);
      for (const { to } of placed?.outgoing ?? []) follows(`${path}>`, `<${prefix}${to}`);
      const body = GRAPH.bodies.get(id);
      let ends = [`<${path}`];
      for (let index = 0; body !== undefined && placed?.node.kind === 'map' && index < ITEMS; index += 1) {
        for (const end of addBody(body, `${path}[${index}]/`, [`<${path}`])) follows(end, `${path}>`);
      }
      for (let pass = 1; body !== undefined && placed?.node.kind === 'fold' && pass <= PASSES; pass += 1) {
        ends = [...addBody(body, `${path}#${pass}/`, ends)];
        for (const end of ends) follows(end, `${path}>`);
      }
    }
    return scope.order.map((id) => `${prefix}${id}>`);
  };
  addBody(GRAPH.root, '', []);
  return { paths, next };
}

describe('a node descends from the fork node', () => {
  const { paths, next } = unroll();

  it.each(paths)('%s exactly when the walk could not end it before', (from) => {
    const reached = new Set<string>([`<${from}`]);
    for (const point of reached) for (const after of next.get(point) ?? []) reached.add(after);
    const descends = makeDescends(GRAPH, from);
    expect(paths.filter(descends)).toEqual(paths.filter((path) => reached.has(`${path}>`)));
  });
});
