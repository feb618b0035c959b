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

/** An event that begins or ends a call, or ends all of a node's. */
export type CallStep =
  | { readonly kind: 'begin'; readonly offset: number; readonly mark: WriteMark }
  | { readonly kind: 'end'; readonly offset: number; readonly mark: WriteOutcomeMark }
  | { readonly kind: 'exit'; readonly offset: number; readonly node: NodePath };

/** What a segment of a graph run says of calls, in the order of the log. */
export function callStepsOf(detail: Pick<SegmentDetail, 'nodes' | 'writes' | 'writeOutcomes'>): readonly CallStep[] {
  const steps: CallStep[] = [];
  for (const mark of detail.writes) steps.push({ kind: 'begin', offset: mark.offset, mark });
  for (const mark of detail.writeOutcomes) steps.push({ kind: 'end', offset: mark.offset, mark });
  for (const { type, offset, node } of detail.nodes) if (type === 'exit') steps.push({ kind: 'exit', offset, node });
  return steps.sort((left, right) => left.offset - right.offset);
}

/** Calls open across the ends of a segment. One that is made again ends the attempt before it. */
export function carryCalls(detail: Pick<SegmentDetail, 'nodes' | 'writes' | 'writeOutcomes'>): FullCarry<CallKey> {
  const opened = new Map<CallKey, NodePath | undefined>();
  const closed = new Set<CallKey>();
  for (const step of callStepsOf(detail)) {
    if (step.kind === 'begin') {
      const key = callKeyOf(step.mark);
      if (step.mark.attempt !== undefined) closed.add(key);
      opened.set(key, step.mark.node);
    } else if (step.kind === 'end') {
      const key = callKeyOf(step.mark);
      if (!opened.delete(key)) closed.add(key);
    } else for (const [key, node] of opened) if (node === step.node) opened.delete(key);
  }
  return { opened: new Set(opened.keys()), closed };
}

/** As much of a carry as a head holds. */
export function capCarry({ opened, closed }: FullCarry<string>, limit: number): Carry {
  return {
    opened: opened.size > limit ? null : [...opened],
    closed: closed.size > limit ? null : [...closed],
  };
}
