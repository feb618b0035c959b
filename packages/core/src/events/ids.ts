declare const brand: unique symbol;

/** A run's id: a UUIDv7 in lower case. */
export type RunId = string & { readonly [brand]: 'RunId' };

/** A SHA-256 in lower-case hex. */
export type Digest = string & { readonly [brand]: 'Digest' };

const RUN_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const DIGEST = /^[0-9a-f]{64}$/;

/** `prev` of event 0. */
export const ZERO_DIGEST = '0'.repeat(64) as Digest;

/** The run id a text is, or null. Upper case is not accepted: one run has one spelling. */
export function parseRunId(text: unknown): RunId | null {
  return typeof text === 'string' && RUN_ID.test(text) ? (text as RunId) : null;
}

/** The digest a text is, or null. */
export function parseDigest(text: unknown): Digest | null {
  return typeof text === 'string' && DIGEST.test(text) ? (text as Digest) : null;
}

/**
 * Makes a UUIDv7 (RFC 9562, section 5.7) from a time and 10 random bytes.
 * @param timeMs Unix time in milliseconds.
 * @param random At least 10 bytes.
 */
export function makeRunId(timeMs: number, random: Uint8Array): RunId {
  const time = Math.floor(timeMs).toString(16).padStart(12, '0');
  const byte = (index: number): number => random[index] ?? 0;
  const versioned = [0x70 | (byte(0) & 0x0f), byte(1), 0x80 | (byte(2) & 0x3f), ...random.slice(3, 10)];
  const tail = versioned.map((value) => value.toString(16).padStart(2, '0')).join('');
  return `${time.slice(0, 8)}-${time.slice(8)}-${tail.slice(0, 4)}-${tail.slice(4, 8)}-${tail.slice(8)}` as RunId;
}

/** The SHA-256 of UTF-8 text or bytes, in lower-case hex; passed in because core has no crypto of its own. */
export type Sha256 = (data: string | Uint8Array) => Digest;
