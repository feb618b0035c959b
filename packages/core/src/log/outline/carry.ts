/** What is open across the ends of segments: nodes at work and calls without a result, from the marks of each segment. */
import type { NodePath } from '../../events/index.ts';
import { type CallKey, callKeyOf, type NodeMark, type WriteMark, type WriteOutcomeMark } from './marks.ts';
import type { Carry, SegmentDetail } from './outline.ts';

/** A carry of any length. */
export interface FullCarry<T extends string> {
  readonly opened: ReadonlySet<T>;
  readonly closed: ReadonlySet<T>;
}

/** Nodes at work across the ends of a segment. */
export function carryNodes(marks: readonly NodeMark[]): FullCarry<NodePath> {
  const opened = new Map<NodePath, number>();
  const closed = new Set<NodePath>();
  for (const { type, node, attempt } of marks) {
    if (type === 'enter' && !opened.has(node)) opened.set(node, attempt);
    // An earlier attempt may have been left open before the segment.
    if (type === 'exit' && opened.get(node) !== 1) closed.add(node);
    if (type === 'exit') opened.delete(node);
  }
  return { opened: new Set(opened.keys()), closed };
}

/** What is told of each event that begins or ends a call, or ends all of a node's, in the order of the log. */
export interface CallVisitor {
  begin(mark: WriteMark): void;
  end(mark: WriteOutcomeMark): void;
  exit(node: NodePath): void;
}

/** Visits what a segment of a graph run says of calls, after the offset `from` and before the offset `to`. */
export function visitCalls(
  { writes, writeOutcomes, nodes }: Pick<SegmentDetail, 'nodes' | 'writes' | 'writeOutcomes'>,
  { from = -1, to = Number.POSITIVE_INFINITY }: { readonly from?: number; readonly to?: number },
  visitor: CallVisitor,
): void {
  const exits = nodes.filter(({ type }) => type === 'exit');
  let begun = indexAfter(writes, from);
  let ended = indexAfter(writeOutcomes, from);
  let left = indexAfter(exits, from);
  for (;;) {
    const begin = writes[begun];
    const end = writeOutcomes[ended];
    const exit = exits[left];
    const offset = Math.min(begin?.offset ?? to, end?.offset ?? to, exit?.offset ?? to);
    if (offset >= to) return;
    if (offset === begin?.offset) {
      visitor.begin(begin);
      begun += 1;
    } else if (offset === end?.offset) {
      visitor.end(end);
      ended += 1;
    } else if (exit !== undefined) {
      visitor.exit(exit.node);
      left += 1;
    }
  }
}

/** Where the marks after an offset begin; they are in the order of the log. */
function indexAfter(marks: readonly { readonly offset: number }[], offset: number): number {
  const index = marks.findIndex((mark) => mark.offset > offset);
  return index < 0 ? marks.length : index;
}

/** Calls open across the ends of a segment. One that is made again ends the attempt before it. */
export function carryCalls(detail: Pick<SegmentDetail, 'nodes' | 'writes' | 'writeOutcomes'>): FullCarry<CallKey> {
  const opened = new Map<CallKey, NodePath | undefined>();
  const closed = new Set<CallKey>();
  visitCalls(
    detail,
    {},
    {
      begin: (mark) => {
        const key = callKeyOf(mark);
        if (mark.attempt !== undefined) closed.add(key);
        opened.set(key, mark.node);
      },
      end: (mark) => {
        const key = callKeyOf(mark);
        if (!opened.delete(key)) closed.add(key);
      },
      exit: (left) => {
        for (const [key, node] of opened) if (node === left) opened.delete(key);
      },
    },
  );
  return { opened: new Set(opened.keys()), closed };
}

/** As much of a carry as a head holds. */
export function capCarry({ opened, closed }: FullCarry<string>, limit: number): Carry {
  return {
    opened: opened.size > limit ? null : [...opened],
    closed: closed.size > limit ? null : [...closed],
  };
}
