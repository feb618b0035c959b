/**
 * A model that plays a script: one turn, or one entry of a node of a graph run, from reply 0.
 *
 * 1. A request of purpose `turn` gets reply number `replyIndex`; nothing is counted here, so a crash shifts nothing.
 * 2. The file is read again at every request; when its digest is another than at the opening, the request fails.
 * 3. Call ids depend only on the reply's and the call's number and on the request's messages.
 * 4. Requests of other purposes take no reply: they get a short summary made from the messages.
 */
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { type AssistantMessage, isRefusal, type Message, type Refusal, refuse, splitNodePath } from '@ramet/core';
import { renderCount } from '@ramet/core/text';
import { collectCallIds, makeUniqueId } from './reply.ts';
import { parseNodeScripts, parseScript, type ScriptedReply, ScriptProblem } from './script.ts';
import {
  type Model,
  type ModelDelta,
  ModelFailure,
  type ModelReply,
  type ModelRequest,
  type NodeModels,
} from './types.ts';

const MODEL_ID = 'scripted';
const MAX_SCRIPT_BYTES = 64 * 1024 * 1024;

interface Script {
  readonly path: string;
  readonly digest: string;
  readonly replies: readonly ScriptedReply[];
  /** The node of a graph run they are for. */
  readonly of?: string;
}

/** Opens a script; refuses with `bad_script` what cannot be read or is malformed, naming the file and the place. */
export async function openScriptedModel(name: string, file: string, cwd: string): Promise<Model | Refusal> {
  const opened = await openScript(file, cwd, parseScript);
  if (isRefusal(opened)) return opened;
  const { parsed: replies, ...script } = opened;
  return makeScriptedModel(name, { ...script, replies });
}

/**
 * Opens the script of a graph run, which has replies for each node: those under its path, else under its id, from reply
 * 0 at each entry. Refuses as `openScriptedModel`.
 */
export async function openScriptedNodes(name: string, file: string, cwd: string): Promise<NodeModels | Refusal> {
  const opened = await openScript(file, cwd, parseNodeScripts);
  if (isRefusal(opened)) return opened;
  const { parsed, ...script } = opened;
  return (path) => {
    const { id } = splitNodePath(path);
    const replies = parsed.get(path) ?? parsed.get(id) ?? [];
    return makeScriptedModel(name, { ...script, replies, of: parsed.has(path) ? path : id });
  };
}

async function openScript<T>(
  file: string,
  cwd: string,
  parse: (text: string) => T,
): Promise<(Pick<Script, 'path' | 'digest'> & { readonly parsed: T }) | Refusal> {
  const absolute = path.resolve(cwd, file);
  const refuseScript = (problem: string) =>
    refuse('bad_script', `the script ${absolute} cannot be used: ${problem}`, { path: absolute });
  let bytes: Buffer;
  try {
    bytes = await readScript(absolute);
  } catch (error) {
    return refuseScript(error instanceof Error ? error.message : String(error));
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { path: absolute, digest: digestOf(bytes), parsed: parse(text) };
  } catch (error) {
    if (error instanceof ScriptProblem) return refuseScript(error.message);
    if (error instanceof TypeError) return refuseScript('it is not UTF-8');
    throw error;
  }
}

/** A pipe or a device would block or never end. */
async function readScript(file: string): Promise<Buffer> {
  const { size } = await stat(file).then((found) => {
    if (!found.isFile()) throw new Error('it is no regular file');
    return found;
  });
  if (size > MAX_SCRIPT_BYTES) throw new Error(`it is larger than ${MAX_SCRIPT_BYTES} bytes`);
  return readFile(file);
}

function digestOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function makeScriptedModel(name: string, script: Script): Model {
  return {
    name,
    identity: { script: { path: script.path, digest: script.digest } },
    isPriced: false,
    async reply(request, onDelta) {
      await checkRequest(script, request);
      const reply = request.purpose === 'turn' ? playReply(script, request) : summarize(request);
      for (const part of reply.message.content) {
        if (part.type === 'text' && part.text !== '') onDelta({ kind: 'text', text: part.text } satisfies ModelDelta);
      }
      return reply;
    },
  };
}

async function checkRequest(script: Script, request: ModelRequest): Promise<void> {
  let digest: string;
  try {
    digest = digestOf(await readScript(script.path));
  } catch (error) {
    throw new ModelFailure('script_changed', `the script ${script.path} can no longer be read: ${String(error)}`, {
      cause: error,
    });
  }
  if (request.signal.aborted) throw new ModelFailure('interrupted', `the request to ${script.path} was interrupted`);
  if (digest === script.digest) return;
  throw new ModelFailure(
    'script_changed',
    `the script ${script.path} changed during the turn: expected ${script.digest}, found ${digest}; restore it or start another turn`,
  );
}

function playReply(script: Script, request: ModelRequest): ModelReply {
  const reply = script.replies[request.replyIndex];
  if (reply === undefined) {
    throw new ModelFailure(
      'script_exhausted',
      `the script ${script.path} has ${renderCount(script.replies.length, 'reply', 'replies')}${script.of === undefined ? '' : ` for node ${script.of}`}, and reply ${request.replyIndex + 1} was asked for; a reply without toolCalls ends a turn`,
    );
  }
  const taken = collectCallIds(request.messages);
  const content: AssistantMessage['content'][number][] = [];
  if (reply.text !== undefined) content.push({ type: 'text', text: reply.text });
  for (const [index, call] of reply.toolCalls.entries()) {
    const toolCallId = makeUniqueId(makeCallId(request, index), taken);
    content.push({ type: 'tool-call', toolCallId, toolName: call.name, input: call.input });
  }
  const finishReason = reply.toolCalls.length > 0 ? 'tool-calls' : 'stop';
  return { message: { role: 'assistant', content }, usage: reply.usage, finishReason, modelId: MODEL_ID };
}

/** The first message is in it because a compaction makes the messages fewer, and their number come round again. */
function makeCallId(request: ModelRequest, callIndex: number): string {
  const [first] = request.messages;
  const asked = first?.role === 'user' ? readText(first).toWellFormed() : '';
  const place = [request.replyIndex, callIndex, request.messages.length, asked];
  return `call_${createHash('sha256').update(JSON.stringify(place)).digest('hex').slice(0, 24)}`;
}

function summarize(request: ModelRequest): ModelReply {
  const asked = request.messages.filter((message) => message.role === 'user').map(readText);
  const first = shorten(asked.at(0) ?? 'nothing');
  const text =
    request.purpose === 'title'
      ? first
      : `Summary of ${request.messages.length} messages. First asked: ${first}. Last asked: ${shorten(asked.at(-1) ?? 'nothing')}.`;
  const message: AssistantMessage = { role: 'assistant', content: [{ type: 'text', text }] };
  return { message, usage: {}, finishReason: 'stop', modelId: MODEL_ID };
}

function readText(message: Extract<Message, { role: 'user' }>): string {
  if (typeof message.content === 'string') return message.content;
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join(' ');
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return (line.length <= 60 ? line : `${line.slice(0, 57)}...`).toWellFormed();
}
