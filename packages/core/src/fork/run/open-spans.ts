/** What is open at a boundary: nodes at work and calls without a result, from the heads before it and one detail. */
import type { NodePath } from '../../events/index.ts';
import { type CallKey, callKeyOf, carryCalls, carryNodes } from '../../log/index.ts';
import type { FoundNode } from './boundary.ts';
import type { RunForkSource } from './types.ts';

/** Nodes that were entered below a boundary and did not exit below it. */
export function findNodesAtWork(source: RunForkSource, boundary: FoundNode): ReadonlySet<NodePath> {
  const open = new Set<NodePath>();
  for (let segment = 0; segment < boundary.segment; segment += 1) {
    const { opened, closed } = nodesAcross(source, segment);
    for (const path of closed) open.delete(path);
    for (const path of opened) open.add(path);
  }
  for (const { type, node, offset } of source.readDetail(boundary.segment).nodes) {
    if (offset >= boundary.mark.offset) break;
    if (type === 'enter') open.add(node);
    else open.delete(node);
  }
  return open;
}

/** Segments before the boundary's that hold the beginning of a call which is open where the boundary's begins. */
export function findSegmentsOfOpenCalls(source: RunForkSource, boundary: FoundNode): ReadonlyMap<CallKey, number> {
  const open = new Map<CallKey, number>();
  for (let segment = 0; segment < boundary.segment; segment += 1) {
    if (open.size > 0) forgetExited(open, nodesAcross(source, segment).closed);
    const { opened, closed } = callsAcross(source, segment);
    for (const key of closed) open.delete(key);
    for (const key of opened) open.set(key, segment);
  }
  return open;
}

/** A node that exited has no call left. */
function forgetExited(open: Map<CallKey, number>, exited: Iterable<NodePath>): void {
  for (const node of exited) {
    const prefix = callKeyOf({ node, callId: '' });
    for (const key of open.keys()) if (key.startsWith(prefix)) open.delete(key);
  }
}

interface Across {
  readonly opened: Iterable<string>;
  readonly closed: Iterable<string>;
}

const NOTHING: Across = { opened: [], closed: [] };

function nodesAcross(source: RunForkSource, segment: number): Across {
  const carry = source.heads[segment]?.walk?.nodes;
  if (carry === undefined) return NOTHING;
  const { opened, closed } = carry;
  return opened === null || closed === null ? carryNodes(source.readDetail(segment).nodes) : { opened, closed };
}

function callsAcross(source: RunForkSource, segment: number): Across {
  const carry = source.heads[segment]?.walk?.calls;
  if (carry === undefined) return NOTHING;
  const { opened, closed } = carry;
  return opened === null || closed === null ? carryCalls(source.readDetail(segment)) : { opened, closed };
}
