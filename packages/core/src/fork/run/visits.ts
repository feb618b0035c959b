/**
 * The visits of a node: the places it was entered at, in the order of their first `node.enter`. A place that is entered
 * again, after a failure or a crash, is another attempt of the same visit.
 */
import { innermostItemOf, type NodePath, nodeIdOf } from '../../events/index.ts';
import { mayName, type NodeMark } from '../../log/index.ts';
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
  for (const { segment, nodes } of segmentsNaming(source, name.text)) {
    for (const mark of nodes) {
      const { type, node } = mark;
      if (type === 'exit' || !name.matches(node)) continue;
      if (item !== undefined && innermostItemOf(node) !== item) continue;
      if (type === 'skip') skips.push({ mark, segment });
      else if (!visits.has(node)) visits.set(node, { mark, segment });
      if (name.single) return { visits: [...visits.values()], skips };
    }
  }
  return { visits: [...visits.values()], skips };
}

/** Which visit of its node a `node.enter` belongs to, from 1: what `visit` of a request names. */
export function visitOf(source: RunForkSource, { mark }: FoundNode): number {
  const id = nodeIdOf(mark.node);
  // A node outside every map and fold is entered at one place.
  if (id === mark.node) return 1;
  const places = new Set<NodePath>();
  const lastStep = `/${id}`;
  for (const { nodes } of segmentsNaming(source, id)) {
    for (const { type, node } of nodes) {
      if (type !== 'enter' || !node.endsWith(lastStep)) continue;
      places.add(node);
      if (node === mark.node) return places.size;
    }
  }
  return places.size;
}

/** The segments whose heads do not rule a name out, in the order of the log. */
function* segmentsNaming(
  source: RunForkSource,
  text: string,
): Generator<{ readonly segment: number; readonly nodes: readonly NodeMark[] }> {
  for (const [segment, { walk }] of source.heads.entries()) {
    if (walk !== undefined && mayName(walk.names, text)) yield { segment, nodes: source.readDetail(segment).nodes };
  }
}
