import type { AssistantMessage } from '@ramet/core';
import { expect, it } from 'vitest';
import { makePrompt } from '../../src/model/prompt.ts';

function readCallId(part: unknown): unknown {
  return (part as { toolCallId?: unknown } | undefined)?.toolCallId;
}

const signed = (provider: string): AssistantMessage['content'][number] => ({
  type: 'reasoning',
  text: 'hm',
  providerOptions: { [provider]: { signature: 's' } },
});

it('leaves out the reasoning another provider signed', () => {
  const content = [signed('google'), { type: 'text' as const, text: 'hi' }];
  expect(makePrompt('', [{ role: 'assistant', content }], 'anthropic')).toMatchObject([
    { content: [{ type: 'text' }] },
  ]);
  expect(makePrompt('', [{ role: 'assistant', content }], 'google')).toMatchObject([
    { content: [{ type: 'reasoning', providerOptions: { google: { signature: 's' } } }, { type: 'text' }] },
  ]);
});

it('leaves out replies that say nothing, and blank text', () => {
  const prompt = makePrompt(
    '',
    [
      { role: 'assistant', content: [] },
      { role: 'assistant', content: [{ type: 'text', text: ' \n' }] },
      { role: 'assistant', content: [signed('openai')] },
    ],
    'openai',
  );
  expect(prompt).toEqual([]);
});

it('makes names and ids acceptable, the same in the call and in its result', () => {
  const call = { toolCallId: 'functions.shell:0', toolName: 'shell:run it' };
  const messages = [
    { role: 'assistant' as const, content: [{ type: 'tool-call' as const, ...call, input: 'no object' }] },
    {
      role: 'tool' as const,
      content: [{ type: 'tool-result' as const, ...call, output: { type: 'text' as const, value: 'x' } }],
    },
  ];
  const [asked, answered] = makePrompt('', messages, 'anthropic');
  const toolCallId = expect.stringMatching(/^call_[0-9a-f]{32}$/) as unknown;
  expect(asked?.content).toMatchObject([
    { toolCallId, toolName: 'shell_run_it', input: { malformedInput: 'no object' } },
  ]);
  expect(answered?.content).toMatchObject([{ toolCallId: readCallId(asked?.content[0]), toolName: 'shell_run_it' }]);
  expect(makePrompt('', messages, 'openai-compatible')[0]?.content).toMatchObject([
    { toolCallId: 'functions.shell:0' },
  ]);
});

it('says so where a file is not at hand or of a kind the model cannot see', () => {
  const gone = { type: 'file' as const, mediaType: 'image/png', filename: 'a.png', data: { $blob: 'x' } };
  const sound = { type: 'file' as const, mediaType: 'audio/wav', data: 'AAAA' };
  expect(makePrompt('', [{ role: 'user', content: [gone, sound] }], 'openai')).toMatchObject([
    {
      content: [
        { text: '[a.png (image/png) is not available]' },
        { text: '[file (audio/wav) cannot be shown to this model]' },
      ],
    },
  ]);
});
