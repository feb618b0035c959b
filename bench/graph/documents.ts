/** The documents that are walked: chains of one tool, a wide map, a long fold. */
import type { GraphDocument, GraphNode } from '@ramet/core';

/** Nodes `s0` to `s<n-1>`, one after the other, each a call of `step` with its number. */
export function makeChain(steps: number): GraphDocument {
  const ids = Array.from({ length: steps }, (_, index) => `s${index}`);
  const nodes = ids.map((id, index) => [id, callOf(index)] as const);
  const edges = ids.slice(1).map((to, index) => ({ from: ids[index] ?? '', to }));
  return { schema: 1, nodes: Object.fromEntries(nodes), edges };
}

/** One call for each item of the run's input. */
export function makeMap(concurrency: number): GraphDocument {
  const body = { nodes: { call: callOf(seen('item')) } };
  return { schema: 1, nodes: { items: { kind: 'map', over: 'input', concurrency, body } } };
}

/** One call for each of this many passes. */
export function makeFold(passes: number): GraphDocument {
  const body = { nodes: { call: callOf(seen('pass')) } };
  const bounds = { initial: 0, until: 'false', maxPasses: passes, onBound: 'finish' } as const;
  return { schema: 1, nodes: { passes: { kind: 'fold', ...bounds, body } } };
}

function callOf(input: unknown): GraphNode {
  return { kind: 'tool', tool: 'step', input };
}

/** A template that is what a name stands for. */
function seen(name: string): string {
  return `$\{{ ${name} }}`;
}
