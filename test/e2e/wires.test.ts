/** The main job through each provider's own wire format, on loopback. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ModelEndpoint, renderWire, startModelEndpoint, type Wire, type WireAnswer } from '@ramet/testkit/models';
import { describe, expect, type TestContext, test } from 'vitest';
import { parseAnswer } from './support/command.ts';
import { openStage, type RunAnswer, type Stage, skipWithoutSandbox } from './support/stage.ts';

const KEY = 'sk-loopback-0123456789abcdef';

interface Provider {
  readonly model: string;
  readonly keyVariable: string;
  /** The field of a request that holds the conversation. */
  readonly messages: string;
}

const PROVIDERS: Readonly<Record<Wire, Provider>> = {
  anthropic: { model: 'claude-sonnet-4-5', keyVariable: 'ANTHROPIC_API_KEY', messages: 'messages' },
  openai: { model: 'gpt-5', keyVariable: 'OPENAI_API_KEY', messages: 'input' },
  google: { model: 'gemini-2.5-pro', keyVariable: 'GOOGLE_GENERATIVE_AI_API_KEY', messages: 'contents' },
  'openai-compatible': { model: 'org/local', keyVariable: 'OPENAI_COMPATIBLE_API_KEY', messages: 'messages' },
};

const WIRES = Object.keys(PROVIDERS) as Wire[];
const TOKENS = { input: 100, cached: 40, output: 12 };
const BUSY: WireAnswer = {
  status: 429,
  headers: { 'retry-after': '0.1' },
  body: ['{"error":{"message":"slow down"}}'],
};

/** A first turn of three requests, the first of which is turned away once. */
function firstTurn(wire: Wire): readonly WireAnswer[] {
  const shell = { id: 'call_2', name: 'shell', input: JSON.stringify({ command: 'cat base.txt; env' }) };
  const read = { id: 'call_1', name: 'read_file', input: JSON.stringify({ path: 'base.txt' }) };
  const write = { id: 'call_3', name: 'write_file', input: JSON.stringify({ path: 'new.txt', content: 'néw\n' }) };
  const reasoning = { text: 'look before', signature: 'c2lnbmF0dXJl' };
  return [
    BUSY,
    renderWire(wire, { reasoning, text: 'I look.', toolCalls: [read, shell], tokens: TOKENS }),
    renderWire(wire, { toolCalls: [write], tokens: TOKENS }),
    renderWire(wire, { text: 'Written.', tokens: TOKENS }),
  ];
}

async function startEndpoint(ctx: TestContext, answers: readonly WireAnswer[]): Promise<ModelEndpoint> {
  const endpoint = await startModelEndpoint(answers);
  ctx.onTestFinished(() => endpoint.close());
  return endpoint;
}

/** Runs a turn with a key in the environment; where `url` is absent, with the model the session had. */
function makeRunner(stage: Stage, wire: Wire, endpoint: ModelEndpoint) {
  const { model, keyVariable } = PROVIDERS[wire];
  const env = { [keyVariable]: KEY };
  const fresh = ['--model', `${wire}/${model}`, '--base-url', endpoint.url];
  return {
    start: (...args: string[]) => stage.start(['run', ...args, '--json'], { env }),
    begin: async (prompt: string) => (await stage.ask(['run', ...fresh, prompt], { env })) as unknown as RunAnswer,
    goOn: async (session: string, prompt: string) =>
      (await stage.ask(['run', '--session', session, prompt], { env })) as unknown as RunAnswer,
    fresh,
  };
}

/** The request without the message that is new in it. */
function beforeLast(body: Readonly<Record<string, unknown>>, wire: Wire): unknown {
  const { messages } = PROVIDERS[wire];
  const list = body[messages] as unknown[];
  return { ...body, [messages]: list.slice(0, -1) };
}

/** Names of files below a folder that hold a text. */
function findFilesWith(folder: string, text: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(text));
}

describe.concurrent.for(WIRES)('%s', { timeout: 240_000 }, (wire) => {
  test('turns with tool calls, a busy provider, and a fork whose first request is its parent’s', async (ctx) => {
    await skipWithoutSandbox(ctx);
    const stage = openStage(ctx);
    const later = ['parent goes on', 'child goes on'].map((text) => renderWire(wire, { text, tokens: TOKENS }));
    const endpoint = await startEndpoint(ctx, [...firstTurn(wire), ...later]);
    const runner = makeRunner(stage, wire, endpoint);
    const first = await runner.begin('write a file');
    expect(first).toMatchObject({ turn: 1, text: 'Written.', denied: [], end: { reason: 'completed' } });
    expect(first.usage).toMatchObject({ inputTokens: 420, outputTokens: 36 });
    const child = await stage.fork(first.session, 1);
    expect(await runner.goOn(first.session, 'now the next thing')).toMatchObject({ text: 'parent goes on' });
    expect(await runner.goOn(child, 'now the next thing')).toMatchObject({ text: 'child goes on', turn: 2 });

    const bodies = endpoint.requests.map(({ body }) => body);
    expect(endpoint.requests.map(({ problem }) => problem)).toEqual(bodies.map(() => undefined));
    expect(bodies).toHaveLength(6);
    expect(bodies[1]).toEqual(bodies[0]);
    const [ofParent = {}, ofChild = {}] = bodies.slice(-2);
    expect(beforeLast(ofChild, wire)).toEqual(beforeLast(ofParent, wire));
    const sent = JSON.stringify(ofChild);
    for (const word of ['I look.', 'Written.', 'now the next thing']) expect(sent).toContain(word);
    for (const trace of [stage.area.folder, first.session, child]) expect(sent).not.toContain(trace);

    expect(readFileSync(join(stage.workspaceOf(child), 'new.txt'), 'utf8')).toBe('néw\n');
    expect(findFilesWith(stage.area.folder, KEY)).toEqual([]);
    expect(findFilesWith(stage.home, '"type":"session.config"')).not.toEqual([]);
    const usage = await stage.ask(['usage', child]);
    expect(usage).toMatchObject({ sessions: [{ own: { inputTokens: 140 }, inherited: { inputTokens: 420 } }] });
  });

  test('Ctrl-C in the middle of a reply ends the turn with 130, and the session goes on', async (ctx) => {
    await skipWithoutSandbox(ctx);
    const stage = openStage(ctx);
    const whole = renderWire(wire, { text: 'a long answer that never comes to its end', tokens: TOKENS });
    const half: WireAnswer = { body: whole.body.slice(0, -2), end: 'hang' };
    const endpoint = await startEndpoint(ctx, [half, renderWire(wire, { text: 'better', tokens: TOKENS })]);
    const runner = makeRunner(stage, wire, endpoint);
    const running = runner.start(...runner.fresh, 'tell me');
    await Promise.race([untilAsked(endpoint), running.ended]);
    running.child.kill('SIGINT');
    const ended = await running.ended;
    expect(ended).toMatchObject({ code: 130, signal: null });
    const answer = parseAnswer(ended) as unknown as RunAnswer;
    expect(answer).toMatchObject({ end: { reason: 'interrupted' }, error: { code: 'interrupted' } });
    expect(await stage.ask(['sessions'])).toMatchObject({ sessions: [{ state: 'idle', turns: 1 }] });
    expect(await runner.goOn(answer.session, 'again')).toMatchObject({ text: 'better', turn: 2 });
    expect(endpoint.requests.map(({ problem }) => problem)).toEqual([undefined, undefined]);
  });
});

async function untilAsked(endpoint: ModelEndpoint): Promise<void> {
  while (endpoint.requests.length === 0) await sleep(20);
  // The first words are on their way; nothing tells when they arrived.
  await sleep(200);
}
