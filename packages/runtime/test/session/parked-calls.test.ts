import { isRefusal, type RunId } from '@ramet/core';
import { callShell, makeSessionHarness, type SessionHarness, type TurnOptions } from '@ramet/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resolveCall } from '../../src/runs/index.ts';
import type { ApprovalQuestion, PermissionRule, TurnSettings } from '../../src/session/index.ts';

let h: SessionHarness;
beforeEach(() => {
  h = makeSessionHarness();
});
afterEach(() => h.remove());

const SHELL = (verdict: PermissionRule['do']): readonly PermissionRule[] => [{ tool: 'shell', do: verdict }];
const NET = { allowNet: ['example.org', '*.example.net'] } as const;

/** Parks a shell call and answers its session. */
async function park(settings: Partial<TurnSettings>): Promise<{ session: RunId; flags: readonly string[] }> {
  const replies = [callShell('echo x >> x'), { text: 'done' }];
  const parked = await h.run(null, replies, { settings: { ...settings, onAsk: 'park' } });
  if (isRefusal(parked) || parked.kind !== 'parked') throw new Error(JSON.stringify(parked));
  return parked;
}

function goOn(session: RunId, settings: Partial<TurnSettings>, options: TurnOptions = {}) {
  return h.run(session, null, { prompt: null, ...options, settings: { onAsk: 'park', ...settings } });
}

function intentsOf(session: RunId): number {
  return h.eventsOfType(session, 'tool.intent').length;
}

describe('an open question', () => {
  it('stays open whatever the rules of the next command are', async () => {
    const { session } = await park({ rules: SHELL('ask') });
    for (const rules of [[], [{ tool: 'write_file', do: 'allow' as const }], [...SHELL('allow'), ...SHELL('ask')]]) {
      expect(await goOn(session, { rules })).toMatchObject({ kind: 'parked', reason: 'approval_pending' });
    }
    expect(await goOn(session, { forgetRules: true })).toMatchObject({ kind: 'parked' });
    expect(intentsOf(session)).toBe(0);
    expect(h.eventsOfType(session, 'approval.request')).toHaveLength(1);
    expect(h.problems()).toEqual([]);
  });

  it('is put to a person with the words it was asked with, though no rule asks now', async () => {
    const { session } = await park({ rules: SHELL('ask') });
    const questions: ApprovalQuestion[] = [];
    const ask = async (question: ApprovalQuestion) => {
      questions.push(question);
      return { answer: 'allow', scope: 'once', by: 'person' } as const;
    };
    expect(await goOn(session, { ask, forgetRules: true })).toMatchObject({ end: { reason: 'completed' } });
    const [asked] = h.eventsOfType(session, 'approval.request');
    expect(questions).toMatchObject([{ tool: 'shell', reason: asked?.reason }]);
    expect(intentsOf(session)).toBe(1);
  });

  it.each(['deny', 'fail'] as const)('is answered by --on-ask %s where nobody is there', async (onAsk) => {
    const { session } = await park({ rules: SHELL('ask') });
    const reason = onAsk === 'deny' ? 'completed' : 'failed';
    expect(await goOn(session, { onAsk, forgetRules: true })).toMatchObject({ end: { reason }, denied: [{}] });
    expect(intentsOf(session)).toBe(0);
  });

  it('is answered by a matching --allow of the command that goes on, and that is recorded', async () => {
    const { session } = await park({ rules: SHELL('ask') });
    const other = [{ tool: 'shell', match: 'ls*', do: 'allow' }] as const;
    expect(await goOn(session, { rules: other })).toMatchObject({ kind: 'parked' });
    const rules = [{ tool: 'shell', match: 'echo*', do: 'allow' }] as const;
    expect(await goOn(session, { rules })).toMatchObject({ end: { reason: 'completed' }, denied: [] });
    expect(h.eventsOfType(session, 'approval.answer')).toMatchObject([{ answer: 'allow', by: 'flag', scope: 'once' }]);
    expect(h.problems()).toEqual([]);
  });

  it('is denied by a rule that denies, in whatever sandbox', async () => {
    const { session } = await park({ sandbox: 'none' });
    expect(await goOn(session, { rules: SHELL('deny') })).toMatchObject({
      end: { reason: 'completed' },
      denied: [{ reason: 'denied by the rule shell (--deny)' }],
    });
  });
});

describe('a call that waits keeps its sandbox and its network', () => {
  const cases: readonly [string, Partial<TurnSettings>, readonly string[], Partial<TurnSettings>][] = [
    ['no sandbox', { sandbox: 'none' }, ['--no-sandbox'], {}],
    ['a network', NET, ['--allow-net', 'example.org', '--allow-net', '*.example.net'], { allowNet: ['example.org'] }],
    ['the closed sandbox', { rules: SHELL('ask') }, [], { sandbox: 'none' }],
    ['the closed sandbox', { rules: SHELL('ask') }, [], NET],
  ];

  it.each(cases)('asked about with %s, it is not run with another', async (_, settings, flags, other) => {
    const parked = await park(settings);
    const { session } = parked;
    expect(parked.flags).toEqual(flags);
    const ask = () => Promise.reject(new Error('asked'));
    const refused = await goOn(session, { ...other, ask, rules: SHELL('allow') });
    expect(refused).toMatchObject({ kind: 'refusal', code: 'bad_usage', data: { flags } });
    if (flags.length > 0) expect(JSON.stringify(refused)).toContain(`--session ${session} ${flags[0]}`);
    expect(intentsOf(session)).toBe(0);
    const same = {
      ...(settings.sandbox && { sandbox: settings.sandbox }),
      allowNet: [...(settings.allowNet ?? [])].reverse(),
    };
    expect(await goOn(session, { ...same, rules: SHELL('allow') })).toMatchObject({ end: { reason: 'completed' } });
    expect(h.problems()).toEqual([]);
  });

  it('also when the owner died behind the answer', async () => {
    const crash = new Error('killed');
    let session = '' as RunId;
    const observer = {
      session: (id: RunId) => {
        session = id;
      },
      event: ({ type }: { readonly type: string }) => {
        if (type === 'approval.answer') throw crash;
      },
    };
    const ask = async () => ({ answer: 'allow', scope: 'once', by: 'person' }) as const;
    const replies = [callShell('echo x >> x'), { text: 'done' }];
    await expect(h.run(null, replies, { settings: { sandbox: 'none', ask, observer } })).rejects.toBe(crash);
    expect(await goOn(session, {})).toMatchObject({ code: 'bad_usage' });
    expect(await goOn(session, { sandbox: 'none' })).toMatchObject({ end: { reason: 'completed' } });
    expect(intentsOf(session)).toBe(1);
  });

  it('a new message ends the turn without it', async () => {
    const { session } = await park({ sandbox: 'none' });
    expect(await h.run(session, [{ text: 'ok' }])).toMatchObject({ turn: 2, end: { reason: 'completed' } });
    expect(intentsOf(session)).toBe(0);
  });
});

describe('a call that is to be sent again', () => {
  /** A call without a sandbox whose owner died; its intent is the last event. */
  async function cut(): Promise<{ session: RunId; offset: number }> {
    const crash = new Error('killed');
    let session = '' as RunId;
    const observer = {
      session: (id: RunId) => {
        session = id;
      },
      event: ({ type }: { readonly type: string }) => {
        if (type === 'tool.intent') throw crash;
      },
    };
    const settings = { sandbox: 'none', rules: SHELL('allow'), observer } as const;
    const replies = [callShell('echo x >> x'), { text: 'done' }];
    await expect(h.run(null, replies, { settings })).rejects.toBe(crash);
    return { session, offset: h.eventsOfType(session, 'tool.intent')[0]?.seq ?? -1 };
  }

  it('is sent with the sandbox it began with, or not at all', async () => {
    const { session, offset } = await cut();
    expect(await goOn(session, {})).toMatchObject({
      kind: 'parked',
      reason: 'outcome_unknown',
      flags: ['--no-sandbox'],
    });
    const resolved = await resolveCall(h.store, { id: session, offset, resolution: 'retry' });
    expect(resolved).toMatchObject({ flags: ['--no-sandbox'] });
    expect(await goOn(session, {})).toMatchObject({ code: 'bad_usage', data: { offset, flags: ['--no-sandbox'] } });
    expect(await goOn(session, { sandbox: 'none' })).toMatchObject({ end: { reason: 'completed' } });
    expect(intentsOf(session)).toBe(2);
    expect(h.problems()).toEqual([]);
  });

  it('is not sent where a rule denies it, and its outcome stays unknown', async () => {
    const { session, offset } = await cut();
    await resolveCall(h.store, { id: session, offset, resolution: 'retry' });
    expect(await goOn(session, { rules: SHELL('deny') })).toMatchObject({ end: { reason: 'completed' } });
    expect(h.eventsOfType(session, 'tool.result')).toMatchObject([{ outcome: 'outcome_unknown' }]);
    expect(intentsOf(session)).toBe(1);
    expect(h.problems()).toEqual([]);
  });
});
