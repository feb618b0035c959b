/** A script of model replies: its format, checked. Pure. */
import type { Usage } from '@ramet/core';
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

/** What is wrong with a script and where (`reply 2, toolCalls[0]`). */
export class ScriptProblem extends Error {}

/** Parses a script's text: a JSON array of `{"text"?, "toolCalls"?: [{"name","input"}], "usage"?}`. Throws `ScriptProblem`. */
export function parseScript(text: string): readonly ScriptedReply[] {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new ScriptProblem(`it is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!Array.isArray(value)) throw new ScriptProblem(`expected a JSON array of replies, found ${describe(value)}`);
  return value.map((reply: unknown, index) => parseReply(reply, `reply ${index}`));
}

const REPLY_KEYS = ['text', 'toolCalls', 'usage'];

function parseReply(value: unknown, where: string): ScriptedReply {
  const reply = expectObject(value, where);
  refuseNearMisses(reply, REPLY_KEYS, where);
  const { text, toolCalls = [], usage = {} } = reply;
  if (text !== undefined && typeof text !== 'string') {
    throw new ScriptProblem(`${where}, text: expected a string, found ${describe(text)}`);
  }
  if (!Array.isArray(toolCalls)) {
    throw new ScriptProblem(`${where}, toolCalls: expected an array, found ${describe(toolCalls)}`);
  }
  return {
    ...(text === undefined ? {} : { text }),
    toolCalls: toolCalls.map((call: unknown, index) => parseCall(call, `${where}, toolCalls[${index}]`)),
    usage: parseUsage(usage, `${where}, usage`),
  };
}

function parseCall(value: unknown, where: string): ScriptedCall {
  const call = expectObject(value, where);
  refuseNearMisses(call, ['name', 'input'], where);
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
  refuseNearMisses(usage, USAGE_KEYS, where);
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

/** Other keys are left alone, but `tool_calls` for `toolCalls` would silently end the turn. */
function refuseNearMisses(object: Record<string, unknown>, known: readonly string[], where: string): void {
  const plain = (key: string) => key.toLowerCase().replaceAll(/[_-]/g, '');
  for (const key of Object.keys(object)) {
    if (known.includes(key)) continue;
    const meant = known.find((candidate) => plain(candidate) === plain(key));
    if (meant !== undefined)
      throw new ScriptProblem(`${where}: unknown key ${JSON.stringify(key)}, did you mean "${meant}"?`);
  }
}

function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  const text = JSON.stringify(value);
  return text.length <= 40 ? text : `${typeof value} ${text.slice(0, 40).toWellFormed()}...`;
}
