/**
 * The calls of a source that a fork's re-walk touches: those begun at or after the boundary, and those that straddle it.
 *
 * 1. A call is named by its node and its id; a result is that of the latest attempt, and an earlier attempt keeps an
 *    unknown end.
 * 2. When its node exits, a call has no result to come: the walk never leaves a node with a call it must ask about.
 */
import {
  type CallKey,
  type CallStep,
  callKeyOf,
  callStepsOf,
  type WriteMark,
  type WriteOutcomeMark,
} from '../../log/index.ts';
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
}

interface Reading {
  readonly calls: Map<number, CallDraft>;
  /** The latest attempt of each call whose node has not exited. */
  readonly current: Map<CallKey, CallDraft>;
}

/** The calls that straddle a boundary or come after it, in the order of the log. */
export function readCallsFrom(source: RunForkSource, boundary: FoundNode): readonly RecordedCall[] {
  const here = callStepsOf(source.readDetail(boundary.segment));
  const reading = beginReading(source, boundary, here);
  for (const step of here) if (step.offset > boundary.mark.offset) takeStep(reading, step, boundary.segment);
  for (let segment = boundary.segment + 1; segment < source.heads.length; segment += 1) {
    const { writes = 0 } = source.heads[segment] ?? {};
    if (writes === 0 && reading.current.size === 0) continue;
    for (const step of callStepsOf(source.readDetail(segment))) takeStep(reading, step, segment);
  }
  const open = new Set([...reading.current.values()].filter(({ outcome }) => outcome === undefined));
  return [...reading.calls.values()].map((call) => ({ ...call, open: open.has(call) }));
}

/** What is open at the boundary. */
function beginReading(source: RunForkSource, boundary: FoundNode, here: readonly CallStep[]): Reading {
  const before: Reading = { calls: new Map(), current: new Map() };
  for (const [key, segment] of findSegmentsOfOpenCalls(source, boundary)) {
    const mark = source.readDetail(segment).writes.findLast((write) => callKeyOf(write) === key);
    if (mark !== undefined) beginCall(before, mark, segment);
  }
  for (const step of here) if (step.offset < boundary.mark.offset) takeStep(before, step, boundary.segment);
  const straddling = [...before.current].filter(([, { outcome }]) => outcome === undefined);
  straddling.sort(([, left], [, right]) => left.mark.offset - right.mark.offset);
  return { calls: new Map(straddling.map(([, call]) => [call.mark.offset, call])), current: new Map(straddling) };
}

function takeStep(reading: Reading, step: CallStep, segment: number): void {
  if (step.kind === 'begin') beginCall(reading, step.mark, segment);
  else if (step.kind === 'end') endCall(reading, step.mark);
  else for (const [key, { mark }] of reading.current) if (mark.node === step.node) reading.current.delete(key);
}

function beginCall({ calls, current }: Reading, mark: WriteMark, segment: number): void {
  const call = { mark, segment };
  calls.set(mark.offset, call);
  current.set(callKeyOf(mark), call);
}

/** A person's word stands above the result recorded after it. */
function endCall({ calls, current }: Reading, outcome: WriteOutcomeMark): void {
  const call = outcome.intent === undefined ? current.get(callKeyOf(outcome)) : calls.get(outcome.intent);
  if (call !== undefined) call.outcome ??= outcome;
}
