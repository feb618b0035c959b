import { type ModelEndpoint, renderWire, startModelEndpoint, type Wire, type WireAnswer } from '@ramet/testkit/models';
import { afterEach, describe, expect, it } from 'vitest';
import { answerCalls, KEY, makeRequest, openAt, replyOf } from './helpers.ts';

let endpoint: ModelEndpoint | undefined;

async function start(answers: readonly WireAnswer[]): Promise<ModelEndpoint> {
  endpoint = await startModelEndpoint(answers);
  return endpoint;
}

afterEach(async () => {
  await endpoint?.close();
  endpoint = undefined;
});

const WIRES: readonly Wire[] = ['anthropic', 'openai', 'google', 'openai-compatible'];
const REASONING = { text: 'the sum is wrong', signature: 'c2lnbmF0dXJl' };
const CALL = { id: 'call_1', name: 'shell', input: '{"command":"npm test"}' };
const TOKENS = { input: 100, cached: 40, output: 12 };

const KEY_HEADERS: Readonly<Record<Wire, readonly [string, string]>> = {
  anthropic: ['x-api-key', KEY],
  openai: ['authorization', `Bearer ${KEY}`],
  google: ['x-goog-api-key', KEY],
  'openai-compatible': ['authorization', `Bearer ${KEY}`],
};

const PATHS: Readonly<Record<Wire, RegExp>> = {
  anthropic: /^\/v1\/messages$/,
  openai: /^\/v1\/responses$/,
  google: /^\/v1\/models\/gemini-2\.5-pro:streamGenerateContent\?alt=sse$/,
  'openai-compatible': /^\/v1\/chat\/completions$/,
};

/** How the result of the call, with its words, must stand in the second request. */
const RESULTS: Readonly<Record<Wire, RegExp>> = {
  anthropic: /"type":"tool_result","tool_use_id":"call_1".*3 tests passed/,
  openai: /"type":"function_call_output","call_id":"call_1","output":"3 tests passed"/,
  google: /"functionResponse":\{.*"name":"shell".*3 tests passed/,
  'openai-compatible': /"role":"tool","tool_call_id":"call_1","content":"3 tests passed"/,
};

describe.each(WIRES)('%s', (wire) => {
  it('streams text, collects a call, and takes its result in the next request', async () => {
    const first = renderWire(wire, { text: 'Running the tests.', toolCalls: [CALL], tokens: TOKENS });
    const { url, requests } = await start([first, renderWire(wire, { text: 'Done.', tokens: TOKENS })]);
    const model = await openAt(wire, url);
    const request = makeRequest();
    const { reply, deltas } = await replyOf(model, request);
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.map((delta) => delta.text).join('')).toBe('Running the tests.');
    expect(reply.message.content).toMatchObject([
      { type: 'text', text: 'Running the tests.' },
      { type: 'tool-call', toolName: 'shell', input: { command: 'npm test' } },
    ]);
    expect(reply.finishReason).toBe('tool-calls');
    expect(reply.usage).toMatchObject({ inputTokens: 140, outputTokens: 12, cacheReadTokens: 40 });

    const messages = answerCalls(request.messages, reply, '3 tests passed');
    const second = await replyOf(model, makeRequest({ messages, replyIndex: 1 }));
    expect(second.reply).toMatchObject({
      finishReason: 'stop',
      message: { content: [{ type: 'text', text: 'Done.' }] },
    });
    expect(requests.map(({ problem }) => problem)).toEqual([undefined, undefined]);
    expect(requests[0]?.path).toMatch(PATHS[wire]);
    expect(requests[0]?.headers[KEY_HEADERS[wire][0]]).toBe(KEY_HEADERS[wire][1]);
    expect(requests[0]?.text).toContain('"Runs a command."');
    expect(requests[1]?.text).toMatch(RESULTS[wire]);
  });

  it('gives reasoning back as it was signed', async () => {
    const first = renderWire(wire, { reasoning: REASONING, toolCalls: [CALL] });
    const { url, requests } = await start([first, renderWire(wire, { text: 'Done.' })]);
    const model = await openAt(wire, url);
    const { reply, deltas } = await replyOf(model, makeRequest());
    expect(reply.message.content[0]).toMatchObject({ type: 'reasoning', text: REASONING.text });
    expect(deltas).toContainEqual({ kind: 'reasoning', text: REASONING.text });
    const stored = JSON.parse(JSON.stringify(answerCalls(makeRequest().messages, reply))) as never;
    await replyOf(model, makeRequest({ messages: stored, replyIndex: 1 }));
    expect(requests[1]?.text).toContain(REASONING.text);
    // Chat Completions has no signatures.
    if (wire !== 'openai-compatible') expect(requests[1]?.text).toContain(REASONING.signature);
  });

  it('sends no half characters, and takes characters cut between deltas', async () => {
    const { url, requests } = await start([renderWire(wire, { text: 'x🌱' }), renderWire(wire, { text: 'ok' })]);
    const model = await openAt(wire, url);
    const broken = makeRequest({
      system: 'sys \ud83c',
      messages: [
        { role: 'user', content: 'cut \ud83c' },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: '\udf31 text' },
            { type: 'tool-call', toolCallId: 'call_1', toolName: 'shell', input: { '\ud800': ['\udfff'] } },
          ],
        },
        {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              toolCallId: 'call_1',
              toolName: 'shell',
              output: { type: 'json', value: { out: 'a\ud83c' } },
            },
          ],
        },
      ],
      tools: [{ name: 'shell', description: 'd \ud800', inputSchema: { type: 'object', description: '\udc00' } }],
    });
    const { reply } = await replyOf(model, broken);
    expect(requests[0]?.problem).toBeUndefined();
    // The wire cuts the text inside the character.
    expect(reply.message.content).toMatchObject([{ type: 'text', text: 'x🌱' }]);
  });

  it('makes the same request of the same messages', async () => {
    const { url, requests } = await start([renderWire(wire, { text: 'a' }), renderWire(wire, { text: 'b' })]);
    await replyOf(await openAt(wire, url), makeRequest());
    await replyOf(await openAt(wire, url), makeRequest());
    expect(requests[1]?.text).toBe(requests[0]?.text);
  });

  it('offers tools but allows no call when it is asked for a summary', async () => {
    const { url, requests } = await start([renderWire(wire, { text: 'a summary' })]);
    await replyOf(await openAt(wire, url), makeRequest({ purpose: 'compact' }));
    expect(requests[0]?.text).toMatch(/"type":"none"|"tool_choice":"none"|"mode":"NONE"/);
  });

  it('sends an image with the words', async () => {
    const { url, requests } = await start([renderWire(wire, { text: 'a plant' })]);
    const image = { type: 'file' as const, mediaType: 'image/png', filename: 'a.png', data: 'iVBORw0KGgo=' };
    const notes = { type: 'file' as const, mediaType: 'text/markdown', filename: 'notes.md', data: 'IyBIaQ==' };
    const content = [{ type: 'text' as const, text: 'what is this?' }, image, notes];
    await replyOf(await openAt(wire, url), makeRequest({ messages: [{ role: 'user', content }] }));
    expect(requests[0]?.text).toContain('iVBORw0KGgo=');
    expect(requests[0]?.text).toContain('notes.md:\\n# Hi');
  });
});

describe.each(WIRES.filter((wire) => wire !== 'google'))('%s with tool input that is no JSON', (wire) => {
  it('keeps the text, and the conversation goes on', async () => {
    const broken = { ...CALL, input: '{"command": "npm te' };
    const { url, requests } = await start([
      renderWire(wire, { toolCalls: [broken] }),
      renderWire(wire, { text: 'again' }),
    ]);
    const model = await openAt(wire, url);
    const { reply } = await replyOf(model, makeRequest());
    expect(reply.message.content).toMatchObject([{ type: 'tool-call', input: broken.input }]);
    const next = await replyOf(
      model,
      makeRequest({ messages: answerCalls(makeRequest().messages, reply), replyIndex: 1 }),
    );
    expect(next.reply.finishReason).toBe('stop');
    expect(requests[1]?.problem).toBeUndefined();
    expect(requests[1]?.text).toContain('malformedInput');
  });
});

it('marks the system prompt and the last message for the prompt cache of Anthropic', async () => {
  const { url, requests } = await start([renderWire('anthropic', { text: 'a' })]);
  await replyOf(
    await openAt('anthropic', url),
    makeRequest({
      messages: [
        { role: 'user', content: 'one' },
        { role: 'user', content: 'two' },
      ],
    }),
  );
  const mark = { cache_control: { type: 'ephemeral' } };
  expect(requests[0]?.body).toMatchObject({
    system: [mark],
    messages: [{ content: [{ text: 'one' }, { text: 'two', ...mark }] }],
  });
  expect(requests[0]?.text.match(/cache_control/g)).toHaveLength(2);
});

it('keeps nothing at OpenAI, and refers to nothing kept there', async () => {
  const first = renderWire('openai', { reasoning: REASONING, text: 'hm', toolCalls: [CALL] });
  const { url, requests } = await start([first, renderWire('openai', { text: 'Done.' })]);
  const model = await openAt('openai', url);
  const { reply } = await replyOf(model, makeRequest());
  await replyOf(model, makeRequest({ messages: answerCalls(makeRequest().messages, reply), replyIndex: 1 }));
  expect(requests.map(({ body }) => body.store)).toEqual([false, false]);
  expect(requests[0]?.body.include).toEqual(['reasoning.encrypted_content']);
  expect(requests[1]?.text).not.toContain('item_reference');
});

it('gives calls ids of their own when an endpoint repeats them', async () => {
  const call = { ...CALL, id: 'call_0' };
  const answers = [
    renderWire('openai-compatible', { toolCalls: [call] }),
    renderWire('openai-compatible', { toolCalls: [call] }),
  ];
  const { url } = await start(answers);
  const model = await openAt('openai-compatible', url);
  const { reply } = await replyOf(model, makeRequest());
  const second = await replyOf(
    model,
    makeRequest({ messages: answerCalls(makeRequest().messages, reply), replyIndex: 1 }),
  );
  expect(reply.message.content).toMatchObject([{ toolCallId: 'call_0' }]);
  expect(second.reply.message.content).toMatchObject([{ toolCallId: 'call_0-2' }]);
});

it('knows no usage when an endpoint tells none, and no cache share when it tells none', async () => {
  const told = renderWire('openai-compatible', { text: 'b', tokens: { input: 7, cached: 0, output: 3 } });
  const { url } = await start([renderWire('openai-compatible', { text: 'a' }), told]);
  const model = await openAt('openai-compatible', url);
  const silent = await replyOf(model, makeRequest());
  expect(silent.reply.usage).toEqual({});
  expect(silent.reply.cost).toBeUndefined();
  const { reply } = await replyOf(model, makeRequest());
  expect(reply.usage).toEqual({ inputTokens: 7, outputTokens: 3 });
  expect(reply.cost).toBeUndefined();
  expect(reply.modelId).toBe('local-model');
});

it('prices a reply of a known model, the cached share cheaper', async () => {
  const { url } = await start([
    renderWire('anthropic', { text: 'a', tokens: { input: 1000, cached: 0, output: 100 } }),
    renderWire('anthropic', { text: 'a', tokens: { input: 0, cached: 1000, output: 100 } }),
  ]);
  const model = await openAt('anthropic', url);
  const full = (await replyOf(model, makeRequest())).reply.cost;
  const cached = (await replyOf(model, makeRequest())).reply.cost;
  expect(full).toMatchObject({ currency: 'USD' });
  expect(cached?.amount).toBeGreaterThan(0);
  expect(cached?.amount).toBeLessThan(full?.amount ?? 0);
});
