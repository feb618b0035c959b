/**
 * One event, one line (docs/log-format.md, "Lines").
 *
 * 1. A line is UTF-8 JSON without a newline in it; the writer puts `seq, prev, time, type` first.
 * 2. A line is at most 1 MiB; larger strings leave it as payloads, the largest first, and then whole values that have
 *    many parts. An event's own texts (ids, names, keys) stay while they are shorter than a payload.
 * 3. A parsed line is never written again: what is copied is bytes.
 */
import { Failure, invariant } from '../codes/index.ts';
import {
  type Digest,
  type EventDraft,
  type LoggedEvent,
  parseDigest,
  problemsOf,
  type Sha256,
} from '../events/index.ts';
import { utf8Bytes } from '../text/bytes.ts';
import {
  type EncodedValue,
  type EncodeOptions,
  encodeValue,
  encodeWhole,
  PAYLOAD_LIMIT_BYTES,
  type Payload,
} from './payload.ts';

/** Most bytes of a line, newline not counted (1 MiB). */
export const LINE_LIMIT_BYTES = 1024 * 1024;

/** When a line is too long although no string in it is, shorter and shorter strings leave it. */
const LIMITS = [PAYLOAD_LIMIT_BYTES, 32 * 1024, 4 * 1024, 512];

/** In the last try, values above this many bytes leave the line whole. */
const WHOLE_LIMIT_BYTES = 4 * 1024;

export interface EncodedLine {
  /** The line's bytes, without the newline. */
  readonly bytes: Uint8Array;
  readonly digest: Digest;
  readonly event: LoggedEvent;
  readonly payloads: readonly Payload[];
}

export interface EnvelopeInput {
  readonly seq: number;
  readonly prev: Digest;
  readonly time: string;
}

/** Encodes one event; throws `event_too_large` when it cannot fit. */
export function encodeLine(envelope: EnvelopeInput, draft: EventDraft, sha256: Sha256): EncodedLine {
  const problems = problemsOf(draft);
  invariant(problems.length === 0, `${draft.type} is written without ${problems.join(', ')}`);
  const { seq, prev, time } = envelope;
  const { type, ...body } = draft;
  const tries = [...LIMITS.map((limitBytes) => ({ limitBytes })), { wholeBytes: WHOLE_LIMIT_BYTES }];
  for (const limits of tries) {
    const { value, payloads } = encodeBody(body, { sha256, ...limits });
    const event = { seq, prev, time, type, ...value } as LoggedEvent;
    const bytes = utf8Bytes(JSON.stringify(event));
    // What nothing was moved out of has the fields it had.
    const left = payloads.length === 0 ? [] : problemsOf(event);
    if (left.length > 0)
      throw new Failure('event_too_large', `${type} at offset ${seq} has too long a ${left.join(', ')}`);
    if (bytes.length <= LINE_LIMIT_BYTES) return { bytes, digest: sha256(bytes), event, payloads };
  }
  throw new Failure('event_too_large', `${type} at offset ${seq} does not fit in a line of 1 MiB`);
}

/**
 * The event a line holds, or what is wrong with it as a sentence. `expected` is the `prev` it is likely to have: that one
 * need not be looked at again.
 */
export function parseLine(text: string, expected?: Digest): LoggedEvent | string {
  let event: unknown;
  try {
    event = JSON.parse(text);
  } catch {
    return 'not JSON';
  }
  if (typeof event !== 'object' || event === null || Array.isArray(event)) return 'not a JSON object';
  const { seq, prev, time, type } = event as Readonly<Record<string, unknown>>;
  if (!Number.isSafeInteger(seq) || (seq as number) < 0) return 'no offset in "seq"';
  if (prev !== expected && parseDigest(prev) === null) return 'no digest in "prev"';
  if (typeof time !== 'string') return 'no text in "time"';
  if (typeof type !== 'string') return 'no text in "type"';
  return event as LoggedEvent;
}

/** Encodes the fields of an event one by one, so that the event itself is never taken for a reserved object. */
function encodeBody(
  body: Readonly<Record<string, unknown>>,
  options: EncodeOptions & { readonly wholeBytes?: number },
): { value: Readonly<Record<string, unknown>>; payloads: Payload[] } {
  const payloads: Payload[] = [];
  const fields = Object.entries(body).flatMap(([name, field]) => {
    if (field === undefined) return [];
    const encoded = encodeField(field, options);
    payloads.push(...encoded.payloads);
    return [[name, encoded.value] as const];
  });
  return { value: Object.fromEntries(fields), payloads };
}

const NO_PAYLOADS: EncodedValue['payloads'] = [];

function encodeField(field: unknown, options: EncodeOptions & { readonly wholeBytes?: number }): EncodedValue {
  if (isWrittenAsItIs(field)) return { value: field, payloads: NO_PAYLOADS };
  const { sha256, wholeBytes } = options;
  const encoded = encodeValue(field, typeof field === 'string' ? { sha256 } : options);
  if (wholeBytes === undefined || typeof field === 'string') return encoded;
  return JSON.stringify(encoded.value).length > wholeBytes ? encodeWhole(field, sha256) : encoded;
}

/** Most fields of most events are such: ids, keys, counts, flags. */
function isWrittenAsItIs(field: unknown): boolean {
  if (typeof field === 'string') return field.length * 3 <= PAYLOAD_LIMIT_BYTES && field.isWellFormed();
  return typeof field !== 'object' || field === null;
}
