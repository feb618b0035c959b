/**
 * How values get into a line and back: well-formed text, payloads kept outside, and reserved keys (docs/log-format.md,
 * "Values").
 *
 * 1. Every string in an encoded value is well-formed Unicode.
 * 2. An encoded value has an object with a key `$blob`, `$base64` or `$literal` only where this file put it.
 * 3. `decodeValue(encodeValue(x))` equals `x` up to (1).
 */
import { Failure } from '../codes/index.ts';
import { type Digest, parseDigest, type Sha256 } from '../events/index.ts';
import { base64Of, bytesOfBase64, utf8Bytes, utf8Text } from '../text/bytes.ts';

/** Strings and bytes above this many bytes leave the line (256 KiB). */
export const PAYLOAD_LIMIT_BYTES = 256 * 1024;

/** Deeper values are refused by the writer. */
const MAX_DEPTH = 200;

/** Readers go no deeper than this, so that recursion survives every log; they may be given what holds a value. */
const MAX_READ_DEPTH = MAX_DEPTH + 10;

const RESERVED = ['$blob', '$base64', '$literal'] as const;

/** A payload that leaves the line; stored as `blobs/<digest>`. */
export interface Payload {
  readonly digest: Digest;
  readonly bytes: Uint8Array;
}

/** What stands in a line for a payload. */
export interface PayloadReference {
  readonly $blob: Digest;
  readonly bytes: number;
  readonly encoding: PayloadEncoding;
}

/** `json`: a whole value, as the JSON a line would hold, with nothing moved out of it. */
export type PayloadEncoding = 'utf8' | 'binary' | 'json';

export interface EncodedValue {
  readonly value: unknown;
  readonly payloads: readonly Payload[];
}

export interface EncodeOptions {
  readonly sha256: Sha256;
  readonly limitBytes?: number;
}

/** Turns any JSON-like value (and `Uint8Array`s in it) into what a line may hold, and the payloads it refers to. */
export function encodeValue(value: unknown, options: EncodeOptions): EncodedValue {
  const payloads: Payload[] = [];
  const limit = options.limitBytes ?? PAYLOAD_LIMIT_BYTES;
  const moveOut = (bytes: Uint8Array, encoding: 'utf8' | 'binary'): PayloadReference => {
    const digest = options.sha256(bytes);
    payloads.push({ digest, bytes });
    return { $blob: digest, bytes: bytes.length, encoding };
  };
  const encode = (item: unknown, depth: number): unknown => {
    if (depth > MAX_DEPTH) throw new Failure('event_too_large', `a value nests deeper than ${MAX_DEPTH} levels`);
    if (typeof item === 'string') return encodeText(item, limit, moveOut);
    if (typeof item !== 'object' || item === null) return item;
    if (item instanceof Uint8Array) {
      return item.length > limit ? moveOut(item, 'binary') : { $base64: base64Of(item) };
    }
    if (Array.isArray(item)) return item.map((entry) => encode(entry, depth + 1));
    const entries = Object.entries(item).map(([key, entry]) => [key.toWellFormed(), encode(entry, depth + 1)] as const);
    const object = Object.fromEntries(entries);
    return hasReservedKey(item) ? { $literal: object } : object;
  };
  return { value: encode(value, 0), payloads };
}

/** Moves a whole value out of its line: what is long because it has many parts, none of them long. */
export function encodeWhole(value: unknown, sha256: Sha256): EncodedValue {
  const encoded = encodeValue(value, { sha256, limitBytes: Number.POSITIVE_INFINITY });
  const bytes = utf8Bytes(JSON.stringify(encoded.value));
  const digest = sha256(bytes);
  const reference: PayloadReference = { $blob: digest, bytes: bytes.length, encoding: 'json' };
  return { value: reference, payloads: [{ digest, bytes }] };
}

/**
 * Turns an encoded value back; `readPayload` gives a payload's bytes, or null when it is missing. What lies deeper than
 * the format allows is replaced by a sentence that says so.
 */
export function decodeValue(value: unknown, readPayload: (digest: Digest) => Uint8Array | null): unknown {
  let isWhole = false;
  const decode = (item: unknown, depth: number): unknown => {
    if (depth > MAX_READ_DEPTH) return `[a value deeper than ${MAX_DEPTH} levels is left out]`;
    if (typeof item !== 'object' || item === null) return item;
    if (Array.isArray(item)) return item.map((entry) => decode(entry, depth + 1));
    const record = item as Readonly<Record<string, unknown>>;
    if (isObject(record.$literal)) return decodeFields(record.$literal, depth);
    if (typeof record.$base64 === 'string') return bytesOfBase64(record.$base64);
    if (isPayloadReference(record)) return decodeReference(record, depth);
    return decodeFields(record, depth);
  };
  const decodeReference = (reference: PayloadReference, depth: number): unknown => {
    // The writer never does this; payloads that name each other could unfold without end.
    if (isWhole) return `[payload ${reference.$blob} within another payload is left out]`;
    const bytes = readPayload(reference.$blob);
    if (reference.encoding !== 'json' || bytes === null) return decodePayload(reference, bytes);
    const parsed = parseWhole(bytes);
    if (parsed === undefined) return `[payload ${reference.$blob} is not JSON]`;
    isWhole = true;
    const value = decode(parsed, depth);
    isWhole = false;
    return value;
  };
  const decodeFields = (object: object, depth: number): unknown =>
    Object.fromEntries(Object.entries(object).map(([key, entry]) => [key, decode(entry, depth + 1)]));
  return decode(value, 0);
}

/** Whether a line may name a payload, by its text: the key is written as it is, or with escapes. */
export function mayNamePayload(text: string): boolean {
  return text.includes('$blob') || text.includes('\\u');
}

/** Every payload the fields of an event refer to, in order, repeats included; the event itself is no reserved object. */
export function payloadsIn(event: object): readonly PayloadReference[] {
  const found: PayloadReference[] = [];
  collectFields(event, 0, found);
  return found;
}

function collectPayloads(item: unknown, depth: number, found: PayloadReference[]): void {
  if (typeof item !== 'object' || item === null || depth > MAX_READ_DEPTH) return;
  const literal = (item as { readonly $literal?: unknown }).$literal;
  if (isObject(literal)) collectFields(literal, depth, found);
  else if (isPayloadReference(item)) found.push(item);
  else collectFields(item, depth, found);
}

function collectFields(object: object, depth: number, found: PayloadReference[]): void {
  const fields = object as Readonly<Record<string, unknown>>;
  // Keys, not values: an object's keys are cached with its shape, and every line of every log passes here.
  for (const key of Object.keys(fields)) collectPayloads(fields[key], depth + 1, found);
}

/** Whether an object in a line stands for a payload. A name that is no digest never leads to a file. */
function isPayloadReference(value: object): value is PayloadReference {
  return Object.hasOwn(value, '$blob') && parseDigest((value as { $blob?: unknown }).$blob) !== null;
}

function encodeText(
  text: string,
  limit: number,
  moveOut: (bytes: Uint8Array, encoding: 'utf8') => PayloadReference,
): unknown {
  const wellFormed = text.toWellFormed();
  if (wellFormed.length * 3 <= limit) return wellFormed;
  const bytes = utf8Bytes(wellFormed);
  return bytes.length > limit ? moveOut(bytes, 'utf8') : wellFormed;
}

function decodePayload(reference: PayloadReference, bytes: Uint8Array | null): unknown {
  if (bytes === null) return `[payload ${reference.$blob} of ${reference.bytes} bytes is missing]`;
  return reference.encoding === 'utf8' ? utf8Text(bytes) : bytes;
}

/** Undefined where it is no JSON. */
function parseWhole(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8Text(bytes));
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function hasReservedKey(object: object): boolean {
  return RESERVED.some((key) => Object.hasOwn(object, key));
}
