/** Shared by the tests of models: opening one against a local endpoint, and a request to it. */
import { isRefusal, type Message } from '@ramet/core';
import type { Wire } from '@ramet/testkit/models';
import {
  type Model,
  type ModelDelta,
  ModelFailure,
  type ModelReply,
  type ModelRequest,
  openModel,
} from '../../src/model/index.ts';

export const KEY = 'sk-test-0123456789';

export const MODEL_NAMES: Readonly<Record<Wire, string>> = {
  anthropic: 'anthropic/claude-sonnet-4-5',
  openai: 'openai/gpt-5',
  google: 'google/gemini-2.5-pro',
  'openai-compatible': 'openai-compatible/local-model',
};

const ENV = {
  ANTHROPIC_API_KEY: KEY,
  OPENAI_API_KEY: KEY,
  GEMINI_API_KEY: KEY,
  OPENAI_COMPATIBLE_API_KEY: KEY,
};

/** Opens the model of a wire at an address. */
export async function openAt(wire: Wire, baseUrl: string): Promise<Model> {
  const model = await openModel({ name: MODEL_NAMES[wire], baseUrl, env: ENV, cwd: '/' });
  if (isRefusal(model)) throw new Error(model.message);
  return model;
}

/** A request of a turn; only what differs is given. */
export function makeRequest(parts: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: 'You are a careful engineer.',
    messages: [{ role: 'user', content: 'fix the test' }],
    tools: [
      {
        name: 'shell',
        description: 'Runs a command.',
        inputSchema: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
      },
    ],
    replyIndex: 0,
    purpose: 'turn',
    signal: new AbortController().signal,
    ...parts,
  };
}

/** The messages of the next request: the reply, and a result for each of its calls. */
export function answerCalls(messages: readonly Message[], reply: ModelReply, value = 'ok'): Message[] {
  const results = reply.message.content
    .filter((part) => part.type === 'tool-call')
    .map(({ toolCallId, toolName }) => ({
      type: 'tool-result' as const,
      toolCallId,
      toolName,
      output: { type: 'text' as const, value },
    }));
  return [...messages, reply.message, ...(results.length === 0 ? [] : [{ role: 'tool' as const, content: results }])];
}

/** What a request failed with; fails when it did not. */
export async function failureOf(model: Model, request: ModelRequest): Promise<ModelFailure> {
  const failure = await model
    .reply(request, () => {})
    .then(
      () => undefined,
      (error: unknown) => error,
    );
  if (failure instanceof ModelFailure) return failure;
  throw new Error(`expected a ModelFailure, found ${String(failure)}`, { cause: failure });
}

/** A reply and the deltas that came before it. */
export async function replyOf(
  model: Model,
  request: ModelRequest,
): Promise<{ reply: ModelReply; deltas: ModelDelta[] }> {
  const deltas: ModelDelta[] = [];
  const reply = await model.reply(request, (delta) => deltas.push(delta));
  return { reply, deltas };
}
