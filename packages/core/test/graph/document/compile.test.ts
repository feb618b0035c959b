import { sha256 } from '@ramet/testkit';
import { describe, expect, it } from 'vitest';
import { compileGraph, type GraphDocument, hashGraph } from '../../../src/graph/index.ts';
import { WHOLE } from './documents.ts';

function reorder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reorder);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, entry]) => [key, reorder(entry)]),
  );
}

const OTHER = reorder(WHOLE) as GraphDocument;

describe('a compiled document', () => {
  const graph = compileGraph(WHOLE, hashGraph(WHOLE, sha256));

  it('has every node with its place and edges, bodies included', () => {
    expect([...graph.nodes.keys()].sort()).toEqual(
      ['better', 'choose', 'count', 'fine', 'last', 'look', 'rate', 'read', 'send', 'which-way'].sort(),
    );
    expect([...graph.bodies.keys()]).toEqual(['look', 'better']);
    const rate = graph.nodes.get('rate');
    expect(rate?.scope).toBe(graph.bodies.get('better'));
    expect(rate?.scope.owner?.scope.owner?.scope).toBe(graph.root);
    expect(graph.nodes.get('which-way')?.outgoing.map(({ to, on }) => `${on} ${to}`)).toEqual([
      'yes send',
      'no choose',
    ]);
    expect(graph.nodes.get('better')?.incoming).toEqual([{ from: 'read', to: 'better' }]);
  });

  it('has an order in which every node comes after those it waits for', () => {
    expect(graph.root.order).toEqual(['look', 'count', 'fine', 'which-way', 'choose', 'send', 'last']);
    expect(graph.bodies.get('look')?.order).toEqual(['read', 'better']);
  });

  it('has the same hash and the same order however the document is written', () => {
    expect(hashGraph(OTHER, sha256)).toBe(graph.hash);
    const other = compileGraph(OTHER, graph.hash);
    expect(other.root.order).toEqual(graph.root.order);
    expect([...other.nodes.keys()]).toEqual([...graph.nodes.keys()]);
  });

  it('has nodes by any id', () => {
    const document = JSON.parse(
      '{"schema": 1, "nodes": {"__proto__": {"kind": "agent"}, "constructor": {"kind": "agent"}}}',
    );
    const { root, nodes } = compileGraph(document as GraphDocument, graph.hash);
    expect(root.order).toEqual(['__proto__', 'constructor']);
    expect(nodes.get('__proto__')?.node).toEqual({ kind: 'agent' });
    expect(nodes.get('toString')).toBeUndefined();
  });
});
