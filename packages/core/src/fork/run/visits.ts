/**
 * The visits of a node: the places it was entered at, in the order of their first `node.enter`. A place that is entered
 * again, after a failure or a crash, is another attempt of the same visit.
 */
import { innermostItemOf, type NodePath, nodeIdOf } from '../../events/index.ts';
import { mayName } from '../../log/index.ts';
import type { FoundNode } from './boundary.ts';
import type { NodeName } from './names.ts';
import type { RunForkSource } from './types.ts';

/** Where a name was entered, and where it was skipped. */
export interface Visits {
  /** The first `node.enter` of each path. */
  readonly visits: readonly FoundNode[];
  readonly skips: readonly FoundNode[];
}

/** Every visit that a name stands for; of one item, when that is named. */
export function collectVisits(source: RunForkSource, name: NodeName, item: number | undefined): Visits {
  const visits = new Map<NodePath, FoundNode>();
  const skips: FoundNode[] = [];
  for (const found of nodesNaming(source, name.text)) {
    const { type, node } = found.mark;
    if (type === 'exit' || !name.matches(node)) continue;
    if (item !== undefined && innermostItemOf(node) !== item) continue;
    if (type === 'skip') skips.push(found);
    else if (!visits.has(node)) visits.set(node, found);
    if (name.single) break;
  }
  return { visits: [...visits.values()], skips };
}

/** Which visit of its node a `node.enter` belongs to, from 1: what `visit` of a request names. */
export function visitOf(source: RunForkSource, { mark }: FoundNode): number {
  const id = nodeIdOf(mark.node);
  // A node outside every map and fold is entered at one place.
  if (id === mark.node) return 1;
  const places = new Set<NodePath>();
  for (const { mark: earlier } of nodesNaming(source, id)) {
    if (earlier.type !== 'enter' || nodeIdOf(earlier.node) !== id) continue;
    places.add(earlier.node);
    if (earlier.node === mark.node) break;
  }
  return places.size;
}

/** Marks of the segments whose heads do not rule a name out, in the order of the log. */
function* nodesNaming(source: RunForkSource, text: string): Generator<FoundNode> {
  for (const [segment, { walk }] of source.heads.entries()) {
    if (walk === undefined || !mayName(walk.names, text)) continue;
    for (const mark of source.readDetail(segment).nodes) yield { mark, segment };
  }
}
