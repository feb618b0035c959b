import { isRefusal, type RunId } from '@ramet/core';
import { callShell, makeSessionHarness, type SessionHarness, type TurnOptions } from '@ramet/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApprovalQuestion, type ApprovalReply, SUSPEND } from '../../src/session/index.ts';

let h: SessionHarness;
beforeEach(() => {
  h = makeSessionHarness();
});
afterEach(() => {
  expect(h.problems()).toEqual([]);
  h.remove();
});

const ASK = [{ tool: 'shell', do: 'ask' }] as const;
const ALLOW: ApprovalReply = { answer: 'allow', scope: 'once', by: 'person' };
const REPLIES = [callShell('echo one >> marks'), callShell('echo two >> marks'), { text: 'done' }];

/** Settings of a turn that is suspended by `stop`. */
function makeStop() {
  const process = new AbortController();
  return { signal: process.signal, stop: () => process.abort(SUSPEND) };
}

/** Suspends the first turn of a session at an event of it, and answers the session. */
async function suspendAt(type: string, replies: Parameters<SessionHarness['run']>[1], options: TurnOptions = {}) {
  const { signal, stop } = makeStop();
  const event = (event: { readonly type: string }) => event.type === type && stop();
  const result = await h.run(null, replies, {
    ...options,
    settings: { ...options.settings, signal },
    observer: { event },
  });
  if (isRefusal(result) || result.kind !== 'suspended') throw new Error(JSON.stringify(result));
  expect(result).toEqual({ kind: 'suspended', session: result.session, turn: 1 });
  expect(h.eventsOfType(result.session, 'session.end')).toEqual([]);
  return result.session;
}

/** Goes on with the open turn, and expects that it ends well and that nobody is said to have interrupted it. */
async function goOn(session: RunId, options: TurnOptions = {}): Promise<void> {
  const notices: string[] = [];
  const observer = { notice: (text: string) => notices.push(text) };
  const result = await h.run(session, null, { prompt: null, observer, ...options });
  expect(result).toMatchObject({ kind: 'ended', turn: 1, text: 'done', end: { reason: 'completed' } });
  expect(h.eventsOfType(session, 'message')).toHaveLength(1);
  expect(h.logOf(session).toString()).not.toContain('person interrupted');
  expect(notices.join()).not.toContain('died');
}

describe('a turn that is suspended', () => {
  it('interrupts the call in flight, records that, and goes on without it', async () => {
    const session = await suspendAt('tool.intent', [callShell('echo one >> marks; sleep 600'), { text: 'done' }]);
    expect(h.eventsOfType(session, 'tool.result')).toMatchObject([{ outcome: 'interrupted' }]);
    await goOn(session);
    expect(h.eventsOfType(session, 'tool.intent')).toHaveLength(1);
  });

  it('makes the calls that had not begun when it goes on', async () => {
    const calls = ['sleep 600', 'echo two >> marks'].map((command) => ({ name: 'shell', input: { command } }));
    const session = await suspendAt('tool.intent', [{ toolCalls: calls }, { text: 'done' }]);
    expect(h.eventsOfType(session, 'tool.result')).toHaveLength(1);
    await goOn(session);
    expect(h.eventsOfType(session, 'tool.result').map(({ outcome }) => outcome)).toEqual(['interrupted', 'ok']);
  });

  it('makes a request that was in flight again, which counts once', async () => {
    const settings = { limits: { maxRequests: 1 } };
    const session = await suspendAt('model.request', [{ text: 'done' }], { settings });
    expect(h.eventsOfType(session, 'model.response')).toMatchObject([{ error: { code: 'interrupted' } }]);
    await goOn(session, { settings });
    expect(h.eventsOfType(session, 'model.request').map(({ attempt }) => attempt)).toEqual([1, 1]);
  });

  it('takes nothing back of what was done before: every call is made once', async () => {
    for (const type of ['message', 'model.response', 'tool.result']) {
      const session = await suspendAt(type, REPLIES);
      await goOn(session);
      expect(h.eventsOfType(session, 'tool.result').map(({ outcome }) => outcome)).toEqual(['ok', 'ok']);
    }
  });

  it('ends when its last reply was there already', async () => {
    const { signal, stop } = makeStop();
    const observer = { event: ({ type }: { readonly type: string }) => type === 'model.response' && stop() };
    const result = await h.run(null, [{ text: 'done' }], { settings: { signal }, observer });
    expect(result).toMatchObject({ kind: 'ended', end: { reason: 'completed' } });
  });

  it('is interrupted, and ends, by an abort with any other reason', async () => {
    const person = new AbortController();
    const observer = { event: ({ type }: { readonly type: string }) => type === 'tool.intent' && person.abort() };
    const replies = [callShell('sleep 600'), { text: 'done' }];
    const result = await h.run(null, replies, { settings: { signal: person.signal }, observer });
    expect(result).toMatchObject({ kind: 'ended', end: { reason: 'interrupted' } });
  });

  it('may be suspended under a time limit, which begins anew', async () => {
    const settings = { limits: { maxTimeMs: 600_000 } };
    const session = await suspendAt('tool.intent', [callShell('sleep 600'), { text: 'done' }], { settings });
    await goOn(session, { settings });
  });
});

describe('a question', () => {
  it('is in the log of the disk before it is put to a person', async () => {
    let session = '' as RunId;
    const seen: unknown[] = [];
    const ask = async ({ callId }: ApprovalQuestion): Promise<ApprovalReply> => {
      seen.push(h.eventsOfType(session, 'approval.request').find((request) => request.callId === callId)?.tool);
      return ALLOW;
    };
    const observer = {
      session: (id: RunId) => {
        session = id;
      },
    };
    await h.run(null, REPLIES, { settings: { ask, rules: ASK }, observer });
    expect(seen).toEqual(['shell', 'shell']);
  });

  it('stays open when its turn is suspended, and is asked again with the same call', async () => {
    const { signal, stop } = makeStop();
    const asked: ApprovalQuestion[] = [];
    const wait = (question: ApprovalQuestion, aborted: AbortSignal) =>
      new Promise<never>((_, reject) => {
        asked.push(question);
        aborted.addEventListener('abort', () => reject(aborted.reason));
        stop();
      });
    const parked = await h.run(null, REPLIES, { settings: { ask: wait, rules: ASK, signal } });
    if (isRefusal(parked) || parked.kind !== 'parked') throw new Error(JSON.stringify(parked));
    const { session } = parked;
    const [request] = h.eventsOfType(session, 'approval.request');
    expect(parked).toMatchObject({ turn: 1, reason: 'approval_pending', offset: request?.seq });
    expect(h.eventsOfType(session, 'tool.result')).toEqual([]);
    expect(h.eventsOfType(session, 'approval.answer')).toEqual([]);
    const ask = async (question: ApprovalQuestion) => {
      asked.push(question);
      return ALLOW;
    };
    await goOn(session, { settings: { ask, rules: ASK } });
    expect(asked.map(({ callId }) => callId).slice(0, 2)).toEqual([request?.callId, request?.callId]);
    expect(h.eventsOfType(session, 'approval.request')).toHaveLength(2);
    expect(h.eventsOfType(session, 'tool.result').map(({ outcome }) => outcome)).toEqual(['ok', 'ok']);
  });

  it('that was answered while the turn was suspended is not asked again', async () => {
    const { signal, stop } = makeStop();
    const ask = async () => {
      stop();
      return ALLOW;
    };
    const replies = [callShell('echo one >> marks'), { text: 'done' }];
    const suspended = await h.run(null, replies, { settings: { ask, rules: ASK, signal } });
    if (isRefusal(suspended) || suspended.kind !== 'suspended') throw new Error(JSON.stringify(suspended));
    expect(h.eventsOfType(suspended.session, 'tool.intent')).toEqual([]);
    const never = () => Promise.reject(new Error('asked again'));
    await goOn(suspended.session, { settings: { ask: never, rules: ASK } });
    expect(h.eventsOfType(suspended.session, 'tool.result')).toMatchObject([{ outcome: 'ok' }]);
  });
});
