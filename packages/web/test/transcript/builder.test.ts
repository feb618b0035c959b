import type { EventDraft } from '@ramet/core';
import { buildSession, buildTurn, EVENT_FIXTURES } from '@ramet/testkit';
import { describe, expect, it } from 'vitest';
import { TranscriptBuilder } from '../../src/transcript/builder.ts';
import type { CallItem, Transcript } from '../../src/transcript/types.ts';
import { eventsOf } from './logs.ts';

/** Two turns with calls, and a third that is open. */
const SESSION = buildSession({
  turns: [
    {
      prompt: 'look',
      replies: [{ text: 'I will', calls: [{ callId: 'a' }, { callId: 'b', outcome: 'error' }] }, { text: 'done' }],
    },
    { prompt: 'push', replies: [{ calls: [{ callId: 'c', outcome: 'denied' }] }, {}], reason: 'failed' },
    { prompt: 'more', replies: [{ text: 'well' }], open: true },
  ],
});

function build(drafts: readonly EventDraft[], { from = 0, turnsBefore = 0, isOpen = false } = {}): Transcript {
  const builder = new TranscriptBuilder({ turnsBefore, isOpen });
  for (const event of eventsOf(drafts).slice(from)) builder.add(event);
  return builder.transcript;
}

const draw = ({ items }: Transcript) =>
  items.map((item) =>
    item.kind === 'call' ? `${item.turn} ${item.callId} ${item.status}` : `${item.turn} ${item.kind}`,
  );

describe('a transcript', () => {
  it('has what was said, each call once with what became of it, and the ends of turns', () => {
    expect(draw(build(SESSION))).toEqual([
      '1 user',
      '1 assistant',
      '1 a ok',
      '1 b error',
      '1 assistant',
      '1 end',
      '2 user',
      '2 c denied',
      '2 end',
      '3 user',
      '3 assistant',
    ]);
  });

  it('knows of every turn where it ended: a fork of any of its messages begins there', () => {
    const { turns, open, items } = build(SESSION);
    const ends = items.filter(({ kind }) => kind === 'end').map(({ offset }) => offset);
    expect([...turns.values()]).toMatchObject([
      { turn: 1, end: ends[0] },
      { turn: 2, end: ends[1] },
      { turn: 3, end: null },
    ]);
    expect(open).toBe(3);
  });

  it('knows of every turn that ended with which model, whatever a later one has', () => {
    const config = EVENT_FIXTURES['session.config'];
    const drafts = ['first', 'second'].flatMap((name) => [
      { ...config, model: { ...config.model, name } },
      ...buildSession({ turns: [{ prompt: 'look', replies: [{ text: 'done' }] }] }).filter(
        ({ type }) => type === 'message' || type === 'session.end',
      ),
    ]);
    const open = { ...config, model: { ...config.model, name: 'third' } };
    const { turns } = build([...drafts, open]);
    expect([...turns.values()].map(({ model }) => model)).toEqual(['first', 'second']);
  });

  it('keeps the end of a turn when a newer one ends meanwhile', () => {
    const before = build(SESSION).turns.get(1);
    const after = build([...SESSION, ...buildTurn({}, 4)]).turns.get(1);
    expect(after).toEqual(before);
  });

  it('is the same however its events come in', () => {
    const events = eventsOf(SESSION);
    const whole = build(SESSION);
    for (let cut = 0; cut <= events.length; cut += 1) {
      const builder = new TranscriptBuilder({ turnsBefore: 0, isOpen: false });
      for (const event of events.slice(0, cut)) builder.add(event);
      const held = builder.transcript;
      const shown = draw(held);
      for (const event of events.slice(cut)) builder.add(event);
      expect(builder.transcript).toEqual(whole);
      expect(draw(held)).toEqual(shown);
    }
  });

  it('has the keys and turns of the whole when only its end is loaded', () => {
    const whole = build(SESSION);
    for (const { turn, end } of whole.turns.values()) {
      if (end === null) continue;
      const part = build(SESSION, { from: end + 1, turnsBefore: turn });
      expect(part.items).toEqual(whole.items.filter(({ offset }) => offset > end));
    }
  });

  it('shows a result whose call is further up, and is not loaded', () => {
    const events = eventsOf(SESSION);
    const from = events.findIndex(({ type }) => type === 'tool.result');
    const [first] = build(SESSION, { from, turnsBefore: 1, isOpen: true }).items;
    expect(first).toMatchObject({ kind: 'call', callId: 'a', status: 'ok', turn: 1 });
    expect((first as CallItem).call).toBeUndefined();
  });

  it('tells two calls with one id apart', () => {
    const replies = [{ calls: [{ callId: 'x', outcome: 'error' }] }, { calls: [{ callId: 'x' }] }, {}] as const;
    const { items } = build(buildSession({ turns: [{ replies }] }));
    expect(items.filter(({ kind }) => kind === 'call')).toMatchObject([{ status: 'error' }, { status: 'ok' }]);
  });

  it('marks where it was forked, and passes over events it does not know', () => {
    const marks = [EVENT_FIXTURES['session.fork'], EVENT_FIXTURES['workspace.restore']];
    const events = eventsOf([...SESSION.slice(0, 2), ...marks]);
    const builder = new TranscriptBuilder({ turnsBefore: 0, isOpen: false });
    for (const event of events) {
      builder.add(event);
      builder.add({ ...event, type: 'weather.change' });
    }
    expect(draw(builder.transcript)).toEqual(['0 mark', '0 mark']);
  });

  it('names the payloads of what is too long for a line, so that they can be loaded', () => {
    const prompt = 'long '.repeat(100_000);
    const [item] = build(buildSession({ turns: [{ prompt }] })).items;
    expect(item).toMatchObject({ kind: 'user', told: { payloads: [{ bytes: prompt.length }] } });
  });
});
