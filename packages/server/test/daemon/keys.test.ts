/** Idempotency keys: one key, one thing, for everything a request says, at once and after a restart. */
import type { RunId } from '@ramet/core';
import { callShell, type ScriptReply } from '@ramet/testkit';
import { describe, expect, it } from 'vitest';
import { accepted, codeOf, type DaemonHarness, openDaemonHarness } from './harness.ts';

const AT_ONCE = 12;
const GATE = { kind: 'gate', question: 'go on?', answer: { type: 'boolean' } };
const GATED = { schema: 1, nodes: { go: GATE }, edges: [] };

function bodyOf({ h }: DaemonHarness, replies: readonly ScriptReply[], more: object = {}) {
  return { cwd: h.repository, prompt: 'do it', model: h.writeScript(replies), ...more };
}

/** What may differ besides the message. */
const OTHERWISE: readonly (readonly [what: string, settings: object])[] = [
  ['model', { model: 'scripted:/another.json' }],
  ['rules', { rules: [{ tool: 'shell', do: 'deny' }] }],
  ['limits', { limits: { maxTokens: 7 } }],
  ['network', { allowNet: ['example.org'] }],
  ['questions', { onAsk: 'deny' }],
];

describe('requests with one key at the same moment', () => {
  it('make one session, and are all answered with it', async () => {
    const d = openDaemonHarness();
    const request = { body: bodyOf(d, [callShell('true'), { text: 'done' }]), key: 'k' };
    const all = await Promise.all(Array.from({ length: AT_ONCE }, () => d.daemon.createSession(request)));
    const [first] = all;
    expect(all).toEqual(all.map(() => first));
    expect(d.h.store.listRuns()).toHaveLength(1);
    await d.untilIdle((first as { session: string }).session);
  });

  it('send one message, and are all answered with its turn', async () => {
    const d = openDaemonHarness();
    const { session } = accepted(await d.daemon.createSession({ body: bodyOf(d, [{ text: 'first' }]) }));
    const body = { prompt: 'again', model: d.h.writeScript([{ text: 'second' }]) };
    const send = () => d.daemon.sendMessage(session as RunId, { body, key: 'm' });
    const all = await Promise.all(Array.from({ length: AT_ONCE }, send));
    expect(all).toEqual(all.map(() => ({ session, turn: 2 })));
    await d.untilIdle(session);
    expect(d.h.eventsOfType(session as RunId, 'message')).toHaveLength(2);
  });

  it('make one run, and are all answered with it', async () => {
    const d = openDaemonHarness();
    const request = { body: { graph: GATED, cwd: d.h.repository, input: null }, key: 'r' };
    const all = await Promise.all(Array.from({ length: AT_ONCE }, () => d.daemon.createRun(request)));
    expect(new Set(all.map((one) => accepted(one).run)).size).toBe(1);
  });
});

describe('a key', () => {
  it.each(OTHERWISE)('of a session and of a message stands for the %s, too, also after a restart', async (_, other) => {
    const d = openDaemonHarness();
    const first = { body: bodyOf(d, [{ text: 'first' }]), key: 'k' };
    const made = accepted(await d.daemon.createSession(first));
    const id = made.session as RunId;
    await d.untilIdle(id);
    const next = { body: { prompt: 'again', model: d.h.writeScript([{ text: 'second' }]) }, key: 'm' };
    const sent = accepted(await d.daemon.sendMessage(id, next));
    await d.untilIdle(id);
    const others = async ({ daemon }: DaemonHarness) => [
      codeOf(await daemon.createSession({ ...first, body: { ...first.body, ...other } })),
      codeOf(await daemon.sendMessage(id, { ...next, body: { ...next.body, ...other } })),
    ];
    expect(await others(d)).toEqual(['key_reused', 'key_reused']);
    const again = await d.restart();
    expect(await others(again)).toEqual(['key_reused', 'key_reused']);
    expect(await again.daemon.createSession(first)).toEqual(made);
    expect(await again.daemon.sendMessage(id, next)).toEqual(sent);
    expect(d.h.store.listRuns()).toHaveLength(1);
  });

  it('of a run and of its fork stands for how it is driven, too', async () => {
    const d = openDaemonHarness();
    const request = { body: { graph: GATED, cwd: d.h.repository, input: null }, key: 'r' };
    const { run } = accepted(await d.daemon.createRun(request));
    await d.untilIdle(run);
    const limits = { limits: { maxSteps: 3 } };
    expect(codeOf(await d.daemon.createRun({ ...request, body: { ...request.body, ...limits } }))).toBe('key_reused');
    const [entered] = d.h.eventsOfType(run as RunId, 'node.enter');
    const options = { at: entered?.seq ?? 0, idempotencyKey: 'f' };
    const child = accepted(await d.daemon.forkRun(run as RunId, options, {}));
    await d.untilIdle(child.run ?? '');
    expect(codeOf(await d.daemon.forkRun(run as RunId, options, limits))).toBe('key_reused');
    expect(accepted(await d.daemon.forkRun(run as RunId, options, {}))).toMatchObject({
      run: child.run,
      repeated: true,
    });
  });
});
