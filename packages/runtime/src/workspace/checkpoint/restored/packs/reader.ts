/**
 * Reads small blobs and types from the packs of our repositories, without git: a process costs more than the reading.
 * Runs in threads too.
 *
 * 1. Answers null for whatever it does not know, cannot find or finds damaged: the caller then asks git.
 * 2. What it answers is not checked: the caller compares the content with the id.
 * 3. Its memory has a bound, whatever a pack holds: one window, what is kept, and the deltas of one object.
 */
import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { applyDelta } from './delta.ts';
import { ENTRY_HEAD_BYTES, parseEntry } from './entry.ts';
import { findInIndex, isPackIndex } from './pack-index.ts';

/** Larger indexes are left to git, which need not read all of one. */
const LARGEST_INDEX_BYTES = 64 * 1024 * 1024;
/** Read at a time: neighbours in a folder are mostly neighbours in a pack. */
const WINDOW_BYTES = 64 * 1024;
/** Of objects that others may be deltas of, kept between reads. */
const KEPT_BYTES = 16 * 1024 * 1024;
/** Of the deltas one object is made of; they are held until their base is found. */
const HELD_BYTES = 16 * 1024 * 1024;
/** git's own depth; an object behind a longer chain is left to git. */
const LONGEST_CHAIN = 50;
/** To learn a type, only the heads of a chain are read. */
const LONGEST_TYPE_CHAIN = 4096;
const BLOB = 3;
/** By number. */
const TYPES = [undefined, 'commit', 'tree', 'blob', 'tag'] as const;
type PackedType = NonNullable<(typeof TYPES)[number]>;
const INDEX_END = '.idx';

interface Pack {
  readonly index: Buffer;
  readonly path: string;
  /** Null until something is read. */
  descriptor: number | null;
  /** Whole objects by their place. */
  readonly kept: Map<number, Buffer>;
}

/** The packs of some repositories. */
export class PackReader {
  /** Whether every pack that is there can be looked into. */
  readonly complete: boolean;
  readonly #packs: Pack[] = [];
  readonly #largestBytes: number;
  readonly #window = Buffer.allocUnsafeSlow(WINDOW_BYTES);
  #windowOf: { readonly pack: Pack; readonly at: number; readonly length: number } | null = null;
  #keptBytes = 0;

  /** `folders` hold packs; objects of more than `largestBytes` are not read. */
  constructor(folders: readonly string[], largestBytes: number) {
    this.#largestBytes = largestBytes;
    const names = folders.flatMap((folder) => listIndexes(folder).map((name) => join(folder, name)));
    for (const name of names) {
      const index = readIndex(name);
      const path = `${name.slice(0, -INDEX_END.length)}.pack`;
      if (index !== null) this.#packs.push({ index, path, descriptor: null, kept: new Map() });
    }
    this.complete = this.#packs.length === names.length;
  }

  /** The bytes of a blob, or null. */
  readBlob(oid: string): Buffer | null {
    const name = Buffer.from(oid, 'hex');
    try {
      for (const [position, pack] of this.#packs.entries()) {
        const at = findInIndex(pack.index, name);
        if (at === null) continue;
        // The next one is most likely in the same pack.
        if (position > 0) this.#packs.unshift(...this.#packs.splice(position, 1));
        return this.#readAt(pack, at, name.length);
      }
    } catch {
      // Damaged, or gone: git says it better.
    }
    return null;
  }

  /** Whether a pack that is there names the object in its index. */
  has(oid: string): boolean {
    const name = Buffer.from(oid, 'hex');
    try {
      for (const pack of this.#packs) if (findInIndex(pack.index, name) !== null) return isThere(pack);
    } catch {
      // As above.
    }
    return false;
  }

  /** The type of an object, or null. */
  readType(oid: string): PackedType | null {
    const name = Buffer.from(oid, 'hex');
    try {
      for (const pack of this.#packs) {
        const at = findInIndex(pack.index, name);
        if (at !== null) return this.#typeAt(pack, at, name.length);
      }
    } catch {
      // Damaged, or gone: git says it better.
    }
    return null;
  }

  /** Closes what was opened; nothing can be read after it. */
  close(): void {
    for (const { descriptor } of this.#packs) if (descriptor !== null) closeSync(descriptor);
    this.#packs.length = 0;
  }

  #readAt(pack: Pack, start: number, rawLength: number): Buffer | null {
    const deltas: { readonly at: number; readonly delta: Buffer }[] = [];
    let held = 0;
    let at = start;
    let content = pack.kept.get(at);
    while (content === undefined) {
      const entry = parseEntry(this.#readBytes(pack, at, ENTRY_HEAD_BYTES), at, rawLength);
      if (entry.size > this.#largestBytes) return null;
      const base =
        typeof entry.base === 'object' && entry.base !== null ? findInIndex(pack.index, entry.base) : entry.base;
      if (base === null && entry.type !== BLOB) return null;
      const bytes = inflateEntry(this.#readBytes(pack, entry.dataAt, longestDeflated(entry.size)), entry.size);
      if (base === null) {
        content = bytes;
        this.#keep(pack, at, bytes);
      } else {
        deltas.push({ at, delta: bytes });
        held += bytes.length;
        if (deltas.length > LONGEST_CHAIN || held > HELD_BYTES) return null;
        at = base;
        content = pack.kept.get(at);
      }
    }
    for (const delta of deltas.reverse()) {
      content = applyDelta(content, delta.delta, this.#largestBytes);
      this.#keep(pack, delta.at, content);
    }
    return content;
  }

  #typeAt(pack: Pack, start: number, rawLength: number): PackedType | null {
    let at: number | null = start;
    for (let step = 0; at !== null && step <= LONGEST_TYPE_CHAIN; step += 1) {
      const { type, base } = parseEntry(this.#readBytes(pack, at, ENTRY_HEAD_BYTES), at, rawLength);
      if (base === null) return TYPES[type] ?? null;
      at = typeof base === 'number' ? base : findInIndex(pack.index, base);
    }
    return null;
  }

  /** Bytes of a pack, fewer at its end; valid until the next call. */
  #readBytes(pack: Pack, at: number, length: number): Buffer {
    pack.descriptor ??= openSync(pack.path, 'r');
    if (length > WINDOW_BYTES) {
      const bytes = Buffer.allocUnsafe(length);
      return bytes.subarray(0, readSync(pack.descriptor, bytes, 0, length, at));
    }
    let window = this.#windowOf;
    if (window === null || window.pack !== pack || at < window.at || at + length > window.at + window.length) {
      this.#windowOf = null;
      window = { pack, at, length: readSync(pack.descriptor, this.#window, 0, WINDOW_BYTES, at) };
      this.#windowOf = window;
    }
    const from = at - window.at;
    return this.#window.subarray(from, Math.min(from + length, window.length));
  }

  #keep(pack: Pack, at: number, bytes: Buffer): void {
    if (this.#keptBytes + bytes.length > KEPT_BYTES) {
      for (const { kept } of this.#packs) kept.clear();
      this.#keptBytes = 0;
    }
    pack.kept.set(at, bytes);
    this.#keptBytes += bytes.length;
  }
}

function isThere(pack: Pack): boolean {
  try {
    pack.descriptor ??= openSync(pack.path, 'r');
    return true;
  } catch {
    return false;
  }
}

function listIndexes(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(INDEX_END));
  } catch {
    return [];
  }
}

function readIndex(path: string): Buffer | null {
  try {
    if (statSync(path).size > LARGEST_INDEX_BYTES) return null;
    const index = readFileSync(path);
    return isPackIndex(index) ? index : null;
  } catch {
    return null;
  }
}

/** What zlib makes of bytes it cannot compress is this long at most. */
function longestDeflated(size: number): number {
  return size + (size >> 9) + 64;
}

/** What follows the compressed bytes is not looked at. */
function inflateEntry(compressed: Buffer, size: number): Buffer {
  const bytes = inflateSync(compressed, { maxOutputLength: Math.max(size, 1), chunkSize: Math.max(size, 64) });
  if (bytes.length !== size) throw new Error('an entry of a pack has another size than its header says');
  return bytes;
}
