/** The states of places, and of bodies by those of the places in them. */
import { nodePathOf, passPathOf } from '@ramet/core/events';
import type { Scope } from '@ramet/core/graph';
import type { NodeView, NodeViewState } from '@ramet/core/runs';
import type { Tone } from '../../ui/badge.tsx';
import type { Nodes } from '../timeline.ts';

export type PlaceState = NodeViewState | 'not reached';

export const TONES: Readonly<Record<PlaceState, Tone>> = {
  'not reached': 'plain',
  entered: 'busy',
  waiting: 'warn',
  delayed: 'warn',
  ok: 'good',
  failed: 'bad',
  interrupted: 'warn',
  skipped: 'plain',
};

/** What a person looks for comes first. */
const NOTABLE = ['failed', 'interrupted', 'waiting', 'delayed', 'entered'] as const;

/** The most notable state among some; `ok` when all of them are done. */
export function worstOf(states: Iterable<PlaceState>): PlaceState {
  const found = new Set(states);
  const notable = NOTABLE.find((state) => found.has(state));
  if (notable !== undefined) return notable;
  if (!found.has('not reached')) return found.size === 0 ? 'not reached' : 'ok';
  return found.size === 1 ? 'not reached' : 'entered';
}

/** The state of one item or pass: that of its places. */
export function stateOfBody(nodes: Nodes, scope: Scope, body: string): PlaceState {
  return worstOf(scope.order.map((id) => nodes.get(nodePathOf(body, id))?.state ?? 'not reached'));
}

/** The bodies of a map or a fold: which numbers there are. */
export interface Bodies {
  readonly kind: 'map' | 'fold';
  /** Items count from 0, passes from 1. */
  readonly first: number;
  readonly count: number;
}

/** The items of a map, or the passes of a fold that were begun; null of any other place. */
export function bodiesOf(nodes: Nodes, scope: Scope | undefined, view: NodeView | undefined): Bodies | null {
  if (scope === undefined || view === undefined) return null;
  if (scope.owner?.node.kind === 'map') return { kind: 'map', first: 0, count: view.items?.count ?? 0 };
  const done = view.passes ?? 0;
  const isNextBegun = stateOfBody(nodes, scope, passPathOf(view.node, done + 1)) !== 'not reached';
  return { kind: 'fold', first: 1, count: done + (isNextBegun ? 1 : 0) };
}
