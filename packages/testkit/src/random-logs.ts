/** Random session logs that the log format allows, forks of forks included. */
import type { EncodedLine, EventDraft } from '@ramet/core';
import fc from 'fast-check';
import { buildFork, buildSession, buildTurn, encodeLog, makeTestId, type TurnPlan } from './log-builders.ts';

const usage = fc.option(
  fc.record({ inputTokens: fc.nat(1000), outputTokens: fc.nat(1000), cacheReadTokens: fc.nat(10) }),
  { nil: undefined },
);

/** Costs are binary fractions, so that sums do not depend on the order. */
const cost = fc.option(
  fc.record({ amount: fc.nat(64).map((eighths) => eighths / 8), currency: fc.constantFrom('USD', 'EUR') }),
  { nil: undefined },
);

const call = fc.record(
  {
    callId: fc.constantFrom('call_0', 'call_1'),
    tool: fc.constantFrom('shell', 'send'),
    input: fc.record({ command: fc.string({ maxLength: 8 }) }),
    effect: fc.constantFrom('read' as const, 'idempotent' as const, 'write' as const),
    contained: fc.constantFrom(true, false, 'unless_egress' as const),
    outcome: fc.constantFrom('ok' as const, 'error' as const, 'denied' as const, 'outcome_unknown' as const),
    egress: fc.subarray(['a.example', 'b.example']),
    cutOff: fc.constantFrom('retry' as const, 'did_not_happen' as const),
  },
  { requiredKeys: [] },
);

const reply = fc
  .record({ text: fc.string({ maxLength: 5 }), calls: fc.array(call, { maxLength: 2 }), usage, cost })
  .map(({ text, calls, ...spent }) => ({ text, calls, ...definedOnly(spent) }));

const turn: fc.Arbitrary<TurnPlan> = fc.record(
  {
    prompt: fc.string({ maxLength: 6 }),
    replies: fc.array(reply, { minLength: 1, maxLength: 3 }),
    reason: fc.constantFrom('completed' as const, 'interrupted' as const, 'failed' as const, 'limit' as const),
    checkpoint: fc.constantFrom(null, 'cp-a', 'cp-b'),
  },
  { requiredKeys: [] },
);

type Chapter = {
  readonly turns: readonly TurnPlan[];
  readonly rename: string | undefined;
  /** Which boundary the next chapter forks at, as a share of those there are. */
  readonly forkAt: number;
  readonly forkTitle: string | undefined;
};

const chapter: fc.Arbitrary<Chapter> = fc.record({
  turns: fc.array(turn, { minLength: 1, maxLength: 3 }),
  rename: fc.option(fc.string({ minLength: 1, maxLength: 5 }), { nil: undefined }),
  forkAt: fc.double({ min: 0, max: 0.99, noNaN: true }),
  forkTitle: fc.option(fc.string({ minLength: 1, maxLength: 5 }), { nil: undefined }),
});

/** A log of one run, with the forks it descends from. */
export const sessionLog: fc.Arbitrary<readonly EncodedLine[]> = fc
  .record({
    title: fc.option(fc.string({ maxLength: 5 }), { nil: undefined }),
    chapters: fc.array(chapter, { minLength: 1, maxLength: 3 }),
  })
  .map(({ title, chapters }) => {
    const start = encodeLog(buildSession({ ...definedOnly({ title }), turns: [] }));
    return chapters.reduce((lines, plan, index) => addChapter(lines, plan, index), start);
  });

/** A log, and offsets to cut it into segments at. */
export const cutLog = sessionLog.chain((lines) =>
  fc.record({ lines: fc.constant(lines), cuts: fc.array(fc.integer({ min: 1, max: lines.length }), { maxLength: 5 }) }),
);

/** Offsets of every `session.end`. */
export function boundariesOf(lines: readonly EncodedLine[]): readonly number[] {
  return lines.flatMap(({ event }) => (event.type === 'session.end' ? [event.seq] : []));
}

function addChapter(before: readonly EncodedLine[], plan: Chapter, index: number): readonly EncodedLine[] {
  const boundaries = boundariesOf(before);
  const at = boundaries[Math.floor(plan.forkAt * boundaries.length)];
  const lines =
    at === undefined
      ? before
      : buildFork(before, { id: makeTestId(index + 2), at, ...definedOnly({ title: plan.forkTitle }) });
  const rename: EventDraft[] = plan.rename === undefined ? [] : [{ type: 'session.title', title: plan.rename }];
  return encodeLog([...plan.turns.flatMap((each, turnIndex) => buildTurn(each, turnIndex + 1)), ...rename], lines);
}

function definedOnly<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
