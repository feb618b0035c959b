/** Compressed bitmaps of git's index extensions. Format: gitformat-bitmap(5), appendix A. */

/** More entries than any index has; a run of this length takes no time and memory worth naming. */
const MOST_BITS = 1 << 20;

/** The positions of the bits that are set, and where the bitmap ends. Throws a RangeError when it does not. */
export function parseEwah(bytes: Buffer, at: number): { bits: Set<number>; next: number } {
  const bitCount = bytes.readUInt32BE(at);
  const wordCount = bytes.readUInt32BE(at + 4);
  const start = at + 8;
  const next = start + wordCount * 8 + 4;
  if (bitCount > MOST_BITS || next > bytes.length) throw new RangeError('a bitmap does not end');
  const bits = new Set<number>();
  let position = 0;
  const add = (bit: number) => {
    if (bit < bitCount) bits.add(bit);
  };
  for (let word = 0; word < wordCount; ) {
    const marker = bytes.readBigUInt64BE(start + word * 8);
    word += 1;
    const runBits = Number((marker >> 1n) & 0xffffffffn) * 64;
    if ((marker & 1n) === 1n) {
      for (let bit = position; bit < Math.min(position + runBits, bitCount); bit += 1) add(bit);
    }
    position += runBits;
    const literals = Number(marker >> 33n);
    for (let literal = 0; literal < literals; literal += 1, word += 1, position += 64) {
      const value = bytes.readBigUInt64BE(start + word * 8);
      for (let bit = 0; bit < 64; bit += 1) if ((value >> BigInt(bit)) & 1n) add(position + bit);
    }
  }
  return { bits, next };
}
