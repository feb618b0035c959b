import { createSessionFold, decodeValue, type EncodedLine, type Message, renderContext } from '@ramet/core';
import { boundariesOf, buildFork, buildSession, buildTurn, encodeLog, makeTestId, sessionLog } from '@ramet/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

function contextOf(lines: readonly EncodedLine[]): readonly Message[] {
  const payloads = new Map(lines.flatMap((line) => line.payloads.map(({ digest, bytes }) => [digest, bytes] as const)));
  const session = createSessionFold();
  for (const { event } of lines) session.add(event);
  return renderContext(session.state.context, (value) => decodeValue(value, (digest) => payloads.get(digest) ?? null));
}

/** Problems in how calls and answers alternate: each reply's calls are answered by the next message, and by it alone. */
function problemsOf(messages: readonly Message[]): readonly string[] {
  let waiting: readonly string[] = [];
  return messages.flatMap((message) => {
    const ids = (type: string): readonly string[] =>
      typeof message.content === 'string'
        ? []
        : message.content.flatMap((part) => (part.type === type && 'toolCallId' in part ? [part.toolCallId] : []));
    const answered = message.role === 'tool' ? ids('tool-result') : [];
    const same = answered.toSorted().join() === waiting.toSorted().join();
    const expected = waiting.join();
    waiting = message.role === 'assistant' ? ids('tool-call') : [];
    return same ? [] : [`${message.role}: ${answered.join()} instead of ${expected}`];
  });
}

describe('the context of a model', () => {
  it('at a boundary is the beginning of the context at every later event', () => {
    fc.assert(
      fc.property(sessionLog, (lines) => {
        for (const at of boundariesOf(lines)) {
          const before = contextOf(lines.slice(0, at + 1));
          expect(contextOf(lines).slice(0, before.length)).toEqual(before);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('answers each call once, after every event of any session', () => {
    fc.assert(
      fc.property(sessionLog, fc.double({ min: 0, max: 1, noNaN: true }), (lines, share) => {
        expect(problemsOf(contextOf(lines.slice(0, Math.ceil(share * lines.length))))).toEqual([]);
      }),
    );
  });

  it('of a child is that of its parent at the boundary', () => {
    const parent = encodeLog(buildSession({ turns: [{ replies: [{ calls: [{}] }, {}] }, {}] }));
    const at = boundariesOf(parent)[0] ?? 0;
    expect(contextOf(buildFork(parent, { id: makeTestId(2), at }))).toEqual(contextOf(parent.slice(0, at + 1)));
  });

  it('is the messages, replies and results, with what Ramet says before a message', () => {
    const [message, ...rest] = buildTurn(
      { prompt: 'go', replies: [{ text: 'ok', calls: [{ callId: 'c', input: 1 }] }, { text: 'done' }] },
      1,
    );
    const notices = ['a notice', 'n'.repeat(300_000)];
    const lines = encodeLog([
      ...buildSession({ turns: [] }),
      { ...message, notices } as NonNullable<typeof message>,
      ...rest,
    ]);
    const shell = { toolCallId: 'c', toolName: 'shell' };
    expect(contextOf(lines)).toEqual([
      { role: 'user', content: [...notices, 'go'].map((text) => ({ type: 'text', text })) },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'ok' },
          { type: 'tool-call', ...shell, input: 1 },
        ],
      },
      { role: 'tool', content: [{ type: 'tool-result', ...shell, output: { type: 'text', value: 'done' } }] },
      { role: 'assistant', content: [{ type: 'text', text: 'done' }] },
    ]);
  });

  it('says that a result is missing while it is', () => {
    const lines = encodeLog(buildSession({ turns: [{ replies: [{ calls: [{ callId: 'c' }] }] }] }));
    const asked = lines.slice(
      0,
      lines.findIndex(({ event }) => event.type === 'tool.intent'),
    );
    expect(contextOf(asked).at(-1)).toEqual({
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: 'c',
          toolName: 'shell',
          output: { type: 'error-text', value: 'no result of this call is recorded' },
        },
      ],
    });
  });

  it('is the summary and what came after it, wherever the summary ends', () => {
    const lines = encodeLog(buildSession({ turns: [{ replies: [{ calls: [{}, {}] }, { text: 'one' }] }, {}] }));
    for (const { event } of lines) {
      const compacted = encodeLog([{ type: 'context.compact', summary: 'S', through: event.seq }], lines);
      const [summary, ...rest] = contextOf(compacted);
      expect(summary).toMatchObject({ role: 'user', content: expect.stringMatching(/S$/) });
      expect(problemsOf(rest)).toEqual([]);
    }
  });

  it('holds one summary after a second compaction, also one that left its line', () => {
    const long = `${'s'.repeat(300_000)}!`;
    const lines = encodeLog(buildSession({ turns: [{}] }));
    const once = encodeLog(
      [{ type: 'context.compact', summary: 'S', through: lines.length - 1 }, ...buildTurn({}, 2)],
      lines,
    );
    const twice = encodeLog([{ type: 'context.compact', summary: long, through: once.length - 1 }], once);
    expect(contextOf(twice)).toEqual([{ role: 'user', content: expect.stringMatching(/s!$/) }]);
  });

  it('holds no reply without content', () => {
    const lines = encodeLog(buildSession({ turns: [{ replies: [{}] }] }));
    expect(contextOf(lines)).toEqual([{ role: 'user', content: 'prompt 1' }]);
  });
});
