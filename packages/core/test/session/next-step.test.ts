import { createSessionFold, type EncodedLine, nextStep, type SessionState } from '@ramet/core';
import {
  buildConfig,
  buildFork,
  buildSession,
  buildTurn,
  encodeLog,
  makeTestId,
  sessionLog,
  type TurnPlan,
} from '@ramet/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

function fold(lines: readonly EncodedLine[]): SessionState {
  const session = createSessionFold();
  for (const { event } of lines) session.add(event);
  return session.state;
}

/** The step after each line of a turn, as `type -> step`. */
function stepsOf(turn: TurnPlan): readonly string[] {
  const start = encodeLog(buildSession({ turns: [] }));
  const lines = encodeLog(buildTurn(turn, 1), start);
  return lines.slice(start.length).map((line, index) => {
    const step = nextStep(fold(lines.slice(0, start.length + index + 1)));
    const detail = 'call' in step ? ` ${step.call.index}` : 'reason' in step ? ` ${step.reason}` : '';
    return `${line.event.type} -> ${step.kind}${detail}`;
  });
}

describe('the next step after each event of a turn', () => {
  it.each<[string, TurnPlan, string[]]>([
    [
      'that only answers',
      { replies: [{ text: 'hello' }] },
      [
        'message -> request',
        'model.request -> request',
        'model.response -> end completed',
        'workspace.checkpoint -> end completed',
        'session.end -> idle',
      ],
    ],
    [
      'with two calls and an answer',
      { replies: [{ calls: [{}, {}] }, { text: 'done' }], checkpoint: null },
      [
        'message -> request',
        'model.request -> request',
        'model.response -> call 0',
        'tool.intent -> recover 0',
        'tool.result -> call 1',
        'tool.intent -> recover 1',
        'tool.result -> request',
        'model.request -> request',
        'model.response -> end completed',
        'session.end -> idle',
      ],
    ],
    [
      'whose call is denied, then another is tried twice',
      { replies: [{ text: 'first', calls: [{ outcome: 'denied' }, { cutOff: 'retry' }] }], open: true },
      [
        'message -> request',
        'model.request -> request',
        'model.response -> call 0',
        'tool.result -> call 1',
        'tool.intent -> recover 1',
        'tool.intent -> recover 1',
        'tool.result -> request',
      ],
    ],
    [
      'whose reply uses one call id twice',
      { replies: [{ calls: [{ callId: 'c' }, { callId: 'c' }] }], open: true },
      [
        'message -> request',
        'model.request -> request',
        'model.response -> call 0',
        'tool.intent -> recover 0',
        'tool.result -> call 1',
        'tool.intent -> recover 1',
        'tool.result -> request',
      ],
    ],
  ])('%s', (_, turn, expected) => {
    expect(stepsOf(turn)).toEqual(expected);
  });

  it('is a new request after an attempt that failed', () => {
    const lines = encodeLog([...buildSession({ turns: [{ replies: [], open: true }] }), FAILED]);
    expect(nextStep(fold(lines))).toEqual({ kind: 'request' });
  });

  it('is not changed by what a compaction or a title asks of the model', () => {
    const reply = { role: 'assistant' as const, content: [{ type: 'text' as const, text: 'a title' }] };
    const lines = encodeLog([
      ...buildSession({ turns: [{ replies: [], open: true }] }),
      { type: 'model.response', model: 'm', attempt: 1, purpose: 'title', message: reply },
    ]);
    expect(nextStep(fold(lines))).toEqual({ kind: 'request' });
  });

  it('passes over calls that are not well formed', () => {
    const content = [
      { type: 'tool-call', toolName: 'shell' },
      { type: 'tool-call', toolCallId: 'c', toolName: 1 },
    ] as never;
    const lines = encodeLog([
      ...buildSession({ turns: [{ replies: [], open: true }] }),
      { type: 'model.response', model: 'm', attempt: 1, purpose: 'turn', message: { role: 'assistant', content } },
    ]);
    expect(nextStep(fold(lines))).toEqual({ kind: 'end', reason: 'completed' });
  });

  it('is idle at the end of any session and at each of its boundaries', () => {
    fc.assert(
      fc.property(sessionLog, (lines) => {
        for (const { event } of lines) {
          if (event.type !== 'session.end') continue;
          expect(nextStep(fold(lines.slice(0, event.seq + 1)))).toEqual({ kind: 'idle' });
        }
        expect(nextStep(fold(lines))).toEqual({ kind: 'idle' });
      }),
      { numRuns: 50 },
    );
  });
});

const FAILED = {
  type: 'model.response',
  model: 'm',
  attempt: 1,
  purpose: 'turn',
  error: { code: 'overloaded', message: 'later' },
} as const;

describe('the state of a session', () => {
  const answer = { type: 'approval.answer', callId: 'c', answer: 'allow', by: 'person', scope: 'session' } as const;
  const asked = { replies: [{ calls: [{ callId: 'c', input: { n: 1 } }] }] };

  it('remembers what a call was asked about under, and what it last began under', () => {
    const [message, request, response, intent] = buildTurn(asked, 1);
    if (message === undefined || request === undefined || response === undefined || intent === undefined)
      throw new Error('no turn');
    const question = { type: 'approval.request', callId: 'c', tool: 'shell', input: { n: 1 }, reason: 'r' } as const;
    const before = [...buildSession({ turns: [] }), message, request, response];
    const underOf = (events: Parameters<typeof encodeLog>[0]) => fold(encodeLog(events)).open?.calls[0]?.under?.seq;
    expect(underOf(before)).toBeUndefined();
    const configured = before.findIndex((event) => event.type === 'session.config');
    expect(underOf([...before, question, buildConfig('m')])).toBe(configured);
    expect(underOf([...before, question, buildConfig('m'), intent])).toBe(before.length + 1);
  });

  it('keeps what a person allowed for the rest of the run, and not beyond a fork', () => {
    const [message, request, response, ...rest] = buildTurn(asked, 1);
    if (message === undefined || request === undefined || response === undefined) throw new Error('no turn');
    const lines = encodeLog([...buildSession({ turns: [] }), message, request, response, answer, ...rest]);
    expect(fold(lines).grants).toEqual([{ tool: 'shell', input: { n: 1 } }]);
    expect(fold(buildFork(lines, { id: makeTestId(2) })).grants).toEqual([]);
  });

  it('of a child has its own id, usage and workspace, and its parent’s turns', () => {
    const parent = encodeLog(buildSession({ turns: [{ replies: [{ usage: { inputTokens: 5, outputTokens: 2 } }] }] }));
    const child = fold(buildFork(parent, { id: makeTestId(2) }));
    expect(child).toMatchObject({
      id: makeTestId(2),
      turns: 1,
      own: { replies: 0 },
      workspaceReady: false,
      lastCheckpoint: { id: 'checkpoint-1' },
      contextTokens: 7,
    });
  });

  it('counts a second session.start for nothing', () => {
    const [start] = buildSession({ id: makeTestId(7), turns: [] });
    if (start === undefined) throw new Error('no start');
    expect(fold(encodeLog([...buildSession({ turns: [{}] }), start])).id).toBe(makeTestId(1));
  });

  it('takes the highest schema, also of events it does not know', () => {
    const newer = { ...buildConfig('m'), schema: 3 } as ReturnType<typeof buildConfig>;
    expect(fold(encodeLog([...buildSession({ turns: [] }), newer, buildConfig('m')])).schema).toBe(3);
  });
});
