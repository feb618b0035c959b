import { isRefusal, makeRunId, type RunId } from '@ramet/core';
import { callShell, makeSessionHarness, type SessionHarness, type TurnOptions } from '@ramet/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApprovalReply } from '../../src/session/index.ts';
import { openFileStore, startKeyOf } from '../../src/store/index.ts';

let h: SessionHarness;
/** A key stands for the model, too: requests of one kind name the same script. */
let models: { readonly first: string; readonly next: string };
beforeEach(() => {
  h = makeSessionHarness();
  const script = (line: string) => h.writeScript([callShell(line), { text: 'done' }]);
  models = { first: script('echo x >> x'), next: script('echo y >> y') };
});
afterEach(() => {
  expect(h.problems()).toEqual([]);
  h.remove();
});

const KEY = { idempotencyKey: 'once' } as const;

/** A new session by the key `once`: one shell call, then the end. */
function create(options: TurnOptions = {}) {
  const created = { ...KEY, ...options.created };
  const settings = { model: models.first, ...options.settings };
  return h.run(null, null, { prompt: 'go', ...options, created, settings });
}

async function idOf(result: ReturnType<typeof create>): Promise<RunId> {
  const settled = await result;
  if (isRefusal(settled)) throw new Error(JSON.stringify(settled));
  return settled.session;
}

describe('a new session with an idempotency key', () => {
  it('is made once, and its message sent once, however often it is asked for', async () => {
    const session = await idOf(create());
    const [message] = h.eventsOfType(session, 'message');
    const [end] = h.eventsOfType(session, 'session.end');
    const log = h.logOf(session);
    const repeated = { kind: 'repeated', session, turn: 1, message: message?.seq };
    expect(await create()).toEqual({ ...repeated, end: { offset: end?.seq, reason: 'completed' } });
    expect(h.store.listRuns()).toEqual([session]);
    expect(h.logOf(session)).toEqual(log);
  });

  it('is known by another process, and by one that has another store open', async () => {
    const session = await idOf(create());
    const store = openFileStore({ home: h.home, now: Date.now });
    expect(await create({ services: { store } })).toMatchObject({ kind: 'repeated', session });
  });

  it('is refused with another message, place or title, or other settings', async () => {
    const session = await idOf(create());
    const others: readonly TurnOptions[] = [
      { prompt: 'go on' },
      { created: { title: 'other' } },
      { created: { workspace: 'none' } },
      { settings: { model: models.next } },
      { settings: { limits: { maxTokens: 9 } } },
      { attachments: [{ mediaType: 'text/plain', filename: 'a', data: Buffer.from('a') }] },
    ];
    for (const other of others) {
      expect(await create(other)).toMatchObject({ code: 'key_reused', data: { child: session } });
    }
    expect(h.store.listRuns()).toEqual([session]);
  });

  it('is not made again once it was removed', async () => {
    const session = await idOf(create());
    expect(await h.store.remove(session)).toBeNull();
    expect(await create()).toMatchObject({ code: 'child_removed', data: { child: session } });
    expect(h.store.listRuns()).toEqual([]);
  });

  it('gets its message when the process died before it was recorded', async () => {
    const died = create({
      observer: {
        session: () => {
          throw new Error('killed');
        },
      },
    });
    await expect(died).rejects.toThrow('killed');
    const [session] = h.store.listRuns();
    expect(await create()).toMatchObject({ kind: 'ended', session, turn: 1, end: { reason: 'completed' } });
    expect(await create()).toMatchObject({ kind: 'repeated', session, turn: 1 });
    expect(h.eventsOfType(session as RunId, 'message')).toHaveLength(1);
    expect(h.store.listRuns()).toEqual([session]);
  });

  it('is built under the id its key was bound to when the process died before it was there', async () => {
    const first = await idOf(create({ created: { idempotencyKey: 'other' } }));
    const request = h.store.readKey(startKeyOf('session', 'other'))?.request ?? '';
    const child = makeRunId(Date.now(), h.services.randomBytes(10));
    expect(h.store.claimKey(startKeyOf('session', 'once'), { child, request })).toBe(true);
    expect(await create()).toMatchObject({ kind: 'ended', session: child });
    expect(h.store.listRuns().toSorted()).toEqual([first, child].toSorted());
  });

  it('is made once by requests at the same time, and its message sent once', async () => {
    const results = await Promise.all(Array.from({ length: 4 }, () => create()));
    const [session, ...others] = h.store.listRuns();
    expect(others).toEqual([]);
    expect(h.eventsOfType(session as RunId, 'message')).toHaveLength(1);
    expect(results.filter((result) => !isRefusal(result) && result.kind === 'ended')).toHaveLength(1);
    for (const result of results) {
      if (isRefusal(result)) expect(result.code).toBe('owned_elsewhere');
      else expect(result.session).toBe(session);
    }
    expect(await create()).toMatchObject({ kind: 'repeated', session });
  });

  it('has nothing to do with a session without a key, or with a key of its own', async () => {
    const keyed = await idOf(create());
    const other = await idOf(create({ created: { idempotencyKey: 'another' } }));
    const free = await h.turn(null, 'true', { prompt: 'go' });
    expect(new Set([keyed, other, free.session]).size).toBe(3);
  });
});

describe('a message with an idempotency key', () => {
  const PICTURE = { mediaType: 'image/png', filename: 'a.png', data: new Uint8Array(300_000).fill(7) };

  function say(session: RunId, options: TurnOptions = {}) {
    const settings = { model: models.next, ...options.settings };
    return h.run(session, null, { prompt: 'again', ...KEY, ...options, settings });
  }

  it('begins one turn, and the same message answers which one', async () => {
    const { session } = await h.turn(null, 'true');
    expect(await say(session, { attachments: [PICTURE] })).toMatchObject({ kind: 'ended', turn: 2 });
    const { turn, end } = await h.turn(session, 'true');
    expect({ turn, reason: end.reason }).toEqual({ turn: 3, reason: 'completed' });
    const ends = h.eventsOfType(session, 'session.end');
    expect(await say(session, { attachments: [{ ...PICTURE, data: Buffer.from(PICTURE.data) }] })).toMatchObject({
      kind: 'repeated',
      turn: 2,
      end: { offset: ends[1]?.seq, reason: 'completed' },
    });
    expect(h.eventsOfType(session, 'message')).toHaveLength(3);
  });

  it('is refused with other words or another file', async () => {
    const { session } = await h.turn(null, 'true');
    await say(session, { attachments: [PICTURE] });
    const other = { ...PICTURE, data: new Uint8Array(300_000).fill(8) };
    for (const options of [{}, { attachments: [other] }, { prompt: 'else', attachments: [PICTURE] }]) {
      expect(await say(session, options)).toMatchObject({ code: 'key_reused', data: { turn: 2 } });
    }
    expect(h.eventsOfType(session, 'message')).toHaveLength(2);
  });

  it('is known while its turn is at work, and then the turn has no end', async () => {
    const { session } = await h.turn(null, 'true');
    const during: unknown[] = [];
    const rules = [{ tool: 'shell', do: 'ask' }] as const;
    const ask = async (): Promise<ApprovalReply> => {
      during.push(
        await say(session, { settings: { ask, rules } }),
        await say(session, { prompt: 'else', settings: { ask, rules } }),
        await say(session, { settings: { ask } }),
        await say(session, { idempotencyKey: 'x' }),
      );
      return { answer: 'allow', scope: 'once', by: 'person' };
    };
    expect(await say(session, { settings: { ask, rules } })).toMatchObject({ turn: 2 });
    const [, message] = h.eventsOfType(session, 'message');
    expect(during).toMatchObject([
      { kind: 'repeated', turn: 2, message: message?.seq },
      { code: 'key_reused' },
      { code: 'key_reused' },
      { code: 'owned_elsewhere' },
    ]);
    expect(during[0]).not.toHaveProperty('end');
  });

  it('goes on with an open turn without a prompt, whatever key is given', async () => {
    const { session } = await h.turn(null, 'true');
    const rules = [{ tool: 'shell', do: 'ask' }] as const;
    expect(await say(session, { settings: { rules, onAsk: 'park' } })).toMatchObject({ kind: 'parked', turn: 2 });
    expect(await say(session, { settings: { rules, onAsk: 'park' } })).toMatchObject({ kind: 'repeated', turn: 2 });
    const allow = [{ tool: 'shell', do: 'allow' }] as const;
    const goOn = await h.run(session, null, { prompt: null, ...KEY, settings: { rules: allow } });
    expect(goOn).toMatchObject({ kind: 'ended', turn: 2, end: { reason: 'completed' } });
  });

  it('counts in the session it was sent to, not in its forks', async () => {
    const session = await idOf(create());
    const child = await h.fork(session, 1);
    expect(await say(child)).toMatchObject({ kind: 'ended', session: child, turn: 2 });
    expect(await say(child)).toMatchObject({ kind: 'repeated', session: child, turn: 2 });
    expect(await h.store.remove(child)).toBeNull();
    expect(await create()).toMatchObject({ kind: 'repeated', session });
  });

  it('is held against text as it is recorded', async () => {
    const { session } = await h.turn(null, 'true');
    expect(await say(session, { prompt: 'half \ud83d' })).toMatchObject({ kind: 'ended' });
    expect(await say(session, { prompt: 'half \ud83d' })).toMatchObject({ kind: 'repeated' });
  });
});
