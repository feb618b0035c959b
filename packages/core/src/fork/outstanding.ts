import type { OutstandingWrite } from '../events/index.ts';
import type { SegmentDetail, WriteMark, WriteOutcomeMark } from '../log/index.ts';
import type { ForkSource } from './types.ts';

/**
 * The writes after an offset that left the workspace, in order: calls with effect `write` that were not contained, or
 * whose network proxy recorded that something was reached, or whose end is not recorded. A call that a person said did
 * not happen is left out. Inputs are as their lines hold them, still encoded.
 */
export function outstandingAfter(source: ForkSource, offset: number): readonly OutstandingWrite[] {
  // A fork lists what its own parent's fork listed, and a grandchild's log holds both lines.
  const seen = new Set<string>();
  return [...inheritedOutstanding(source), ...recordedAfter(source, offset)].filter((write) => {
    const name = JSON.stringify([write.offset, write.key, write.time]);
    return !seen.has(name) && seen.add(name);
  });
}

/** What the forks this log descends from left outstanding: an ancestor's writes happened for every descendant. */
function inheritedOutstanding(source: ForkSource): readonly OutstandingWrite[] {
  return source.heads.flatMap((head, segment) => {
    if (head.fork === undefined) return [];
    return source.readDetail(segment).forks.flatMap((fork) => {
      if (fork.outstanding === 0) return [];
      const line = source.readLine(segment, fork.position, fork.bytes) as { readonly outstanding?: unknown };
      return Array.isArray(line.outstanding) ? (line.outstanding as OutstandingWrite[]) : [];
    });
  });
}

/** An attempt that may have left, and what is known of its end. */
interface Attempt {
  readonly mark: WriteMark;
  readonly segment: number;
  outcome?: WriteOutcomeMark;
}

/** Attempts whose result may still come, by call id. Ids are used again in later turns. */
interface Waiting {
  readonly attempts: Map<string, Attempt>;
  /** Contained calls of earlier segments: the next result of such an id is theirs. */
  readonly contained: Set<string>;
}

function recordedAfter(source: ForkSource, offset: number): readonly OutstandingWrite[] {
  const attempts: Attempt[] = [];
  const waiting: Waiting = { attempts: new Map(), contained: new Set() };
  source.heads.forEach((head, segment) => {
    if (head.first + head.count <= offset + 1) return;
    if (head.writes === 0 && waiting.attempts.size === 0 && waiting.contained.size === 0) return;
    const detail = source.readDetail(segment);
    for (const step of stepsOf(detail)) {
      if (step.offset <= offset) continue;
      if ('write' in step) attempts.push(beginAttempt(waiting, { mark: step.write, segment }));
      else if ('outcome' in step) endAttempt(step.outcome, attempts, waiting);
      else forgetTurn(waiting);
    }
    for (const callId of detail.openContained) waiting.contained.add(callId);
  });
  return attempts
    .filter(({ mark, outcome }) => mark.effect === 'write' && hasLeft(mark, outcome))
    .map((attempt) => describeWrite(source, attempt));
}

type DetailStep =
  | { readonly offset: number; readonly write: WriteMark }
  | { readonly offset: number; readonly outcome: WriteOutcomeMark }
  /** A turn ended. */
  | { readonly offset: number };

/** What a segment's detail says of calls, in the order of the log. */
function stepsOf(detail: SegmentDetail): readonly DetailStep[] {
  const steps: DetailStep[] = [
    ...detail.writes.map((write) => ({ offset: write.offset, write })),
    ...detail.writeOutcomes.map((outcome) => ({ offset: outcome.offset, outcome })),
    ...detail.boundaries.map(({ offset }) => ({ offset })),
  ];
  return steps.sort((left, right) => left.offset - right.offset);
}

function beginAttempt(waiting: Waiting, attempt: Attempt): Attempt {
  waiting.contained.delete(attempt.mark.callId);
  waiting.attempts.set(attempt.mark.callId, attempt);
  return attempt;
}

/** A result is the latest attempt's; an earlier attempt of the call keeps an unknown end. */
function endAttempt(outcome: WriteOutcomeMark, attempts: readonly Attempt[], waiting: Waiting): void {
  if (outcome.intent !== undefined) {
    const named = attempts.find(({ mark }) => mark.offset === outcome.intent);
    if (named !== undefined) named.outcome = outcome;
    return;
  }
  if (waiting.contained.delete(outcome.callId)) return;
  const attempt = waiting.attempts.get(outcome.callId);
  waiting.attempts.delete(outcome.callId);
  // A person's word that it did not happen stands above the result recorded after it.
  if (attempt !== undefined) attempt.outcome ??= outcome;
}

function forgetTurn(waiting: Waiting): void {
  waiting.attempts.clear();
  waiting.contained.clear();
}

/** Whether a call left the workspace, or may have. */
export function hasLeft(
  mark: Pick<WriteMark, 'contained'>,
  outcome: Pick<WriteOutcomeMark, 'outcome' | 'egress'> | undefined,
): boolean {
  if (outcome?.outcome === 'did_not_happen') return false;
  if (mark.contained === 'unless_egress' && outcome !== undefined && !UNSEEN.has(outcome.outcome)) {
    return outcome.egress.length > 0;
  }
  return mark.contained !== true;
}

/** Ends of a call of which no proxy's record says what was reached. */
const UNSEEN: ReadonlySet<WriteOutcomeMark['outcome']> = new Set(['outcome_unknown', 'happened', 'retry']);

/** A call as a person is shown it, with its input as its line holds it, still encoded. */
export function describeWrite(
  source: ForkSource,
  {
    mark,
    segment,
    outcome,
  }: { readonly mark: WriteMark; readonly segment: number; readonly outcome?: WriteOutcomeMark },
): OutstandingWrite {
  const line = source.readLine(segment, mark.position, mark.bytes) as { readonly input?: unknown };
  const { offset, callId, tool, ...rest } = describeCall(mark, outcome);
  return { offset, callId, tool, input: line.input ?? null, ...rest };
}

/** The same without its input: its line is not read. */
export function describeCall(mark: WriteMark, outcome: WriteOutcomeMark | undefined): Omit<OutstandingWrite, 'input'> {
  const { offset, callId, tool, key, time } = mark;
  const egress = outcome?.egress ?? [];
  return { offset, callId, tool, key, time, ...(egress.length === 0 ? {} : { egress }), outcome: endOf(outcome) };
}

function endOf(mark: WriteOutcomeMark | undefined): OutstandingWrite['outcome'] {
  if (mark === undefined || mark.outcome === 'did_not_happen' || mark.outcome === 'retry') return 'open';
  return mark.outcome === 'happened' ? 'ok' : mark.outcome;
}
