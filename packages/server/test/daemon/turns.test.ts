/** Sessions under the daemon: begun, asked, interrupted, suspended and taken up. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isRefusal, type RunId } from '@ramet/core';
import { type FileStore, type OwnedLog, replaceFile } from '@ramet/runtime/store';
import { callShell, type ScriptReply } from '@ramet/testkit';
import { describe, expect, it } from 'vitest';
import { accepted, codeOf, type DaemonHarness, openDaemonHarness } from './harness.ts';

const RULES = [{ tool: 'shell', do: 'ask' }];
/** Runs until it is stopped. */
const ENDLESS = callShell('sleep 600');

function bodyOf({ h }: DaemonHarness, replies: readonly ScriptReply[], more: object = {}) {
  return { cwd: h.repository, prompt: 'do it', model: h.writeScript(replies), ...more };
}

async function startSession(d: DaemonHarness, replies: readonly ScriptReply[], more: object = {}): Promise<RunId> {
  const { session } = accepted(await d.daemon.createSession({ body: bodyOf(d, replies, more) }));
  return session as RunId;
}

function intentsOf({ h }: DaemonHarness): readonly string[] {
  return readdirSync(join(h.home, 'daemon', 'work'));
}

function typesOf({ h }: DaemonHarness, id: RunId): readonly string[] {
  return h.eventsOf(id).map(({ type }) => type);
}

describe('a session of the daemon', () => {
  it('is answered when its turn has begun, and goes on without its caller', async () => {
    const d = openDaemonHarness();
    const started = accepted(await d.daemon.createSession({ body: bodyOf(d, [callShell('true'), { text: 'done' }]) }));
    expect(started.turn).toBe(1);
    const id = started.session as RunId;
    expect(typesOf(d, id)).toContain('message');
    await d.untilIdle(id);
    expect(d.h.eventsOfType(id, 'session.end')).toMatchObject([{ reason: 'completed' }]);
    expect(intentsOf(d)).toEqual([]);
    expect(d.reports.map(({ kind }) => kind)).toEqual(['began', 'ended']);
  });

  it('is refused as the engine refuses it, and leaves nothing', async () => {
    const d = openDaemonHarness();
    const body = { cwd: d.h.repository, prompt: 'do it', model: 'nobody/knows' };
    expect(codeOf(await d.daemon.createSession({ body }))).toBe('unknown_model');
    expect(codeOf(await d.daemon.createSession({ body: { ...body, cwd: 'relative' } }))).toBe('bad_usage');
    expect(codeOf(await d.daemon.createSession({ body: { ...body, cwd: join(d.h.home, 'nowhere') } }))).toBe(
      'bad_usage',
    );
    expect(d.h.store.listRuns()).toEqual([]);
    expect(intentsOf(d)).toEqual([]);
  });

  it('is made once by a key, and begins once', async () => {
    const d = openDaemonHarness();
    const body = bodyOf(d, [ENDLESS, { text: 'done' }]);
    const request = { body, key: 'k1' };
    const [one, two] = await Promise.all([d.daemon.createSession(request), d.daemon.createSession(request)]);
    expect(two).toEqual(one);
    expect(d.h.store.listRuns()).toHaveLength(1);
    const id = accepted(one).session as RunId;
    expect(await d.daemon.createSession(request)).toEqual(one);
    expect(d.h.eventsOfType(id, 'message')).toHaveLength(1);
    expect(d.daemon.liveOf(id).owner).toBe('daemon');
  });

  it('takes no message while its turn runs, but knows the one it works on by its key', async () => {
    const d = openDaemonHarness();
    const id = await startSession(d, [{ text: 'first' }]);
    await d.untilIdle(id);
    const body = { prompt: 'again', model: d.h.writeScript([ENDLESS, { text: 'done' }]) };
    const begun = await d.daemon.sendMessage(id, { body, key: 'm' });
    expect(begun).toEqual({ session: id, turn: 2 });
    expect(await d.daemon.sendMessage(id, { body, key: 'm' })).toEqual(begun);
    for (const request of [{ body }, { body, key: 'another' }]) {
      const refused = await d.daemon.sendMessage(id, request);
      expect(refused).toMatchObject({
        code: 'owned_elsewhere',
        message: expect.stringContaining('the daemon is at work'),
      });
    }
  });

  it('takes the next message as soon as the end of its turn is to be seen', async () => {
    const d = openDaemonHarness();
    const id = await startSession(d, [{ text: 'done' }]);
    for (let turn = 2; turn < 5; turn += 1) {
      await d.until(() => d.h.eventsOfType(id, 'session.end').length === turn - 1);
      // Whoever asks over a connection comes later than this.
      await setImmediate();
      expect(await d.daemon.sendMessage(id, { body: { prompt: 'again' } })).toEqual({ session: id, turn });
    }
    await d.untilIdle(id);
  });

  it('streams what is in no event, and is interrupted as by Ctrl-C', async () => {
    const d = openDaemonHarness();
    const id = await startSession(d, [
      { text: 'thinking aloud', ...callShell('echo shown; sleep 600') },
      { text: 'done' },
    ]);
    await d.until(() => d.live.some(({ live }) => live.kind === 'output' && live.text.includes('shown')));
    expect(
      d.live
        .filter(({ live }) => live.kind === 'text')
        .map(({ live }) => live.text)
        .join(''),
    ).toBe('thinking aloud');
    expect(d.daemon.interrupt(id)).toBeNull();
    await d.untilIdle(id);
    expect(d.h.eventsOfType(id, 'session.end')).toMatchObject([{ reason: 'interrupted' }]);
    expect(codeOf(d.daemon.interrupt(id))).toBe('nothing_to_do');
  });

  it('forks at a completed turn while the next one runs', async () => {
    const d = openDaemonHarness();
    const id = await startSession(d, [{ text: 'first' }]);
    await d.untilIdle(id);
    const [end] = d.h.eventsOfType(id, 'session.end');
    const body = { prompt: 'again', model: d.h.writeScript([ENDLESS, { text: 'done' }]) };
    accepted(await d.daemon.sendMessage(id, { body }));
    const child = await d.h.tryFork(id, { at: end?.seq ?? -1 });
    expect(child).toMatchObject({ forkedFrom: { id, offset: end?.seq } });
    expect(d.daemon.liveOf(id).owner).toBe('daemon');
  });
});

describe('what a session of the daemon asks', () => {
  it('waits for one answer, and is done once', async () => {
    const d = openDaemonHarness();
    const id = await startSession(d, [callShell('echo x >> marks'), { text: 'done' }], { rules: RULES });
    await d.until(() => d.daemon.listAsks().length > 0);
    const [asked] = d.daemon.liveOf(id).asks;
    expect(asked).toMatchObject({ tool: 'shell', matches: false });
    expect(d.daemon.listAsks()).toMatchObject([{ id, ask: asked }]);
    const callId = asked?.callId ?? '';
    expect(codeOf(d.daemon.answerAsk(id, 'another', { answer: 'allow' }))).toBe('nothing_to_do');
    expect(codeOf(d.daemon.answerAsk(id, callId, { answer: 'reuse' }))).toBe('bad_usage');
    expect(d.daemon.answerAsk(id, callId, { answer: 'allow' })).toBeNull();
    expect(codeOf(d.daemon.answerAsk(id, callId, { answer: 'deny' }))).toBe('nothing_to_do');
    await d.untilIdle(id);
    expect(d.h.eventsOfType(id, 'approval.answer')).toMatchObject([{ answer: 'allow', by: 'person' }]);
    expect(d.h.eventsOfType(id, 'tool.result')).toMatchObject([{ outcome: 'ok' }]);
    expect(codeOf(d.daemon.answerAsk(id, callId, { answer: 'allow' }))).toBe('nothing_to_do');
  });

  it('is not asked where the request says that nobody is there', async () => {
    const d = openDaemonHarness();
    const denied = await startSession(d, [callShell('true'), { text: 'done' }], { rules: RULES, onAsk: 'deny' });
    const parked = await startSession(d, [callShell('true'), { text: 'done' }], { rules: RULES, onAsk: 'park' });
    await Promise.all([d.untilIdle(denied), d.untilIdle(parked)]);
    expect(d.h.eventsOfType(denied, 'tool.result')).toMatchObject([{ outcome: 'denied' }]);
    expect(d.h.eventsOfType(parked, 'session.end')).toEqual([]);
    expect(intentsOf(d)).toEqual([]);
  });

  it('is asked again after a restart, and an answer then is acted on', async () => {
    const d = openDaemonHarness();
    const id = await startSession(d, [callShell('echo x >> marks'), { text: 'done' }], { rules: RULES });
    await d.until(() => d.daemon.listAsks().length > 0);
    const again = await d.restart();
    expect(intentsOf(d)).toEqual([`${id}.json`]);
    await again.daemon.takeUp();
    await again.until(() => again.daemon.listAsks().length > 0);
    const [asked] = again.daemon.liveOf(id).asks;
    expect(again.daemon.answerAsk(id, asked?.callId ?? '', { answer: 'allow' })).toBeNull();
    await again.untilIdle(id);
    expect(d.h.eventsOfType(id, 'approval.request')).toHaveLength(1);
    expect(d.h.eventsOfType(id, 'tool.intent')).toHaveLength(1);
    expect(d.h.eventsOfType(id, 'session.end')).toMatchObject([{ reason: 'completed' }]);
  });
});

describe('a daemon that closes', () => {
  it('suspends what it drives, and the next one goes on with it by the settings it began with', async () => {
    const d = openDaemonHarness();
    const replies = [callShell('echo one >> marks; sleep 600'), callShell('echo two >> marks'), { text: 'done' }];
    const id = await startSession(d, replies, { rules: [{ tool: 'shell', do: 'allow' }] });
    await d.until(() => d.h.eventsOfType(id, 'tool.intent').length > 0);
    const again = await d.restart();
    expect(d.h.eventsOfType(id, 'session.end')).toEqual([]);
    expect(d.h.store.ownerOf(id)).toBeNull();
    await again.daemon.takeUp();
    await again.untilIdle(id);
    expect(d.h.eventsOfType(id, 'message')).toHaveLength(1);
    expect(d.h.eventsOfType(id, 'session.end')).toMatchObject([{ reason: 'completed' }]);
    expect(intentsOf(d)).toEqual([]);
  });

  it('takes no more work', async () => {
    const d = openDaemonHarness();
    await d.daemon.close();
    expect(codeOf(await d.daemon.createSession({ body: bodyOf(d, [{ text: 'done' }]) }))).toBe('interrupted');
  });

  it('leaves to the rules of crashes what does not stop in time', async () => {
    const d = openDaemonHarness({ graceMs: 0 });
    const id = await startSession(d, [callShell("trap '' TERM INT; sleep 5"), { text: 'done' }]);
    await d.until(() => d.h.eventsOfType(id, 'tool.intent').length > 0);
    await d.daemon.close();
    expect(d.reports).toContainEqual({ kind: 'left', id });
    expect(intentsOf(d)).toEqual([`${id}.json`]);
    await d.untilIdle(id);
  });
});

describe('what an earlier daemon left', () => {
  it('is dropped where it ended, is gone, is at work elsewhere or cannot be understood', async () => {
    const d = openDaemonHarness();
    const ended = await startSession(d, [{ text: 'done' }]);
    await d.untilIdle(ended);
    const write = (name: string, text: string): void =>
      replaceFile(join(d.h.home, 'daemon', 'work', name), Buffer.from(text), { sync: false });
    const intent = JSON.stringify({ kind: 'turn', cwd: d.h.repository, settings: {} });
    write(`${ended}.json`, intent);
    write('01932c07-7b1a-7c44-b1c6-0d5f2b9a1e77.json', intent);
    write('notes.txt.0.tmp', 'half');
    write('no-run.json', intent);
    const again = await d.restart();
    await again.daemon.takeUp();
    expect(again.reports.map(({ kind }) => kind)).toEqual(['dropped', 'dropped']);
    expect(intentsOf(d)).toEqual([]);
    expect(existsSync(join(d.h.home, 'daemon', 'work', 'notes.txt.0.tmp'))).toBe(false);
  });
});

describe('one that throws', () => {
  it('ends alone, is told, and leaves the others and the daemon alive', async () => {
    const d = openDaemonHarness({}, { alter: breakAppends });
    const bad = await startSession(d, [{ text: 'never recorded' }], { title: 'broken' });
    const good = await startSession(d, [callShell('true'), { text: 'done' }]);
    await Promise.all([d.untilIdle(bad), d.untilIdle(good)]);
    expect(d.h.eventsOfType(good, 'session.end')).toMatchObject([{ reason: 'completed' }]);
    expect(d.daemon.liveOf(bad)).toMatchObject({ owner: 'none', error: { code: 'internal_error' } });
    expect(d.reports).toContainEqual({ kind: 'failed', id: bad, code: 'internal_error' });
    expect(intentsOf(d)).toEqual([`${bad}.json`]);
  });
});

/** A store whose logs titled `broken` take no reply. */
function breakAppends(store: FileStore): FileStore {
  const own: FileStore['own'] = async (id) => {
    const log = await store.own(id);
    if (isRefusal(log)) return log;
    const [start] = log.readEvents({ from: 0, to: 0 });
    if (start?.title !== 'broken') return log;
    const append: OwnedLog['append'] = (drafts, options) => {
      if (drafts.some(({ type }) => type === 'model.response')) throw new Error('the disk is on fire');
      return log.append(drafts, options);
    };
    return { ...log, next: log.next, append };
  };
  return { ...store, own };
}
