import type { Turn } from '@ramet/client';
import { buildSession } from '@ramet/testkit';
import { describe, expect, it } from 'vitest';
import { boundariesOf, rangeOf } from '../../src/session/boundaries.ts';
import { unknownCallsOf } from '../../src/session/unknown-calls.ts';
import { TranscriptBuilder } from '../../src/transcript/builder.ts';
import { eventsOf } from '../transcript/logs.ts';

/** The open turn of a session, cut off right after an intent. */
function cutOff(contained: boolean, effect: 'read' | 'write' = 'write') {
  const calls = [{ callId: 'a', contained, effect }];
  const events = eventsOf(buildSession({ turns: [{ replies: [{ calls }, {}], open: true }] }));
  const builder = new TranscriptBuilder({ turnsBefore: 0, isOpen: false });
  const end = events.findIndex(({ type }) => type === 'tool.intent') + 1;
  for (const event of events.slice(0, end)) builder.add(event);
  return { builder, rest: events.slice(end) };
}

describe('a call of an open turn that nobody works on', () => {
  it('waits for a person when it may have reached the outside', () => {
    const { builder, rest } = cutOff(false);
    expect(unknownCallsOf(builder.transcript)).toMatchObject([{ callId: 'a', status: 'running' }]);
    for (const event of rest) builder.add(event);
    expect(unknownCallsOf(builder.transcript)).toEqual([]);
  });

  it('waits for nobody when it was contained, or only read', () => {
    expect(unknownCallsOf(cutOff(true).builder.transcript)).toEqual([]);
    expect(unknownCallsOf(cutOff(false, 'read').builder.transcript)).toEqual([]);
  });
});

describe('what a turn changed', () => {
  const turn = (number: number, offset: number | null, checkpoint: string | null): Turn => ({
    turn: number,
    inherited: false,
    start: { offset: number, time: '' },
    end: offset === null ? null : { offset, reason: 'completed', time: '' },
    checkpoint: checkpoint === null ? null : { id: checkpoint },
  });
  const turns = [turn(1, 5, 'a'), turn(2, 9, null), turn(3, 14, 'b'), turn(4, null, null)];

  it('is what is between its checkpoint and the one before', () => {
    expect(boundariesOf(turns)).toEqual([
      { turn: 1, offset: 5 },
      { turn: 3, offset: 14 },
    ]);
    expect(rangeOf(turns, 14)).toEqual({ at: 14, from: 5 });
    expect(rangeOf(turns, 5)).toEqual({ at: 5, from: null });
  });
});
