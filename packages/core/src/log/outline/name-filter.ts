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
    const { first, step } = hashesOf(name);
    for (let probe = 0; probe < PROBES; probe += 1) {
      const bit = bitAt(first, step, probe);
      digits[bit >>> 2] = (digits[bit >>> 2] ?? 0) | (1 << (bit & 3));
    }
  }
  return Array.from(digits, (digit) => digit.toString(16)).join('');
}

/** Whether a name may have been put in. What is no filter of ours excludes nothing. */
export function mayName(filter: string, name: string): boolean {
  if (filter.length !== DIGITS) return true;
  const { first, step } = hashesOf(name);
  for (let probe = 0; probe < PROBES; probe += 1) {
    const bit = bitAt(first, step, probe);
    if ((Number.parseInt(filter.charAt(bit >>> 2), 16) & (1 << (bit & 3))) === 0) return false;
  }
  return true;
}

/** Two hashes make all probes (Kirsch and Mitzenmacher, "Less Hashing, Same Performance", 2006). */
function hashesOf(name: string): { readonly first: number; readonly step: number } {
  return { first: hash(name, 0x811c9dc5), step: hash(name, 0x9747b28c) | 1 };
}

function bitAt(first: number, step: number, probe: number): number {
  return ((first + probe * step) >>> 0) % BITS;
}

/** FNV-1a over UTF-16 code units, with the bits mixed at the end. */
function hash(text: string, seed: number): number {
  let value = seed;
  for (let index = 0; index < text.length; index += 1) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  value = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d);
  return (value ^ (value >>> 13)) >>> 0;
}
