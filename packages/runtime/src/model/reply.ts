/**
 * From a complete stream to a reply. Pure.
 *
 * 1. Every string of a reply is well-formed Unicode.
 * 2. Tool input that is not JSON is kept as the text it is: the tool answers the error, the reply stands.
 * 3. Call ids are unique within the conversation, whatever the provider sends.
 * 4. Usage that was not told is left out, never zero.
 */
import type { AssistantMessage, Message, Usage } from '@ramet/core';
import type { SdkUsage } from './sdk-types.ts';
import type { ReplyDraft } from './stream.ts';
import type { ModelReply } from './types.ts';
import { isPlainObject, makeWellFormed } from './well-formed.ts';

/** Makes the reply of a complete draft; `messages` are those of the request, `modelName` stands in for a silent provider. */
export function makeReply(
  draft: ReplyDraft,
  messages: readonly Message[],
  modelName: string,
): Omit<ModelReply, 'cost'> {
  const message = makeWellFormed(makeAssistantMessage(draft, collectCallIds(messages)));
  const stated = draft.finish?.finishReason.unified ?? 'other';
  const calls = message.content.some((part) => part.type === 'tool-call');
  const reason = stated === 'interrupted' ? 'other' : stated;
  return {
    message,
    usage: readUsage(draft.finish?.usage),
    finishReason: calls && (reason === 'stop' || reason === 'other') ? 'tool-calls' : reason,
    modelId: (draft.modelId ?? modelName).toWellFormed(),
  };
}

function makeAssistantMessage(draft: ReplyDraft, taken: Set<string>): AssistantMessage {
  const content: AssistantMessage['content'][number][] = [];
  for (const part of draft.parts) {
    const options = part.options === undefined ? {} : { providerOptions: part.options };
    if (part.type === 'tool-call') {
      const toolCallId = makeUniqueId(part.id === '' ? 'call' : part.id, taken);
      content.push({ type: 'tool-call', toolCallId, toolName: part.name, input: parseInput(part.input), ...options });
    } else if (part.text !== '' || part.options !== undefined) {
      content.push({ type: part.type, text: part.text, ...options });
    }
  }
  return { role: 'assistant', content };
}

/** Deeper input stays text: recursive readers, the log's among them, must survive every reply. */
const MAX_INPUT_DEPTH = 100;

function parseInput(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isDeeper(value, MAX_INPUT_DEPTH) ? text : value;
  } catch {
    return text;
  }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isDeeper(item, levels - 1));
}

/** Every tool call id the messages hold. */
export function collectCallIds(messages: readonly Message[]): Set<string> {
  const ids = new Set<string>();
  for (const message of messages) {
    if (message.role !== 'assistant') continue;
    for (const part of message.content) if (part.type === 'tool-call') ids.add(part.toolCallId);
  }
  return ids;
}

/** Gives an id that is not taken, and takes it. */
export function makeUniqueId(id: string, taken: Set<string>): string {
  let unique = id;
  for (let count = 2; taken.has(unique); count += 1) unique = `${id}-${count}`;
  taken.add(unique);
  return unique;
}

/** The provider packages write 0 for what an endpoint left out; what was really said is in `raw`. */
function readUsage(usage: SdkUsage | undefined): Usage {
  if (usage === undefined || ((usage.inputTokens.total ?? 0) === 0 && (usage.outputTokens.total ?? 0) === 0)) return {};
  const raw = usage.raw ?? {};
  const isChat = 'prompt_tokens' in raw || 'completion_tokens' in raw;
  const said = (value: number | undefined, ...path: string[]) =>
    !isChat || readPath(raw, path) !== undefined ? value : undefined;
  const counts: Record<keyof Usage, number | undefined> = {
    inputTokens: said(usage.inputTokens.total, 'prompt_tokens'),
    outputTokens: said(usage.outputTokens.total, 'completion_tokens'),
    cacheReadTokens: said(usage.inputTokens.cacheRead, 'prompt_tokens_details', 'cached_tokens'),
    cacheWriteTokens: usage.inputTokens.cacheWrite,
    reasoningTokens: said(usage.outputTokens.reasoning, 'completion_tokens_details', 'reasoning_tokens'),
  };
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== undefined && count >= 0));
}

function readPath(value: unknown, path: readonly string[]): unknown {
  let current = value;
  for (const key of path) {
    if (!isPlainObject(current)) return undefined;
    current = current[key] ?? undefined;
  }
  return current;
}
