/** The objects a checkpoint consists of, and which of them may be new to the store. */
import { hashObject, type ObjectFormat, type ObjectType } from './objects/format.ts';
import type { ObjectSource, PackObject } from './objects/pack.ts';
import type { SmallObject } from './objects/small-pack.ts';

/** Collects objects by id, each once. */
export class NewObjects {
  /** Those that may be new. */
  readonly candidates = new Map<string, PackObject>();
  /** Ids of those that were made here: the manifest, the trees that are not of files, the commit. */
  readonly made: string[] = [];
  readonly #format: ObjectFormat;
  readonly #stored: ReadonlySet<string>;
  #bytes = 0;

  /** `stored` are ids the store is known to have. */
  constructor(format: ObjectFormat, stored: ReadonlySet<string>) {
    this.#format = format;
    this.#stored = stored;
  }

  /** Whether an object is stored or among the candidates. */
  has(oid: string): boolean {
    return this.#stored.has(oid) || this.candidates.has(oid);
  }

  add(oid: string, type: ObjectType, source: ObjectSource): void {
    if (this.has(oid)) return;
    this.candidates.set(oid, { oid, type, source });
    this.#bytes += source.kind === 'bytes' ? source.bytes.length : source.entry.size;
  }

  /** Adds an object made by us; returns its id. */
  make(type: ObjectType, bytes: Uint8Array): string {
    const oid = hashObject(this.#format, type, bytes);
    this.made.push(oid);
    this.add(oid, type, { kind: 'bytes', bytes });
    return oid;
  }

  /** All candidates, while each one's bytes are in memory and they are few; else null. */
  listSmall(): SmallObject[] | null {
    if (!this.isSmall()) return null;
    const small: SmallObject[] = [];
    for (const { type, source } of this.candidates.values()) {
      if (source.kind !== 'bytes') return null;
      small.push({ type, bytes: source.bytes });
    }
    return small;
  }

  /** Whether writing all candidates costs less than asking which are new. */
  isSmall(): boolean {
    return this.candidates.size <= SMALL_COUNT && this.#bytes <= SMALL_BYTES;
  }
}

const SMALL_COUNT = 500;
const SMALL_BYTES = 2 * 1024 * 1024;
