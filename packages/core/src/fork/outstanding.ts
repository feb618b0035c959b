import type { OutstandingWrite } from '../events/index.ts';
import type { WriteMark, WriteOutcomeMark } from '../log/index.ts';
import type { ForkSource } from './types.ts';

/**
 * The writes after an offset that left the workspace, in order: calls with effect `write` that were not contained, or
 * whose network proxy recorded that something was reached, or whose end is not recorded. A call that a person said did
 * not happen is left out.
 */
export function outstandingAfter(source: ForkSource, offset: number): readonly OutstandingWrite[] {
  return [...inheritedOutstanding(source), ...recordedAfter(source, offset)];
}

/** What the forks this log descends from left outstanding: an ancestor's writes happened for every descendant. */
function inheritedOutstanding(source: ForkSource): readonly OutstandingWrite[] {
  return source.heads.flatMap((head, segment) => {
    if (head.fork === undefined) return [];
    return source.readDetail(segment).forks.flatMap((fork) => {
      const line = source.readLine(segment, fork.position, fork.bytes) as { readonly outstanding?: unknown };
      return Array.isArray(line.outstanding) ? (line.outstanding as OutstandingWrite[]) : [];
    });
  });
}

function recordedAfter(source: ForkSource, offset: number): readonly OutstandingWrite[] {
  const writes: { readonly mark: WriteMark; readonly segment: number }[] = [];
  const outcomes = new Map<string, WriteOutcomeMark>();
  source.heads.forEach((head, segment) => {
    if (head.first + head.count <= offset + 1) return;
    if (head.writes === 0 && writes.length === 0) return;
    const detail = source.readDetail(segment);
    for (const mark of detail.writes) {
      if (mark.offset > offset && mark.effect === 'write') writes.push({ mark, segment });
    }
    // Nearest outcome after the intent: call ids are unique in a run's own log, and the last word counts.
    for (const outcome of detail.writeOutcomes) if (outcome.offset > offset) outcomes.set(outcome.callId, outcome);
  });
  return writes.flatMap(({ mark, segment }) => {
    const outcome = outcomes.get(mark.callId);
    return hasLeft(mark, outcome) ? [describeWrite(source, { mark, segment, outcome })] : [];
  });
}

/** Whether a call left the workspace, or may have. */
export function hasLeft(
  mark: Pick<WriteMark, 'contained'>,
  outcome: Pick<WriteOutcomeMark, 'outcome' | 'egress'> | undefined,
): boolean {
  if (outcome?.outcome === 'did_not_happen') return false;
  if (mark.contained === 'unless_egress' && outcome !== undefined && outcome.outcome !== 'outcome_unknown') {
    return outcome.egress.length > 0;
  }
  return mark.contained !== true;
}

function describeWrite(
  source: ForkSource,
  write: { readonly mark: WriteMark; readonly segment: number; readonly outcome: WriteOutcomeMark | undefined },
): OutstandingWrite {
  const { mark, outcome } = write;
  const line = source.readLine(write.segment, mark.position, mark.bytes) as { readonly input?: unknown };
  const { offset, callId, tool, key, time } = mark;
  const egress = outcome?.egress ?? [];
  const ended = outcome === undefined || outcome.outcome === 'did_not_happen' ? 'open' : outcome.outcome;
  return {
    offset,
    callId,
    tool,
    input: line.input ?? null,
    key,
    time,
    ...(egress.length === 0 ? {} : { egress }),
    outcome: ended,
  };
}
