/** A script of model replies: its format, checked. Pure. */
import type { Usage } from '@ramet/core';
import { findNearest } from '@ramet/core/text';
import { isPlainObject } from './well-formed.ts';

export interface ScriptedCall {
  readonly name: string;
  readonly input: unknown;
}

export interface ScriptedReply {
  readonly text?: string;
  readonly toolCalls: readonly ScriptedCall[];
  readonly usage: Usage;
}

/** What is wrong with a script and where (`reply 2, call 1`); both count from 1. */
export class ScriptProblem extends Error {}

/** Parses a script's text: a JSON array of `{"text"?, "toolCalls"?: [{"name","input"}], "usage"?}`. Throws `ScriptProblem`. */
export function parseScript(text: string): readonly ScriptedReply[] {
  return parseReplies(parseJson(text), '');
}

/** Parses the script of a graph run: replies by a node's id or full path. Throws `ScriptProblem`. */
export function parseNodeScripts(text: string): ReadonlyMap<string, readonly ScriptedReply[]> {
  const value = parseJson(text);
  if (!isPlainObject(value)) {
    throw new ScriptProblem(
      `expected a JSON object of replies by node, {"<id or path>": [...]}, found ${describe(value)}`,
    );
  }
  return new Map(Object.entries(value).map(([node, replies]) => [node, parseReplies(replies, `node ${node}, `)]));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new ScriptProblem(`it is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function parseReplies(value: unknown, where: string): readonly ScriptedReply[] {
  if (!Array.isArray(value))
    throw new ScriptProblem(`${where}expected a JSON array of replies, found ${describe(value)}`);
  return value.map((reply: unknown, index) => parseReply(reply, `${where}reply ${index + 1}`));
}

const REPLY_KEYS = ['text', 'toolCalls', 'usage'];

function parseReply(value: unknown, where: string): ScriptedReply {
  const reply = expectObject(value, where);
  refuseUnknownKeys(reply, REPLY_KEYS, where);
  const { text, toolCalls = [], usage = {} } = reply;
  if (text !== undefined && typeof text !== 'string') {
    throw new ScriptProblem(`${where}, text: expected a string, found ${describe(text)}`);
  }
  if (!Array.isArray(toolCalls)) {
    throw new ScriptProblem(`${where}, toolCalls: expected an array, found ${describe(toolCalls)}`);
  }
  return {
    ...(text === undefined ? {} : { text }),
    toolCalls: toolCalls.map((call: unknown, index) => parseCall(call, `${where}, call ${index + 1}`)),
    usage: parseUsage(usage, `${where}, usage`),
  };
}

function parseCall(value: unknown, where: string): ScriptedCall {
  const call = expectObject(value, where);
  refuseUnknownKeys(call, ['name', 'input'], where);
  const { name, input } = call;
  if (typeof name !== 'string' || name === '') {
    throw new ScriptProblem(`${where}, name: expected a tool's name, found ${describe(name)}`);
  }
  if (input === undefined) throw new ScriptProblem(`${where}, input: expected the tool's input, found nothing`);
  return { name, input };
}

const USAGE_KEYS: readonly (keyof Usage)[] = [
  'inputTokens',
  'outputTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'reasoningTokens',
];

function parseUsage(value: unknown, where: string): Usage {
  const usage = expectObject(value, where);
  refuseUnknownKeys(usage, USAGE_KEYS, where);
  const counts: { -readonly [K in keyof Usage]: Usage[K] } = {};
  for (const key of USAGE_KEYS) {
    const count = usage[key];
    if (count === undefined) continue;
    if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 0) {
      throw new ScriptProblem(`${where}, ${key}: expected a whole number of tokens, found ${describe(count)}`);
    }
    counts[key] = count;
  }
  return counts;
}

function expectObject(value: unknown, where: string): Record<string, unknown> {
  if (!isPlainObject(value)) throw new ScriptProblem(`${where}: expected an object, found ${describe(value)}`);
  return value;
}

/** `tool_calls` for `toolCalls` would silently end the turn, `txt` for `text` say nothing. */
function refuseUnknownKeys(object: Record<string, unknown>, known: readonly string[], where: string): void {
  const key = Object.keys(object).find((name) => !known.includes(name));
  if (key === undefined) return;
  const near = findNearest(key, known);
  const hint = near === undefined ? `; the keys are ${known.join(', ')}` : `, did you mean "${near}"?`;
  throw new ScriptProblem(`${where}: unknown key ${describe(key)}${hint}`);
}

function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  const text = JSON.stringify(value);
  return text.length <= 40 ? text : `${typeof value} ${text.slice(0, 40).toWellFormed()}...`;
}
