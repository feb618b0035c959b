import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isRefusal, type Message, type Refusal } from '@ramet/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Model, openModel } from '../../src/model/index.ts';
import { answerCalls, failureOf, makeRequest, replyOf } from './helpers.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'ramet-script-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function openText(text: string | Uint8Array): Promise<Model | Refusal> {
  await writeFile(path.join(folder, 'one.json'), text);
  return openModel({ name: 'scripted:one.json', env: {}, cwd: folder });
}

async function open(replies: unknown): Promise<Model> {
  const model = await openText(JSON.stringify(replies));
  if (isRefusal(model)) throw new Error(model.message);
  return model;
}

const CALLS = [
  { name: 'shell', input: { command: 'npm test' } },
  { name: 'read_file', input: { path: 'a.txt' } },
];

describe('a reply', () => {
  it('is the one with the number asked for, however often it is asked', async () => {
    const model = await open([
      { text: 'zero', toolCalls: CALLS },
      { text: 'one', usage: { inputTokens: 5, outputTokens: 2 } },
    ]);
    const second = await replyOf(model, makeRequest({ replyIndex: 1 }));
    expect(second.reply).toEqual({
      message: { role: 'assistant', content: [{ type: 'text', text: 'one' }] },
      usage: { inputTokens: 5, outputTokens: 2 },
      finishReason: 'stop',
      modelId: 'scripted',
    });
    expect(second.deltas).toEqual([{ kind: 'text', text: 'one' }]);
    const first = await replyOf(model, makeRequest());
    expect(first.reply).toMatchObject({ usage: {}, finishReason: 'tool-calls' });
    expect(await replyOf(model, makeRequest())).toEqual(first);
  });

  it('has calls with ids that differ within the turn and between turns', async () => {
    const model = await open([{ toolCalls: CALLS }, { toolCalls: CALLS }]);
    let messages: Message[] = [{ role: 'user', content: 'go' }];
    const ids: string[] = [];
    for (const replyIndex of [0, 1, 0, 1]) {
      const { reply } = await replyOf(model, makeRequest({ messages, replyIndex }));
      for (const part of reply.message.content) if (part.type === 'tool-call') ids.push(part.toolCallId);
      messages = answerCalls(messages, reply);
    }
    expect(new Set(ids).size).toBe(8);
  });

  it('passes half a character through', async () => {
    const model = await open([{ text: 'half \ud83c' }]);
    expect((await replyOf(model, makeRequest())).reply.message.content).toEqual([
      { type: 'text', text: 'half \ud83c' },
    ]);
  });

  it('may be empty, which ends the turn', async () => {
    const { reply, deltas } = await replyOf(await open([{}]), makeRequest());
    expect(reply).toMatchObject({ message: { content: [] }, finishReason: 'stop', usage: {} });
    expect(deltas).toEqual([]);
  });

  it('is not used up by a title or a summary', async () => {
    const model = await open([]);
    const messages: Message[] = [{ role: 'user', content: `fix\nthe ${'very '.repeat(40)}odd test` }];
    const title = await replyOf(model, makeRequest({ purpose: 'title', messages }));
    expect(title.reply.message.content).toMatchObject([
      { text: expect.stringMatching(/^fix the very .{40,46}\.\.\.$/) },
    ]);
    const summary = await replyOf(model, makeRequest({ purpose: 'compact', messages }));
    expect(summary.reply).toMatchObject({
      usage: {},
      message: { content: [{ text: expect.stringMatching(/^Summary of 1 messages/) }] },
    });
  });
});

it('names itself by the absolute path and the digest of the script', async () => {
  const model = await openText('[]');
  const digest = '4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945';
  expect(model).toMatchObject({
    name: 'scripted:one.json',
    identity: { script: { path: path.join(folder, 'one.json'), digest } },
  });
});

it('fails when the script has no such reply', async () => {
  const failure = await failureOf(await open([{ text: 'a' }]), makeRequest({ replyIndex: 1 }));
  expect(failure).toMatchObject({ code: 'script_exhausted', retryable: false });
  expect(failure.message).toContain('has 1 reply, and reply 2');
});

it('fails when the script changed or went away', async () => {
  const model = await open([{ text: 'a' }]);
  await writeFile(path.join(folder, 'one.json'), '[{"text":"b"}]');
  expect(await failureOf(model, makeRequest())).toMatchObject({ code: 'script_changed', retryable: false });
  await rm(path.join(folder, 'one.json'));
  expect(await failureOf(model, makeRequest())).toMatchObject({ code: 'script_changed' });
});

it('fails when the turn was interrupted', async () => {
  const failure = await failureOf(await open([{ text: 'a' }]), makeRequest({ signal: AbortSignal.abort() }));
  expect(failure.code).toBe('interrupted');
});

it.each([
  ['{', 'it is not JSON'],
  ['{"text":"a"}', 'expected a JSON array of replies, found an object'],
  ['[{},7]', 'reply 2: expected an object, found 7'],
  ['[{"text":null}]', 'reply 1, text: expected a string, found null'],
  ['[{"toolCalls":{}}]', 'reply 1, toolCalls: expected an array, found an object'],
  ['[{"toolCalls":[{"input":{}}]}]', "reply 1, call 1, name: expected a tool's name, found nothing"],
  ['[{"toolCalls":[{"name":"shell"}]}]', "reply 1, call 1, input: expected the tool's input, found nothing"],
  ['[{"tool_calls":[]}]', 'reply 1: unknown key "tool_calls", did you mean "toolCalls"?'],
  ['[{"txt":"a"}]', 'reply 1: unknown key "txt", did you mean "text"?'],
  ['[{"finish":"stop"}]', 'reply 1: unknown key "finish"; the keys are text, toolCalls, usage'],
  ['[{"usage":{"inputTokens":-1}}]', 'reply 1, usage, inputTokens: expected a whole number of tokens, found -1'],
  [new Uint8Array([0x5b, 0xff, 0x5d]), 'it is not UTF-8'],
])('refuses the script %s', async (text, problem) => {
  const refusal = await openText(text);
  expect(refusal).toMatchObject({ kind: 'refusal', code: 'bad_script' });
  expect((refusal as Refusal).message).toContain(`${path.join(folder, 'one.json')} cannot be used: ${problem}`);
});

it('refuses a script that is missing or no file', async () => {
  for (const file of ['missing.json', '.']) {
    const refusal = await openModel({ name: `scripted:${file}`, env: {}, cwd: folder });
    expect(refusal).toMatchObject({ kind: 'refusal', code: 'bad_script' });
  }
});
