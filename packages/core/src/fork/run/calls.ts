/**
 * The calls of a source that a fork's re-walk touches: those begun at or after the boundary, and those that straddle it.
 * Reads are passed over: a fork asks nothing about them.
 *
 * 1. A call is named by its node and its id; a result is that of the latest attempt, and an earlier attempt keeps an
 *    unknown end.
 * 2. When its node exits, a call has no result to come: the walk never leaves a node with a call it must ask about.
 * 3. A segment is looked at when it has calls other than reads, or when an earlier call may end in it.
 */
import type { NodePath } from '../../events/index.ts';
import { callKeyOf, type SegmentDetail, visitCalls, type WriteMark, type WriteOutcomeMark } from '../../log/index.ts';
import type { FoundNode } from './boundary.ts';
import { findSegmentsOfOpenCalls } from './open-spans.ts';
import type { RunForkSource } from './types.ts';

/** A call, and what is known of its end. */
export interface RecordedCall {
  readonly mark: WriteMark;
  readonly segment: number;
  readonly outcome?: WriteOutcomeMark;
  /** Its node is at work at the end of the log, and nothing says how the call ended. */
  readonly open: boolean;
}

interface CallDraft {
  readonly mark: WriteMark;
  readonly segment: number;
  outcome?: WriteOutcomeMark;
  open: boolean;
}

interface Reading {
  /** In the order of the log. */
  readonly calls: CallDraft[];
  /** By node, and then by id: the latest attempt of each call whose node has not exited. */
  readonly current: Map<NodePath, Map<string, CallDraft>>;
}

/** The calls that straddle a boundary or come after it, in the order of the log. */
export function readCallsFrom(source: RunForkSource, boundary: FoundNode): readonly RecordedCall[] {
  const { segment: first, mark } = boundary;
  const here = source.readDetail(first);
  const reading = beginReading(source, boundary, here);
  takeCalls(reading, here, { segment: first, from: mark.offset });
  for (let segment = first + 1; segment < source.heads.length; segment += 1) {
    if (!hasCallsToShow(source, segment) && reading.current.size === 0) continue;
    takeCalls(reading, source.readDetail(segment), { segment });
  }
  return reading.calls;
}

function hasCallsToShow({ heads }: RunForkSource, segment: number): boolean {
  const head = heads[segment];
  return head !== undefined && head.writes > head.reads;
}

/** What is open at the boundary. */
function beginReading(source: RunForkSource, boundary: FoundNode, here: SegmentDetail): Reading {
  const before: Reading = { calls: [], current: new Map() };
  for (const [key, segment] of findSegmentsOfOpenCalls(source, boundary)) {
    const mark = source.readDetail(segment).writes.findLast((write) => callKeyOf(write) === key);
    if (mark !== undefined) beginCall(before, mark, segment);
  }
  takeCalls(before, here, { segment: boundary.segment, to: boundary.mark.offset });
  const straddling: Reading = { calls: before.calls.filter(({ open }) => open), current: new Map() };
  straddling.calls.sort((left, right) => left.mark.offset - right.mark.offset);
  for (const call of straddling.calls) callsOf(straddling, call.mark).set(call.mark.callId, call);
  return straddling;
}

function takeCalls(
  reading: Reading,
  detail: SegmentDetail,
  { segment, ...range }: { readonly segment: number; readonly from?: number; readonly to?: number },
): void {
  visitCalls(detail, range, {
    begin: (mark) => beginCall(reading, mark, segment),
    end: (mark) => endCall(reading, mark),
    exit: (node) => leaveNode(reading, node),
  });
}

function beginCall(reading: Reading, mark: WriteMark, segment: number): void {
  const ofNode = callsOf(reading, mark);
  const earlier = ofNode.get(mark.callId);
  if (earlier !== undefined) earlier.open = false;
  if (mark.effect === 'read') {
    ofNode.delete(mark.callId);
    if (ofNode.size === 0) reading.current.delete(mark.node ?? '');
    return;
  }
  const call = { mark, segment, open: true };
  reading.calls.push(call);
  ofNode.set(mark.callId, call);
}

function callsOf({ current }: Reading, { node = '' }: WriteMark): Map<string, CallDraft> {
  const known = current.get(node);
  if (known !== undefined) return known;
  const calls = new Map<string, CallDraft>();
  current.set(node, calls);
  return calls;
}

/** A person's word stands above the result recorded after it. */
function endCall({ calls, current }: Reading, outcome: WriteOutcomeMark): void {
  const { intent, node = '', callId } = outcome;
  const call =
    intent === undefined ? current.get(node)?.get(callId) : calls.findLast(({ mark }) => mark.offset === intent);
  if (call === undefined) return;
  call.outcome ??= outcome;
  call.open = false;
}

function leaveNode({ current }: Reading, node: NodePath): void {
  for (const call of current.get(node)?.values() ?? []) call.open = false;
  current.delete(node);
}
