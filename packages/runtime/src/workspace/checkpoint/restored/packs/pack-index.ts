/** Finds objects in the index of a pack, version 2 (gitformat-pack(5)). Knows bytes alone. */

const MAGIC = 0xff744f63;
const FANOUT_AT = 8;
const NAMES_AT = FANOUT_AT + 256 * 4;
const CRC_BYTES = 4;
const OFFSET_BYTES = 4;
/** In an offset: it names a place in the table of large ones. */
const LARGE = 0x80000000;

/** Whether bytes are an index that `findInIndex` understands. */
export function isPackIndex(index: Buffer): boolean {
  return index.length >= NAMES_AT && index.readUInt32BE(0) === MAGIC && index.readUInt32BE(4) === 2;
}

/** Where in its pack an object begins; null where the index does not name it. */
export function findInIndex(index: Buffer, oid: Buffer): number | null {
  const first = oid[0] ?? 0;
  let from = first === 0 ? 0 : index.readUInt32BE(FANOUT_AT + (first - 1) * 4);
  let to = index.readUInt32BE(FANOUT_AT + first * 4);
  // All in this range begin with the same byte; the four after it nearly always decide, and cost less to compare.
  const next = oid.readUInt32BE(1);
  while (from < to) {
    const middle = (from + to) >>> 1;
    const at = NAMES_AT + middle * oid.length;
    const there = index.readUInt32BE(at + 1);
    const order = there === next ? index.compare(oid, 0, oid.length, at, at + oid.length) : there - next;
    if (order === 0) return readOffset(index, oid.length, middle);
    if (order < 0) from = middle + 1;
    else to = middle;
  }
  return null;
}

function readOffset(index: Buffer, rawLength: number, position: number): number {
  const count = index.readUInt32BE(NAMES_AT - 4);
  const offsetsAt = NAMES_AT + count * (rawLength + CRC_BYTES);
  const offset = index.readUInt32BE(offsetsAt + position * OFFSET_BYTES);
  if (offset < LARGE) return offset;
  return Number(index.readBigUInt64BE(offsetsAt + count * OFFSET_BYTES + (offset - LARGE) * 8));
}
