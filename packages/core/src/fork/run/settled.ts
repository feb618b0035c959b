/** How nodes stand at a boundary, from every mark below it. Read only where a person changes what the prefix rests on. */
import { type BodyPath, type NodePath, splitNodePath } from '../../events/index.ts';
import type { Graph } from '../../graph/index.ts';
import type { FoundNode } from './boundary.ts';
import type { RunForkSource } from './types.ts';

/** `open`: entered, and at work or to be entered again. */
export type NodeStanding = 'finished' | 'skipped' | 'open';

/** What the prefix holds of nodes. */
export interface PrefixNodes {
  readonly nodes: ReadonlyMap<NodePath, NodeStanding>;
  /** Items and passes whose nodes have all finished or were skipped. */
  readonly doneBodies: ReadonlySet<BodyPath>;
}

/** Reads what the prefix holds of nodes. */
export function readPrefixNodes(source: RunForkSource, boundary: FoundNode): PrefixNodes {
  const nodes = new Map<NodePath, NodeStanding>();
  for (let segment = 0; segment <= boundary.segment; segment += 1) {
    if (source.heads[segment]?.walk === undefined) continue;
    for (const { offset, type, node, outcome } of source.readDetail(segment).nodes) {
      if (offset >= boundary.mark.offset) break;
      if (type === 'skip') nodes.set(node, 'skipped');
      else if (nodes.get(node) !== 'finished') nodes.set(node, outcome === 'ok' ? 'finished' : 'open');
    }
  }
  return { nodes, doneBodies: findDoneBodies(source.graph, nodes) };
}

function findDoneBodies(graph: Graph, nodes: ReadonlyMap<NodePath, NodeStanding>): ReadonlySet<BodyPath> {
  const settled = new Map<BodyPath, number>();
  const done = new Set<BodyPath>();
  for (const [path, standing] of nodes) {
    if (standing === 'open') continue;
    const { body, id } = splitNodePath(path);
    const count = (settled.get(body) ?? 0) + 1;
    settled.set(body, count);
    if (body !== '' && count === graph.nodes.get(id)?.scope.order.length) done.add(body);
  }
  return done;
}
