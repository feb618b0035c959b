import { describe, expect, it } from 'vitest';
import type { ModelDelta } from '../../src/model/index.ts';
import { makeReply } from '../../src/model/reply.ts';
import type { SdkStreamPart } from '../../src/model/sdk-types.ts';
import { CutStreamError, collectReply, EndlessStreamError, REPLY_LIMITS, StreamError } from '../../src/model/stream.ts';

const COUNTS = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined };
const FINISH: SdkStreamPart = {
  type: 'finish',
  finishReason: { unified: 'stop', raw: 'stop' },
  usage: { inputTokens: COUNTS, outputTokens: { total: undefined, text: undefined, reasoning: undefined } },
};

async function* streamOf(parts: readonly SdkStreamPart[]): AsyncGenerator<SdkStreamPart> {
  yield* parts;
}

async function collect(parts: readonly SdkStreamPart[]) {
  const deltas: ModelDelta[] = [];
  const draft = await collectReply(streamOf(parts), (delta) => deltas.push(delta));
  return { deltas, reply: makeReply(draft, [], 'asked-model') };
}

function textParts(id: string, ...deltas: string[]): SdkStreamPart[] {
  return [
    { type: 'text-start', id },
    ...deltas.map((delta): SdkStreamPart => ({ type: 'text-delta', id, delta })),
    { type: 'text-end', id },
  ];
}

describe('a stream', () => {
  it('keeps what a provider needs back, whichever event of a block brought it', async () => {
    const { reply } = await collect([
      { type: 'reasoning-start', id: '1', providerMetadata: { openai: { itemId: 'rs_1', sealed: null } } },
      { type: 'reasoning-delta', id: '1', delta: 'hm', providerMetadata: { other: { signature: 's' } } },
      { type: 'reasoning-end', id: '1', providerMetadata: { openai: { sealed: 'xyz' } } },
      FINISH,
    ]);
    const providerOptions = { openai: { itemId: 'rs_1', sealed: 'xyz' }, other: { signature: 's' } };
    expect(reply.message.content).toEqual([{ type: 'reasoning', text: 'hm', providerOptions }]);
  });

  it('shows no half of a character, and keeps none', async () => {
    const { reply, deltas } = await collect([...textParts('1', 'a\ud83c', '\udf31b', 'c\ud83c'), FINISH]);
    expect(deltas.map((delta) => delta.text)).toEqual(['a', '🌱b', 'c']);
    expect(reply.message.content).toEqual([{ type: 'text', text: 'a🌱bc\ufffd' }]);
  });

  it('may use the id of a block again after its end', async () => {
    const { reply } = await collect([...textParts('1', 'one'), ...textParts('1', 'two'), ...textParts('2'), FINISH]);
    expect(reply.message.content).toMatchObject([{ text: 'one' }, { text: 'two' }]);
  });

  it('without an end is given up, whether it grows by text, by calls or by nothing, and is closed', async () => {
    let closed = 0;
    async function* endless(part: SdkStreamPart): AsyncGenerator<SdkStreamPart> {
      try {
        for (;;) yield part;
      } finally {
        closed += 1;
      }
    }
    const call: SdkStreamPart = { type: 'tool-call', toolCallId: 'c', toolName: 't', input: '{}' };
    const text: SdkStreamPart = { type: 'text-delta', id: '1', delta: 'x'.repeat(REPLY_LIMITS.characters / 4) };
    for (const part of [call, text, { type: 'text-end', id: '1' } as const]) {
      await expect(collectReply(endless(part), () => {})).rejects.toBeInstanceOf(EndlessStreamError);
    }
    expect(closed).toBe(3);
  });

  it('that reports an error fails with what was reported', async () => {
    const failed = collect([...textParts('1', 'half'), { type: 'error', error: { message: 'no' } }, FINISH]);
    await expect(failed).rejects.toMatchObject({ reason: { message: 'no' } });
    await expect(failed).rejects.toBeInstanceOf(StreamError);
  });

  it('that ends unfinished fails', async () => {
    const cut: SdkStreamPart = { ...FINISH, finishReason: { unified: 'interrupted', raw: undefined } };
    await expect(collect(textParts('1', 'half'))).rejects.toBeInstanceOf(CutStreamError);
    await expect(collect([...textParts('1', 'half'), cut])).rejects.toBeInstanceOf(CutStreamError);
  });
});

describe('tool input', () => {
  it.each([
    ['{"a":[1]}', { a: [1] }],
    [' ', {}],
    ['[1]', [1]],
    ['{"a', '{"a'],
    ['{"\\ud800":1}', { '\ufffd': 1 }],
  ])('%j is kept as %j', async (input, expected) => {
    const { reply } = await collect([{ type: 'tool-call', toolCallId: '', toolName: 'shell', input }, FINISH]);
    expect(reply.message.content).toEqual([
      { type: 'tool-call', toolCallId: 'call', toolName: 'shell', input: expected },
    ]);
    expect(reply.finishReason).toBe('tool-calls');
  });

  it('that nests without end stays text', async () => {
    const input = '['.repeat(50_000) + ']'.repeat(50_000);
    const { reply } = await collect([{ type: 'tool-call', toolCallId: 'c', toolName: 'shell', input }, FINISH]);
    expect(reply.message.content).toMatchObject([{ input }]);
  });
});

it('names the model that was asked when the provider names none, and knows no usage', async () => {
  const { reply } = await collect([FINISH]);
  expect(reply).toEqual({
    message: { role: 'assistant', content: [] },
    usage: {},
    finishReason: 'stop',
    modelId: 'asked-model',
  });
});
