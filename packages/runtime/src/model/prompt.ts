/**
 * From a log's messages to a provider's prompt. Pure and deterministic: the same messages give the same request, so
 * a fork's first request hits the prompt cache its parent filled.
 *
 * 1. Every string is well-formed Unicode.
 * 2. What another provider's model left behind (signatures, odd call ids, tool names it made up, input that is no
 *    object) never makes a request invalid.
 * 3. Anthropic gets two cache marks: after the system prompt (and the tools before it) and after the last message.
 */
import { createHash } from 'node:crypto';
import type { AssistantMessage, FilePart, Message, ToolMessage, UserMessage } from '@ramet/core';
import type { ProviderId } from './names.ts';
import type { SdkCall, SdkMessage, SdkPrompt, SdkProviderOptions, SdkTool } from './sdk-types.ts';
import type { ModelRequest, ToolDescription } from './types.ts';
import { isPlainObject, makeWellFormed } from './well-formed.ts';

const CACHE_MARK: SdkProviderOptions = { anthropic: { cacheControl: { type: 'ephemeral' } } };

/** The key under which each provider's package reads and writes its own options. */
const OPTION_KEYS: Readonly<Record<ProviderId, string>> = {
  anthropic: 'anthropic',
  openai: 'openai',
  google: 'google',
  'openai-compatible': 'openaiCompatible',
};

/** Makes the provider call for a request. */
export function makeCall(request: ModelRequest, provider: ProviderId): SdkCall {
  const tools = request.tools.map((tool) => makeTool(tool, provider));
  return {
    prompt: makePrompt(request.system, request.messages, provider),
    ...(tools.length === 0
      ? {}
      : { tools, toolChoice: { type: request.purpose === 'turn' ? ('auto' as const) : ('none' as const) } }),
    ...(request.maxOutputTokens === undefined ? {} : { maxOutputTokens: request.maxOutputTokens }),
    // Nothing is kept at OpenAI: encrypted reasoning travels in the log, so a fork needs no item stored elsewhere.
    ...(provider === 'openai' ? { providerOptions: { openai: { store: false } } } : {}),
    abortSignal: request.signal,
  };
}

/** Makes the provider prompt of a conversation. */
export function makePrompt(system: string, messages: readonly Message[], provider: ProviderId): SdkPrompt {
  const prompt: SdkMessage[] = system === '' ? [] : [{ role: 'system', content: system }];
  for (const message of messages) {
    const made = makeMessage(message, provider);
    if (made.content.length > 0) prompt.push(made);
  }
  if (provider === 'anthropic') markForCache(prompt);
  return makeWellFormed(prompt);
}

function markForCache(prompt: SdkMessage[]): void {
  const marked = new Set([prompt[0]?.role === 'system' ? prompt[0] : undefined, prompt.at(-1)]);
  for (const message of marked) {
    if (message !== undefined) message.providerOptions = CACHE_MARK;
  }
}

function makeTool(tool: ToolDescription, provider: ProviderId): SdkTool {
  return makeWellFormed({
    type: 'function',
    name: tool.name,
    description: tool.description,
    inputSchema: tool.inputSchema,
    // OpenAI's Responses API otherwise makes every optional field a required one.
    ...(provider === 'openai' ? { strict: false } : {}),
  }) as SdkTool;
}

function makeMessage(message: Message, provider: ProviderId): SdkMessage {
  if (message.role === 'user') return { role: 'user', content: makeUserContent(message, provider) };
  if (message.role === 'assistant') return { role: 'assistant', content: makeAssistantContent(message, provider) };
  return { role: 'tool', content: makeToolContent(message, provider) };
}

type UserContent = Extract<SdkMessage, { role: 'user' }>['content'];
type AssistantContent = Extract<SdkMessage, { role: 'assistant' }>['content'];
type ToolContent = Extract<SdkMessage, { role: 'tool' }>['content'];

function makeUserContent(message: UserMessage, provider: ProviderId): UserContent {
  if (typeof message.content === 'string') return [{ type: 'text', text: message.content }];
  return message.content.map((part) =>
    part.type === 'text' ? { type: 'text', text: part.text } : makeFile(part, provider),
  );
}

function makeFile(part: FilePart, provider: ProviderId): UserContent[number] {
  const base64 = readBase64(part.data);
  const name = part.filename ?? 'file';
  if (base64 === undefined) return { type: 'text', text: `[${name} (${part.mediaType}) is not available]` };
  if (part.mediaType.startsWith('text/')) {
    return { type: 'text', text: `${name}:\n${Buffer.from(base64, 'base64').toString('utf8')}` };
  }
  if (provider !== 'google' && !/^(image\/|application\/pdf$)/.test(part.mediaType)) {
    return { type: 'text', text: `[${name} (${part.mediaType}) cannot be shown to this model]` };
  }
  return {
    type: 'file',
    mediaType: part.mediaType,
    ...(part.filename === undefined ? {} : { filename: part.filename }),
    data: { type: 'data', data: base64 },
  };
}

function readBase64(data: unknown): string | undefined {
  if (typeof data === 'string') return data.replace(/^data:[^,]*;base64,/, '');
  if (data instanceof Uint8Array) return Buffer.from(data).toString('base64');
  if (isPlainObject(data) && typeof data.$base64 === 'string') return data.$base64;
  return undefined;
}

function makeAssistantContent(message: AssistantMessage, provider: ProviderId): AssistantContent {
  const content: AssistantContent = [];
  for (const part of message.content) {
    const options = pickOptions(part.providerOptions, provider);
    const own = options === undefined ? {} : { providerOptions: options };
    if (part.type === 'tool-call') {
      content.push({
        type: 'tool-call',
        toolCallId: makeCallId(part.toolCallId, provider),
        toolName: makeToolName(part.toolName),
        input: isPlainObject(part.input) ? part.input : { malformedInput: part.input ?? null },
        ...own,
      });
    } else if (part.type === 'reasoning') {
      // Another model's reasoning carries no signature this one would accept.
      if (options !== undefined || part.providerOptions === undefined) {
        content.push({ type: 'reasoning', text: part.text, ...own });
      }
    } else if (part.text.trim() !== '' || options !== undefined) {
      content.push({ type: 'text', text: part.text, ...own });
    }
  }
  return content.some((part) => part.type !== 'reasoning') ? content : [];
}

function pickOptions(
  options: Readonly<Record<string, unknown>> | undefined,
  provider: ProviderId,
): SdkProviderOptions | undefined {
  const key = OPTION_KEYS[provider];
  const own = options?.[key];
  return isPlainObject(own) ? ({ [key]: own } as SdkProviderOptions) : undefined;
}

function makeToolContent(message: ToolMessage, provider: ProviderId): ToolContent {
  return message.content.map((part) => ({
    type: 'tool-result',
    toolCallId: makeCallId(part.toolCallId, provider),
    toolName: makeToolName(part.toolName),
    output: part.output as Extract<ToolContent[number], { type: 'tool-result' }>['output'],
  }));
}

/** A name the model made up may hold anything; providers accept this alphabet and length only. */
function makeToolName(name: string): string {
  const safe = name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64);
  return safe === '' ? 'unknown' : safe;
}

/** Anthropic and OpenAI reject ids outside this alphabet, which some compatible servers give. */
function makeCallId(id: string, provider: ProviderId): string {
  if (provider === 'google' || provider === 'openai-compatible' || /^[a-zA-Z0-9_-]{1,64}$/.test(id)) return id;
  return `call_${createHash('sha256').update(id).digest('hex').slice(0, 32)}`;
}
