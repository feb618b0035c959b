/** Parsers of flag values; what they throw is the one line a person reads. */
import { parseBytes } from '@ramet/core/text';

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

/** An amount of money or of seconds: positive, with or without a fraction. */
export function parseAmount(text: string): number {
  const amount = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || !(amount > 0)) throw new SyntaxError(`expected a number above 0, found '${text}'`);
  return amount;
}

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
