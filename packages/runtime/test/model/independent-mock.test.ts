/** The same conversation against a mock that shares no code with ours: it reads and writes each wire its own way. */
import { LLMock } from '@copilotkit/aimock';
import { afterEach, describe, expect, it } from 'vitest';
import { answerCalls, makeRequest, openAt, replyOf } from './helpers.ts';

let mock: LLMock | undefined;

afterEach(async () => {
  await mock?.stop();
  mock = undefined;
});

describe.each([
  ['anthropic', '/v1'],
  ['openai', '/v1'],
  ['google', '/v1beta'],
  ['openai-compatible', '/v1'],
] as const)('%s', (wire, prefix) => {
  it('calls a tool and answers from its result', async () => {
    mock = new LLMock({ port: 0 });
    const call = { name: 'shell', arguments: '{"command":"npm test"}' };
    mock.on({ toolResultContains: '3 tests passed' }, { content: 'All green.' });
    mock.on({ userMessage: 'fix the test' }, { toolCalls: [call] });
    await mock.start();
    const model = await openAt(wire, `${mock.url}${prefix}`);
    const { reply } = await replyOf(model, makeRequest());
    expect(reply.finishReason).toBe('tool-calls');
    expect(reply.message.content.filter((part) => part.type === 'tool-call')).toMatchObject([
      { toolName: 'shell', input: { command: 'npm test' } },
    ]);
    const messages = answerCalls(makeRequest().messages, reply, '3 tests passed');
    const second = await replyOf(model, makeRequest({ messages, replyIndex: 1 }));
    expect(second.reply.finishReason).toBe('stop');
    expect(second.reply.message.content).toContainEqual(expect.objectContaining({ type: 'text', text: 'All green.' }));
    expect(second.deltas.map((delta) => delta.text).join('')).toBe('All green.');
  });
});
