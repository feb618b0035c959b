/** Parses the head of an entry of a pack (gitformat-pack(5)). */

export interface PackEntry {
  readonly type: number;
  /** Of the object, or of the delta. */
  readonly size: number;
  /** The object a delta is of: where it begins in the same pack, or its raw id. */
  readonly base: number | Buffer | null;
  /** Where the compressed bytes begin. */
  readonly dataAt: number;
}

/** Enough for any head. */
export const ENTRY_HEAD_BYTES = 64;

const OFFSET_DELTA = 6;
const REFERENCE_DELTA = 7;

/** Parses the head of the entry at `at`; `rawLength` is that of an id. */
export function parseEntry(head: Buffer, at: number, rawLength: number): PackEntry {
  let byte = head[0] ?? 0;
  const type = (byte >> 4) & 7;
  let size = byte & 15;
  let next = 1;
  for (let scale = 16; byte >= 0x80; scale *= 128) {
    byte = head[next] ?? 0;
    next += 1;
    size += (byte & 0x7f) * scale;
  }
  if (type === REFERENCE_DELTA) {
    const base = Buffer.from(head.subarray(next, next + rawLength));
    return { type, size, base, dataAt: at + next + rawLength };
  }
  if (type !== OFFSET_DELTA) return { type, size, base: null, dataAt: at + next };
  const { distance, end } = parseDistance(head, next);
  return { type, size, base: at - distance, dataAt: at + end };
}

/** Groups of seven bits, the highest first; each but the last counts one more, so that no number has two forms. */
function parseDistance(head: Buffer, start: number): { distance: number; end: number } {
  let byte = head[start] ?? 0;
  let end = start + 1;
  let distance = byte & 0x7f;
  while (byte >= 0x80) {
    byte = head[end] ?? 0;
    end += 1;
    distance = (distance + 1) * 128 + (byte & 0x7f);
  }
  return { distance, end };
}
