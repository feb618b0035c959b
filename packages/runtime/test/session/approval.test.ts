import { isRefusal } from '@ramet/core';
import { callShell, makeSessionHarness, type SessionHarness, type TurnOptions } from '@ramet/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApprovalQuestion, ApprovalReply, PermissionRule, TurnSettings } from '../../src/session/index.ts';

let h: SessionHarness;
beforeEach(() => {
  h = makeSessionHarness();
});
afterEach(() => h.remove());

const ASK: readonly PermissionRule[] = [{ tool: 'shell', do: 'ask' }];

/** Answers every question alike, and remembers them. */
function answering(reply: Partial<ApprovalReply>): {
  questions: ApprovalQuestion[];
  ask: NonNullable<TurnSettings['ask']>;
} {
  const questions: ApprovalQuestion[] = [];
  return {
    questions,
    ask: async (question) => {
      questions.push(question);
      return { answer: 'allow', scope: 'once', by: 'person', ...reply };
    },
  };
}

function asking(reply: Partial<ApprovalReply>): { options: TurnOptions; questions: ApprovalQuestion[] } {
  const { ask, questions } = answering(reply);
  return { options: { settings: { rules: ASK, ask } }, questions };
}

describe('a call that needs a person', () => {
  it('is denied to the model when nobody is there, and counted', async () => {
    const result = await h.turn(null, 'touch x', { settings: { rules: ASK } });
    expect(result.end.reason).toBe('completed');
    expect(result.denied).toMatchObject([{ tool: 'shell', reason: expect.stringContaining('nobody was there') }]);
    expect(h.eventsOfType(result.session, 'tool.intent')).toEqual([]);
    expect(h.eventsOfType(result.session, 'approval.answer')).toMatchObject([{ answer: 'deny', by: 'nobody' }]);
    expect(h.problems()).toEqual([]);
  });

  it('parks the turn, survives being asked for again, and is made once a person allows it', async () => {
    const replies = [callShell('echo x >> x'), { text: 'done' }];
    const parked = await h.run(null, replies, { settings: { rules: ASK, onAsk: 'park' } });
    if (isRefusal(parked) || parked.kind !== 'parked') throw new Error(JSON.stringify(parked));
    expect(parked).toMatchObject({ reason: 'approval_pending', turn: 1 });
    expect(h.eventsOf(parked.session)[parked.offset]?.type).toBe('approval.request');
    const notices: string[] = [];
    const again = await h.run(parked.session, null, {
      prompt: null,
      settings: { rules: ASK, onAsk: 'park' },
      observer: { notice: (text) => notices.push(text) },
    });
    expect(again).toMatchObject({ kind: 'parked', offset: parked.offset });
    expect(notices).toEqual([]);
    const { options } = asking({});
    expect(await h.run(parked.session, null, { ...options, prompt: null })).toMatchObject({
      end: { reason: 'completed' },
    });
    expect(h.eventsOfType(parked.session, 'approval.request')).toHaveLength(1);
    expect(h.eventsOfType(parked.session, 'tool.intent')).toHaveLength(1);
    expect(h.problems()).toEqual([]);
  });

  it('fails the turn where that was asked for', async () => {
    const result = await h.turn(null, 'touch x', { settings: { rules: ASK, onAsk: 'fail' } });
    expect(result).toMatchObject({ end: { reason: 'failed' }, error: { code: 'approval_denied' } });
    expect(h.problems()).toEqual([]);
  });

  it('is asked about each time, or once for the session with this input only', async () => {
    const once = asking({ scope: 'once' });
    const { session } = await h.turn(null, 'echo a', once.options);
    await h.turn(session, 'echo a', once.options);
    expect(once.questions).toHaveLength(2);
    const always = asking({ scope: 'session' });
    await h.turn(session, 'echo a', always.options);
    await h.turn(session, 'echo a', always.options);
    expect(always.questions).toHaveLength(1);
    await h.turn(session, 'echo a ', always.options);
    expect(always.questions).toHaveLength(2);
  });

  it('is not made when the person says no', async () => {
    const { options } = asking({ answer: 'deny' });
    const result = await h.turn(null, 'touch x', options);
    expect(result.denied).toMatchObject([{ reason: 'denied by the person' }]);
    expect(h.eventsOfType(result.session, 'tool.intent')).toEqual([]);
  });

  it('cannot be answered with an old receipt where there is none', async () => {
    const { options } = asking({ answer: 'reuse' });
    expect((await h.turn(null, 'touch x', options)).denied).toHaveLength(1);
  });

  it.each(['allow', 'deny'] as const)('is not asked about again after a crash behind the answer %s', async (answer) => {
    const { options, questions } = asking({ answer });
    const crash = new Error('killed');
    const observer = {
      event: ({ type }: { readonly type: string }) => {
        if (type === 'approval.answer') throw crash;
      },
    };
    let session: string | undefined;
    const settings = { ...options.settings, observer: { ...observer, session: (id: string) => (session = id) } };
    await expect(h.run(null, [callShell('echo x >> x'), { text: 'done' }], { settings })).rejects.toBe(crash);
    const result = await h.run(session as never, null, { ...options, prompt: null });
    expect(result).toMatchObject({ end: { reason: 'completed' }, denied: answer === 'deny' ? [{}] : [] });
    expect(questions).toHaveLength(1);
    expect(h.problems()).toEqual([]);
  });

  it('ends with the turn when it is interrupted while a person thinks', async () => {
    const interrupt = new AbortController();
    const ask = (_: ApprovalQuestion, signal: AbortSignal) =>
      new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('closed')));
        interrupt.abort();
      });
    const result = await h.turn(null, 'touch x', { settings: { rules: ASK, ask, signal: interrupt.signal } });
    expect(result).toMatchObject({ end: { reason: 'interrupted' }, error: { code: 'interrupted' } });
    expect(h.problems()).toEqual([]);
    expect((await h.turn(result.session, 'true')).turn).toBe(2);
  });

  it('without a sandbox is every shell call', async () => {
    const result = await h.turn(null, 'touch x', { settings: { sandbox: 'none' } });
    expect(result.denied).toHaveLength(1);
    const allowed = await h.turn(result.session, 'touch x', {
      settings: { sandbox: 'none', rules: [{ tool: 'shell', match: 'touch *', do: 'allow' }] },
    });
    expect(allowed.denied).toEqual([]);
    expect(h.eventsOfType(result.session, 'tool.intent')).toMatchObject([{ contained: false }]);
  });
});

describe('B27: standing approvals', () => {
  it('are not inherited by a fork before or after the grant, nor by another session, and stay the parent’s own', async () => {
    const always = asking({ scope: 'session' });
    const first = await h.turn(null, 'echo other', always.options);
    await h.turn(first.session, 'echo a', always.options);
    const after = await h.fork(first.session, 2);
    const before = await h.fork(first.session, 1);
    expect(always.questions).toHaveLength(2);
    for (const session of [after, before, null]) {
      const denied = await h.turn(session, 'echo a', { settings: { rules: ASK } });
      expect(denied.denied).toHaveLength(1);
    }
    const again = await h.turn(after, 'echo a', { settings: { rules: ASK } });
    expect(again.denied).toHaveLength(1);
    expect((await h.turn(first.session, 'echo a', { settings: { rules: ASK } })).denied).toEqual([]);
    expect(h.problems()).toEqual([]);
  });

  it('do not answer a question that is open in the parent when the child is answered', async () => {
    const { session } = await h.turn(null, 'true');
    const child = await h.fork(session, 1);
    await h.run(session, [callShell('echo a'), { text: 'x' }], { settings: { rules: ASK, onAsk: 'park' } });
    await h.turn(child, 'echo a', asking({ scope: 'session' }).options);
    expect(await h.run(session, null, { prompt: null, settings: { rules: ASK, onAsk: 'park' } })).toMatchObject({
      kind: 'parked',
    });
  });
});

describe('writes a fork left outstanding', () => {
  const FREE: Partial<TurnSettings> = { sandbox: 'none', rules: [{ tool: 'shell', do: 'allow' }] };

  async function forkBeforeWrite(): Promise<{ parent: string; child: string }> {
    const { session } = await h.turn(null, 'true', { settings: FREE });
    await h.turn(session, 'echo sent', { settings: FREE });
    return { parent: session, child: await h.fork(session, 1) };
  }

  it('are told to the agent once, and the same call is stopped though a rule allows it', async () => {
    const { child } = await forkBeforeWrite();
    const stopped = await h.turn(child as never, 'echo sent', { settings: FREE });
    expect(stopped.denied).toHaveLength(1);
    const [, message] = h.eventsOfType(child as never, 'message');
    expect(JSON.stringify(message?.notices)).toContain('echo sent');
    await h.turn(child as never, 'true', { settings: FREE });
    expect(h.eventsOfType(child as never, 'message').at(-1)?.notices).toBeUndefined();
  });

  it('are shown beside another write of the tool, and answered with the old receipt where the person says so', async () => {
    const { child } = await forkBeforeWrite();
    const { ask, questions } = answering({ answer: 'reuse' });
    const reused = await h.turn(child as never, 'echo sent', { settings: { ...FREE, ask } });
    expect(questions).toMatchObject([{ matches: true, outstanding: [{ input: { command: 'echo sent' } }] }]);
    const result = h.eventsOfType(reused.session, 'tool.result').at(-1);
    expect(result).toMatchObject({ outcome: 'ok', receipt: {}, output: { value: { stdout: 'sent\n' } } });
    const asked = answering({});
    await h.turn(child as never, 'echo other', { settings: { sandbox: 'none', ask: asked.ask } });
    expect(asked.questions).toMatchObject([{ matches: false, outstanding: [{ tool: 'shell' }] }]);
    expect(h.problems()).toEqual([]);
  });

  it('are answered in words when the log that has the receipt is gone, also in a grandchild', async () => {
    const { parent, child } = await forkBeforeWrite();
    const grandchild = await h.fork(child as never, 1);
    expect(await h.store.remove(parent as never)).toBeNull();
    const { ask } = answering({ answer: 'reuse' });
    await h.turn(grandchild, 'echo sent', { settings: { ...FREE, ask } });
    const result = h.eventsOfType(grandchild, 'tool.result').at(-1);
    expect(JSON.stringify(result?.output)).toContain('not sent again');
    expect(h.problems()).toEqual([]);
  });
});
