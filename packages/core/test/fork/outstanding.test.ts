import { type EncodedLine, isRefusal, type OutstandingWrite, outstandingAfter, planFork } from '@ramet/core';
import {
  boundariesOf,
  buildFork,
  buildSession,
  buildTurn,
  type CallPlan,
  cutLog,
  encodeLog,
  makeForkSource,
  makeTestId,
} from '@ramet/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const calling = (...calls: CallPlan[]) => ({ replies: [{ calls }, { text: 'done' }] });
const SEND: CallPlan = { tool: 'send', contained: false };

/** What is outstanding at the end of the first turn when these calls follow. */
function outstandingOf(...calls: CallPlan[]): readonly Pick<OutstandingWrite, 'tool' | 'outcome'>[] {
  const lines = encodeLog(buildSession({ turns: [{}, calling(...calls)] }));
  return outstandingAfter(makeForkSource(lines), boundariesOf(lines)[0] ?? 0);
}

describe('a write after the fork point is outstanding', () => {
  it.each<[string, CallPlan, object[]]>([
    ['was not contained', SEND, [{ tool: 'send', outcome: 'ok' }]],
    ['was not contained and failed', { ...SEND, outcome: 'error' }, [{ outcome: 'error' }]],
    ['reached a host', { contained: 'unless_egress', egress: ['a.example'] }, [{ egress: ['a.example'] }]],
    [
      'may have reached a host',
      { contained: 'unless_egress', outcome: 'outcome_unknown' },
      [{ outcome: 'outcome_unknown' }],
    ],
    ['was cut off and sent again', { ...SEND, cutOff: 'retry' }, [{ outcome: 'open' }, { outcome: 'ok' }]],
  ])('when it %s', (_, call, expected) => {
    expect(outstandingOf(call)).toMatchObject(expected);
  });

  it('with its input, key, time and place', () => {
    const lines = encodeLog(buildSession({ turns: [{}, calling({ ...SEND, input: { to: 'a' }, key: 'k' })] }));
    const intent = lines.find(({ event }) => event.type === 'tool.intent')?.event;
    expect(outstandingAfter(makeForkSource(lines), boundariesOf(lines)[0] ?? 0)).toEqual([
      {
        offset: intent?.seq,
        callId: 'call-2.1.0',
        tool: 'send',
        input: { to: 'a' },
        key: 'k',
        time: intent?.time,
        outcome: 'ok',
      },
    ]);
  });

  it('while its result is not recorded', () => {
    const { turns } = { turns: [{}, calling(SEND)] };
    const lines = encodeLog(buildSession({ turns }));
    const cut = lines.slice(
      0,
      lines.findIndex(({ event }) => event.type === 'tool.result'),
    );
    expect(outstandingAfter(makeForkSource(cut), boundariesOf(lines)[0] ?? 0)).toMatchObject([{ outcome: 'open' }]);
  });
});

describe('a write after the fork point is not outstanding', () => {
  it.each<[string, CallPlan]>([
    ['was contained', { contained: true }],
    ['reached nothing', { contained: 'unless_egress', egress: [] }],
    ['did not happen, as a person said', { ...SEND, cutOff: 'did_not_happen' }],
    ['did not happen, although a result follows', { ...SEND, outcome: 'outcome_unknown', cutOff: 'did_not_happen' }],
    ['was denied', { ...SEND, outcome: 'denied' }],
    ['was a read', { ...SEND, effect: 'read' }],
    ['may be sent twice', { ...SEND, effect: 'idempotent' }],
  ])('when it %s', (_, call) => {
    expect(outstandingOf(call)).toEqual([]);
  });

  it('when it lies before', () => {
    const lines = encodeLog(buildSession({ turns: [calling(SEND), {}] }));
    expect(boundariesOf(lines).map((at) => outstandingAfter(makeForkSource(lines), at).length)).toEqual([0, 0]);
    expect(outstandingAfter(makeForkSource(lines), 0)).toHaveLength(1);
  });
});

describe('call ids that are used again', () => {
  const quiet: CallPlan = { callId: 'c', contained: 'unless_egress', egress: [] };
  const loud: CallPlan = { callId: 'c', contained: 'unless_egress', egress: ['a.example'] };

  it.each<[string, CallPlan[], object[]]>([
    ['in one reply', [quiet, loud, quiet], [{ egress: ['a.example'] }]],
    [
      'a contained call after one that left',
      [{ ...SEND, callId: 'c' }, { callId: 'c' }],
      [{ tool: 'send', outcome: 'ok' }],
    ],
    [
      'one that left after a contained call',
      [{ callId: 'c' }, { ...SEND, callId: 'c', outcome: 'error' }],
      [{ outcome: 'error' }],
    ],
    [
      'a denied call after an unknown one',
      [
        { ...quiet, cutOff: 'retry' },
        { ...quiet, outcome: 'denied' },
      ],
      [{ outcome: 'open' }],
    ],
  ])('do not mix outcomes up: %s', (_, calls, expected) => {
    expect(outstandingOf(...calls)).toMatchObject(expected);
    expect(outstandingOf(...calls)).toHaveLength(expected.length);
  });

  it('do not mix outcomes up across turns', () => {
    const lines = encodeLog(buildSession({ turns: [{}, calling(loud), calling(quiet), calling(loud)] }));
    const intents = lines.filter(({ event }) => event.type === 'tool.intent').map(({ event }) => event.seq);
    const found = outstandingAfter(makeForkSource(lines), boundariesOf(lines)[0] ?? 0);
    expect(found.map(({ offset }) => offset)).toEqual([intents[0], intents[2]]);
  });
});

describe('what an ancestor left outstanding', () => {
  const parent = encodeLog(buildSession({ turns: [{}, calling({ ...SEND, input: 'parent' })] }));
  const first = boundariesOf(parent)[0] ?? 0;
  const child = forkAt(parent, first, 2);
  const grown = encodeLog([...buildTurn(calling({ ...SEND, input: 'child' }), 2)], child);

  it('is outstanding in the child', () => {
    expect(inputs(grown, boundariesOf(grown).at(-1))).toEqual(['parent']);
  });

  it('is outstanding once in a grandchild, with what the child left', () => {
    expect(inputs(grown, first)).toEqual(['parent', 'child']);
    const grandchild = forkAt(grown, first, 3);
    expect(inputs(grandchild, first)).toEqual(['parent', 'child']);
  });

  it('is outstanding once in the fork of a fork at its own turn', () => {
    const last = boundariesOf(grown).at(-1) ?? 0;
    const grandchild = encodeLog(buildTurn({}, 3), forkAt(grown, last, 3));
    expect(inputs(grandchild, boundariesOf(grandchild).at(-1))).toEqual(['parent']);
    expect(inputs(grandchild, last)).toEqual(['parent']);
  });

  function inputs(lines: readonly EncodedLine[], at = 0): readonly unknown[] {
    return outstandingAfter(makeForkSource(lines, [3, 8]), at).map(({ input }) => input);
  }
});

function forkAt(lines: readonly EncodedLine[], at: number, id: number): readonly EncodedLine[] {
  const plan = planFork(makeForkSource(lines), { at });
  if (isRefusal(plan)) throw new Error(plan.message);
  return buildFork(lines, { id: makeTestId(id), at, outstanding: plan.outstanding });
}

describe('in any session, however it is cut', () => {
  it('the outstanding writes are those that a plain reading of its lines finds', () => {
    fc.assert(
      fc.property(cutLog, ({ lines, cuts }) => {
        for (const at of boundariesOf(lines)) {
          const found = outstandingAfter(makeForkSource(lines, cuts), at).map(({ offset, outcome }) => [
            offset,
            outcome,
          ]);
          expect(found).toEqual(readPlainly(lines, at));
        }
      }),
      { numRuns: 300 },
    );
  });
});

/** Reads forwards from each write to the line that ends it: the result, another attempt, or the turn's end. */
function readPlainly(lines: readonly EncodedLine[], at: number): readonly (readonly [number, string])[] {
  return lines.flatMap(({ event }): (readonly [number, string])[] => {
    if (event.seq <= at || event.type !== 'tool.intent' || event.effect !== 'write' || event.contained === true)
      return [];
    const after = lines.slice(event.seq + 1).map((line) => line.event);
    const end = after.find((next) => {
      if (next.type === 'session.end') return true;
      return next.callId === event.callId && (next.type === 'tool.intent' || next.type === 'tool.result');
    });
    const denied = after.some((next) => next.type === 'tool.resolve' && next.intent === event.seq);
    if (denied) return [];
    const outcome = end?.type === 'tool.result' ? String(end.outcome) : 'open';
    const egress = end?.type === 'tool.result' && Array.isArray(end.egress) ? end.egress : [];
    const left = event.contained === false || outcome === 'open' || outcome === 'outcome_unknown' || egress.length > 0;
    return left ? [[event.seq, outcome]] : [];
  });
}
