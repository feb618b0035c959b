import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRefusal, type Refusal } from '@ramet/core';
import { callShell, type EndedTurn, makeSessionHarness, type SessionHarness, type TurnOptions } from '@ramet/testkit';
import {
  type ModelEndpoint,
  renderWire,
  startModelEndpoint,
  type WireAnswer,
  type WireReply,
} from '@ramet/testkit/models';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contextTokensOf } from '../../src/model/index.ts';
import type { TurnResult, TurnSettings } from '../../src/session/index.ts';

let h: SessionHarness;
let endpoint: ModelEndpoint | undefined;
beforeEach(() => {
  h = makeSessionHarness();
});
afterEach(async () => {
  await endpoint?.close();
  endpoint = undefined;
  h.remove();
});

const MODEL = 'anthropic/claude-sonnet-4-5';
const TOKENS = { input: 1000, cached: 0, output: 100 };
const OVERFLOW: WireAnswer = {
  status: 400,
  body: [
    '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 213462 tokens > 200000 maximum"}}',
  ],
};

function ended(result: TurnResult | Refusal): EndedTurn {
  if (isRefusal(result) || result.kind !== 'ended') throw new Error(JSON.stringify(result));
  return result;
}

const reply = (parts: WireReply): WireAnswer => renderWire('anthropic', { tokens: TOKENS, ...parts });
const shell = (command: string, id = 'toolu_1') =>
  reply({ toolCalls: [{ id, name: 'shell', input: JSON.stringify({ command }) }] });

/** Runs one turn against an endpoint with these answers. */
async function runAt(
  answers: readonly WireAnswer[],
  session: string | null = null,
  options: TurnOptions = {},
): Promise<TurnResult | Refusal> {
  await endpoint?.close();
  endpoint = await startModelEndpoint(answers);
  const services = { env: { ...h.services.env, ANTHROPIC_API_KEY: 'k' }, ...options.services };
  const settings: Partial<TurnSettings> = { model: MODEL, baseUrl: endpoint.url, ...options.settings };
  return h.run(session as never, null, { ...options, services, settings });
}

/** What was asked about each wait, without waiting. */
function fakeSleep(): { waits: number[]; services: NonNullable<TurnOptions['services']> } {
  const waits: number[] = [];
  const sleep = async (ms: number): Promise<void> => {
    waits.push(ms);
  };
  return { waits, services: { sleep } };
}

describe('a request to the model', () => {
  it('is tried again after the provider’s own wait, and each attempt is recorded', async () => {
    const { waits, services } = fakeSleep();
    const busy: WireAnswer = {
      status: 429,
      headers: { 'retry-after': '7' },
      body: ['{"error":{"message":"slow down"}}'],
    };
    const result = ended(await runAt([busy, { body: [], end: 'drop' }, reply({ text: 'ok' })], null, { services }));
    expect(result).toMatchObject({ text: 'ok', end: { reason: 'completed' } });
    expect(waits).toHaveLength(2);
    expect(waits[0]).toBe(7000);
    const responses = h.eventsOfType(result.session, 'model.response');
    expect(responses.map(({ attempt, error }) => [attempt, error?.retryAfterMs])).toEqual([
      [1, 7000],
      [2, undefined],
      [3, undefined],
    ]);
    expect(new Set(h.eventsOfType(result.session, 'model.request').map(({ digest }) => digest)).size).toBe(1);
    expect(h.problems()).toEqual([]);
  });

  it('fails the turn when nothing more helps, and the session goes on', async () => {
    const failed = ended(await runAt([{ status: 401, body: ['{"error":{"message":"bad key"}}'] }]));
    expect(failed).toMatchObject({ end: { reason: 'failed' }, error: { code: 'model_failed' } });
    expect((await h.turn(failed.session, 'true')).turn).toBe(2);
    expect(h.problems()).toEqual([]);
  });

  it('interrupted in the middle ends the turn, and the session goes on', async () => {
    const interrupt = new AbortController();
    const [first = ''] = reply({ text: 'half an answer' }).body;
    const running = runAt([{ body: [first], end: 'hang' }], null, {
      settings: { signal: interrupt.signal },
      observer: { event: ({ type }) => type === 'model.request' && setTimeout(() => interrupt.abort(), 50) },
    });
    const result = ended(await running);
    expect(result).toMatchObject({ end: { reason: 'interrupted' }, error: { code: 'interrupted' } });
    expect(result.checkpoint).toBeDefined();
    expect(h.problems()).toEqual([]);
    expect((await h.turn(result.session, 'true')).turn).toBe(2);
  });

  it('interrupted while waiting for the provider ends the turn', async () => {
    const interrupt = new AbortController();
    const sleep = async (): Promise<void> => {
      interrupt.abort();
      throw new Error('aborted');
    };
    const busy: WireAnswer = { status: 529, body: ['{"error":{"message":"overloaded"}}'] };
    const result = ended(await runAt([busy], null, { services: { sleep }, settings: { signal: interrupt.signal } }));
    expect(result.end.reason).toBe('interrupted');
  });

  it('holds the calls and results of inherited turns: a child’s first is the parent’s next up to the boundary', async () => {
    const one = ended(await runAt([shell('echo hi'), reply({ text: 'one' })]));
    const child = await h.fork(one.session, 1);
    await runAt([reply({ text: 'p' })], one.session, { prompt: 'parent goes on' });
    const parents = endpoint?.requests[0];
    await runAt([reply({ text: 'c' })], child, { prompt: 'child goes on' });
    const childs = endpoint?.requests[0];
    expect(childs?.problem).toBeUndefined();
    expect(childs?.text.replace('child goes on', 'parent goes on')).toBe(parents?.text);
    const secret = new RegExp([one.session, child, h.home, h.repository, h.area.folder].join('|'));
    expect(parents?.text).not.toMatch(secret);
    expect(parents?.text).not.toMatch(/\d{4}-\d\d-\d\dT/);
  });

  it('carries attachments byte for byte', async () => {
    const data = Uint8Array.from({ length: 700 }, (_, index) => (index * 7) % 256);
    const attachments = [{ mediaType: 'image/png', filename: 'a.png', data }];
    const { session } = ended(await runAt([reply({ text: 'seen' })], null, { attachments }));
    await runAt([reply({ text: 'seen again' })], session);
    expect(endpoint?.requests[0]?.text).toContain(Buffer.from(data).toString('base64'));
  });
});

describe('limits of a turn', () => {
  it('stop it before another request: requests, tokens, cost', async () => {
    const many = () => [1, 2, 3].map((index) => shell('true', `t${index}`));
    const requests = ended(await runAt(many(), null, { settings: { limits: { maxRequests: 2 } } }));
    expect(requests).toMatchObject({ end: { reason: 'limit' }, error: { code: 'limit_reached' } });
    expect(endpoint?.requests).toHaveLength(2);
    const tokens = ended(await runAt(many(), null, { settings: { limits: { maxTokens: 2000 } } }));
    expect(tokens.error?.message).toContain('2200 of at most 2000 tokens');
    const cost = ended(await runAt(many(), null, { settings: { limits: { maxCost: 0.000001 } } }));
    expect(cost).toMatchObject({ end: { reason: 'limit' } });
    expect(endpoint?.requests).toHaveLength(1);
    expect(h.problems()).toEqual([]);
  });

  it('on the cost of a model without a price are refused, new session or old, and nothing is asked', async () => {
    const limits = { limits: { maxCost: 1 } };
    const refused = { code: 'bad_usage', message: expect.stringContaining('--max-cost cannot be kept') };
    const nameless = { settings: { ...limits, model: 'anthropic/no-such-model' } };
    expect(await runAt([], null, nameless)).toMatchObject(refused);
    expect(h.store.listRuns()).toEqual([]);
    const { session } = await h.turn(null, 'true');
    expect(await h.run(session, [{ text: 'x' }], { settings: limits })).toMatchObject(refused);
    expect(h.eventsOfType(session, 'session.config')).toHaveLength(1);
  });

  it('say once that a reply did not say what they count', async () => {
    const notices: string[] = [];
    const observer = { notice: (text: string) => notices.push(text) };
    const replies = [callShell('true'), callShell('true'), { text: 'done' }];
    const result = ended(await h.run(null, replies, { observer, settings: { limits: { maxTokens: 5 } } }));
    expect(result.end.reason).toBe('completed');
    expect(notices.filter((text) => text.includes('--max-tokens counts only'))).toHaveLength(1);
  });

  it('count what the session used itself, not what it inherited', async () => {
    const { session } = ended(await runAt([reply({ text: 'dear' })]));
    const child = await h.fork(session, 1);
    const settings = { limits: { maxTokens: 1000 } };
    expect(ended(await runAt([reply({ text: 'ok' })], child, { settings })).end.reason).toBe('completed');
    expect(ended(await runAt([reply({ text: 'ok' })], session, { settings })).end.reason).toBe('limit');
  });

  it('end a call that takes too long, and a limit beyond any timer ends nothing', async () => {
    const settings = { limits: { maxTimeMs: 3000 } };
    const late = ended(await h.run(null, [callShell('sleep 60'), { text: 'x' }], { settings }));
    expect(late).toMatchObject({ end: { reason: 'limit' }, error: { code: 'limit_reached' } });
    expect(h.eventsOfType(late.session, 'tool.result')).toMatchObject([{ outcome: 'interrupted' }]);
    const free = await h.turn(late.session, 'true', { settings: { limits: { maxTimeMs: 1e12 } } });
    expect(free.end.reason).toBe('completed');
  });
});

describe('an interrupted turn', () => {
  it('records the result of the call it was in, the calls it did not start, and its checkpoint', async () => {
    const interrupt = new AbortController();
    const calls = ['echo begun > f; sleep 60', 'echo never > g'].map((command) => ({
      name: 'shell',
      input: { command },
    }));
    const observer = {
      event: ({ type }: { type: string }) => type === 'tool.intent' && setTimeout(() => interrupt.abort(), 500),
    };
    const settings = { signal: interrupt.signal };
    const result = ended(await h.run(null, [{ toolCalls: calls }], { settings, observer: observer as never }));
    expect(result).toMatchObject({ end: { reason: 'interrupted' }, checkpoint: { files: 2 } });
    const outcomes = h.eventsOfType(result.session, 'tool.result').map(({ outcome }) => outcome);
    expect(outcomes).toEqual(['interrupted', 'interrupted']);
    expect(h.problems()).toEqual([]);
    expect((await h.turn(result.session, 'cat f')).end.reason).toBe('completed');
  });

  it('before its first request has no request', async () => {
    const { session } = await h.turn(null, 'true');
    const result = await h.turn(session, 'true', { settings: { signal: AbortSignal.abort() } });
    expect(result.end.reason).toBe('interrupted');
    expect(h.problems()).toEqual([]);
  });
});

describe('a context that nears its limit', () => {
  it('is summarised; the summary is the compaction’s own bill, and the turn goes on', async () => {
    const holds = (await contextTokensOf({ provider: 'anthropic', model: 'claude-sonnet-4-5' })) ?? 0;
    const full = { input: Math.ceil(holds * 0.9), cached: 0, output: 10 };
    const { session } = ended(await runAt([reply({ text: 'one', tokens: full })]));
    const parent = h.eventsOf(session);
    const child = await h.fork(session, 1);
    const answers = [reply({ text: 'THE SUMMARY' }), reply({ text: 'two' })];
    const result = ended(await runAt(answers, child, { prompt: 'next' }));
    expect(result).toMatchObject({ text: 'two', end: { reason: 'completed' }, usage: { inputTokens: 2000 } });
    const [compaction] = h.eventsOfType(child, 'context.compact');
    expect(compaction).toMatchObject({ summary: 'THE SUMMARY' });
    expect(
      h
        .eventsOfType(child, 'model.response')
        .slice(1)
        .map(({ purpose }) => purpose),
    ).toEqual(['compact', 'turn']);
    const [, next] = endpoint?.requests ?? [];
    expect(next?.text).toContain('THE SUMMARY');
    expect(next?.text).not.toContain('"one"');
    expect(h.eventsOf(session)).toEqual(parent);
    expect(h.problems()).toEqual([]);
  });

  it('after an overflow is summarised with shortened answers when it does not fit whole, and ends when nothing is left', async () => {
    const { session } = ended(await runAt([shell('seq 1 4000'), reply({ text: 'one' })]));
    const answers = [OVERFLOW, OVERFLOW, reply({ text: 'SHORT' }), reply({ text: 'two' })];
    const result = ended(await runAt(answers, session, { prompt: 'next' }));
    expect(result).toMatchObject({ text: 'two', end: { reason: 'completed' } });
    const sizes = endpoint?.requests.map(({ text }) => text.length) ?? [];
    expect(sizes[2]).toBeLessThan((sizes[1] ?? 0) - 10_000);
    const stuck = ended(await runAt([OVERFLOW, reply({ text: 'S' }), OVERFLOW], session, { prompt: 'x' }));
    expect(stuck).toMatchObject({ end: { reason: 'failed' }, error: { code: 'model_failed' } });
    expect(h.problems()).toEqual([]);
  });

  it('is kept when the summary is empty', async () => {
    const { session } = ended(await runAt([reply({ text: 'one' })]));
    const result = ended(await runAt([OVERFLOW, reply({})], session, { prompt: 'next' }));
    expect(result).toMatchObject({ end: { reason: 'failed' }, error: { code: 'model_failed' } });
    expect(h.eventsOfType(session, 'context.compact')).toEqual([]);
  });

  it('of one long turn is summarised within the turn', async () => {
    const answers = [
      shell('echo a', 'a'),
      OVERFLOW,
      reply({ text: 'MID' }),
      shell('echo b', 'b'),
      reply({ text: 'end' }),
    ];
    const result = ended(await runAt(answers));
    expect(result).toMatchObject({ text: 'end', end: { reason: 'completed' } });
    expect(endpoint?.requests.map(({ problem }) => problem)).toEqual(answers.map(() => undefined));
    expect(h.problems()).toEqual([]);
  });
});

describe('a scripted turn that is continued after a crash', () => {
  const crash = new Error('killed');

  async function crashInTurn(model: string): Promise<string> {
    let session = '';
    const settings = {
      model,
      observer: {
        session: (id: string) => (session = id),
        event: ({ type }: { type: string }) => {
          if (type === 'tool.result') throw crash;
        },
      },
    };
    await expect(h.run(null, null, { settings: settings as never })).rejects.toBe(crash);
    return session;
  }

  it('goes on with the script it began with', async () => {
    const session = await crashInTurn(h.writeScript([callShell('true'), { text: 'done' }]));
    expect(await h.run(session as never, null, { prompt: null })).toMatchObject({ text: 'done' });
  });

  it('fails with script_changed when the script is another, and a new turn takes the new script', async () => {
    const model = h.writeScript([callShell('true'), { text: 'done' }]);
    const session = await crashInTurn(model);
    writeFileSync(model.slice('scripted:'.length), JSON.stringify([{ text: 'other' }, { text: 'else' }]));
    const failed = await h.run(session as never, null, { prompt: null });
    expect(failed).toMatchObject({ turn: 1, end: { reason: 'failed' }, error: { code: 'script_changed' } });
    expect(h.problems()).toEqual([]);
    expect(await h.run(session as never, null)).toMatchObject({ turn: 2, text: 'other' });
    rmSync(model.slice('scripted:'.length));
    expect(await h.run(session as never, null)).toMatchObject({ code: 'bad_script' });
  });

  it('is ended as interrupted by a new message', async () => {
    const session = await crashInTurn(h.writeScript([callShell('true'), { text: 'done' }]));
    const notices: string[] = [];
    const result = await h.turn(session as never, 'true', { observer: { notice: (text) => notices.push(text) } });
    expect(result.turn).toBe(2);
    expect(h.eventsOfType(session as never, 'session.end').map(({ reason }) => reason)).toEqual([
      'interrupted',
      'completed',
    ]);
    expect(notices.join()).toContain('stopped in the middle of a turn');
    expect(h.problems()).toEqual([]);
  });
});

describe('instructions of a project', () => {
  it('are read on the way to the session’s folder, AGENTS.md before CLAUDE.md, never through a link', async () => {
    const files = {
      'AGENTS.md': 'ROOT RULE',
      'CLAUDE.md': 'NOT THIS',
      'front/CLAUDE.md': 'FRONT RULE',
      'front/deep/x': '',
      'other/AGENTS.md': 'OTHER RULE',
    };
    const own = makeSessionHarness({ files });
    own.area.git(own.repository, 'config', 'core.symlinks', 'true');
    const created = { cwd: join(own.repository, 'front', 'deep') };
    const { session } = ended(
      await own.run(null, [callShell('ln -s /etc/passwd AGENTS.md'), { text: 'x' }], { created }),
    );
    const [config] = own.eventsOfType(session, 'session.config');
    expect(config?.instructions.map(({ path }) => path)).toEqual(['AGENTS.md', 'front/CLAUDE.md']);
    const digests = own.eventsOfType(session, 'model.request').map(({ digest }) => digest);
    await own.turn(session, 'true');
    const [, second] = own.eventsOfType(session, 'session.config');
    expect(second?.instructions.map(({ path }) => path)).toEqual(['AGENTS.md', 'front/CLAUDE.md']);
    expect(digests).toHaveLength(2);
    own.remove();
  });
});
