/**
 * A set of names in 2048 bits that may answer yes for a name that was never put in, and never no for one that was
 * (a Bloom filter): it says which segments need not be read to find a node.
 */
const BITS = 2048;
const DIGITS = BITS / 4;
const PROBES = 3;

/** The filter of these names, in hex. */
export function makeNameFilter(names: Iterable<string>): string {
  const digits = new Uint8Array(DIGITS);
  for (const name of names) {
    for (const bit of probesOf(name)) digits[bit >>> 2] = (digits[bit >>> 2] ?? 0) | (1 << (bit & 3));
  }
  return Array.from(digits, (digit) => digit.toString(16)).join('');
}

/** Whether a name may have been put in. What is no filter of ours excludes nothing. */
export function mayName(filter: string, name: string): boolean {
  if (filter.length !== DIGITS) return true;
  return probesOf(name).every((bit) => (Number.parseInt(filter.charAt(bit >>> 2), 16) & (1 << (bit & 3))) !== 0);
}

/** Two hashes make all probes (Kirsch and Mitzenmacher, "Less Hashing, Same Performance", 2006). */
function probesOf(name: string): readonly number[] {
  const first = hash(name, 0x811c9dc5);
  const step = hash(name, 0x9747b28c) | 1;
  return Array.from({ length: PROBES }, (_, index) => ((first + index * step) >>> 0) % BITS);
}

/** FNV-1a over UTF-16 code units, with the bits mixed at the end. */
function hash(text: string, seed: number): number {
  let value = seed;
  for (let index = 0; index < text.length; index += 1) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  value = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d);
  return (value ^ (value >>> 13)) >>> 0;
}
