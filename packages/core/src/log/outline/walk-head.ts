/** What the head of a segment keeps of the walk of a graph run: derived from the segment's marks, of a bounded size. */
import { nodeIdOf } from '../../events/index.ts';
import { capCarry, carryCalls, carryNodes } from './carry.ts';
import type { CheckpointMark } from './marks.ts';
import { makeNameFilter } from './name-filter.ts';
import type { LastCheckpoints, SegmentDetail, WalkHead } from './outline.ts';

/** Names of open nodes or calls in a head. */
const CARRIED = 32;
/** Ids of nodes whose last checkpoint a head names. */
const CHECKPOINT_IDS = 8;

/** Derives the part about nodes; undefined when nothing in the segment belongs to one. */
export function deriveWalkHead(
  detail: Pick<SegmentDetail, 'nodes' | 'writes' | 'writeOutcomes'>,
): WalkHead | undefined {
  const { nodes, writes, writeOutcomes } = detail;
  const ofNode = ({ node }: { readonly node?: string }): boolean => node !== undefined;
  if (nodes.length === 0 && !writes.some(ofNode) && !writeOutcomes.some(ofNode)) return undefined;
  const names = new Set<string>();
  let enters = 0;
  let lastEnter = -1;
  for (const { type, node, offset } of nodes) {
    if (type === 'exit') continue;
    names.add(node).add(nodeIdOf(node));
    if (type === 'skip') continue;
    enters += 1;
    lastEnter = offset;
  }
  return {
    enters,
    lastEnter,
    names: makeNameFilter(names),
    nodes: capCarry(carryNodes(nodes), CARRIED),
    calls: capCarry(carryCalls(detail), CARRIED),
  };
}

/** Derives the last checkpoint of each node id; undefined without any. */
export function deriveLastCheckpoints(marks: readonly CheckpointMark[]): LastCheckpoints | undefined {
  if (marks.length === 0) return undefined;
  const last = new Map(marks.map((mark) => [mark.node === undefined ? '' : nodeIdOf(mark.node), mark]));
  const kept = [...last.values()].sort((left, right) => left.offset - right.offset).slice(-CHECKPOINT_IDS);
  return { marks: kept, more: last.size > kept.length };
}
