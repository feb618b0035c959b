/** How much work it is to look at all of a value: what is met twice counts twice, and is measured once. */
import { sourceOfValue } from './values.ts';

/** Characters that count as one item. */
const CHARACTERS = 10;
/** Deeper values are refused where they are looked at. */
const DEPTH_LIMIT = 200;

const known = new WeakMap<object, number>();

/** Items of a value as an expression has it, those of what lies in it included. */
export function sizeOf(value: unknown, depth = 0): number {
  if (typeof value === 'string') return 1 + Math.floor(value.length / CHARACTERS);
  if (typeof value !== 'object' || value === null || depth > DEPTH_LIMIT) return 1;
  const source = sourceOfValue(value) ?? value;
  const before = known.get(source);
  if (before !== undefined) return before;
  const parts: readonly unknown[] = Array.isArray(source) ? source : Object.values(source);
  const size = parts.reduce<number>((sum, part) => sum + sizeOf(part, depth + 1), 1);
  known.set(source, size);
  return size;
}

/** Items of a list or object, or what the characters of a text count as; what lies in them is not looked at. */
export function lengthOf(value: unknown): number {
  if (typeof value === 'string') return 1 + Math.floor(value.length / CHARACTERS);
  if (Array.isArray(value)) return value.length;
  return value instanceof Map ? value.size : 1;
}
