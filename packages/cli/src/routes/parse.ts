/** Parsers of flag values; what they throw is the one line a person reads. */
import { parseBytes, TITLE_LIMIT } from '@ramet/core/text';
import type { Label, NodeOutput } from '../flags.ts';

/** An offset or another count from 0. */
export function parseOffset(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new SyntaxError(`expected a whole number, found '${text}'`);
  return Number(text);
}

/** A count from 1. */
export function parseCount(text: string): number {
  const count = parseOffset(text);
  if (count < 1) throw new SyntaxError('expected a number from 1');
  return count;
}

/** A port to listen on; 0 is any free one. */
export function parsePort(text: string): number {
  const port = parseOffset(text);
  if (port > 65_535) throw new SyntaxError(`expected a port up to 65535, found '${text}'`);
  return port;
}

/** An amount of money or of days: positive, with or without a fraction. */
export function parseAmount(text: string): number {
  const amount = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || !(amount > 0)) throw new SyntaxError(`expected a number above 0, found '${text}'`);
  return amount;
}

/** Seconds of a time such as `600`, `90s`, `10m` or `1h`. */
export function parseSeconds(text: string): number {
  const [, amount = '', unit = 's'] = /^(\d+(?:\.\d+)?)([smh]?)$/.exec(text) ?? [];
  const seconds = Number(amount) * (SECONDS[unit] ?? 1);
  if (!(seconds > 0)) throw new SyntaxError(`expected seconds or a time such as 10m or 1h, found '${text}'`);
  return seconds;
}

const SECONDS: Readonly<Record<string, number>> = { m: 60, h: 3600 };

/** A size such as `500M` or `2GiB`. */
export function parseSize(text: string): number {
  const bytes = parseBytes(text);
  if (bytes === null) throw new SyntaxError(`expected a size such as 500M or 2GiB, found '${text}'`);
  return bytes;
}

/** Any text but none. */
export function parseText(text: string): string {
  if (text.trim() === '') throw new SyntaxError('expected a text');
  return text;
}

/** A title, without the blanks around it. */
export function parseTitle(text: string): string {
  const title = text.trim();
  if (title === '') throw new SyntaxError('expected a text');
  if (title.length <= TITLE_LIMIT) return title;
  throw new SyntaxError(`expected at most ${TITLE_LIMIT} characters, found ${title.length}`);
}

/** A label: `key=value`. */
export function parseLabel(text: string): Label {
  const [, key] = /^([A-Za-z0-9_.-]{1,64})=/.exec(text) ?? [];
  if (key === undefined) throw new SyntaxError(`expected <key>=<value>, found '${text}'`);
  return { key, value: text.slice(key.length + 1) };
}

/** An output to put in the place of a recorded one: `node=json`. */
export function parseNodeOutput(text: string): NodeOutput {
  const equals = text.indexOf('=');
  if (equals < 1) throw new SyntaxError(`expected <node>=<json>, found '${text}'`);
  return { node: text.slice(0, equals), json: text.slice(equals + 1) };
}

/** Offsets of writes, with commas between them, or `all`. */
export function parseWrites(text: string): 'all' | readonly number[] {
  if (text === 'all') return 'all';
  if (!/^\d{1,15}(,\d{1,15})*$/.test(text)) {
    throw new SyntaxError(`expected offsets with commas between them, or all, found '${text}'`);
  }
  return text.split(',').map(Number);
}
