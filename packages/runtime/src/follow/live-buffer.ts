import type { LiveItem } from './types.ts';

/** The newest live items of a run, within a number of items and of bytes; older ones are dropped. */
export class LiveBuffer {
  readonly #limits: { readonly liveItems: number; readonly liveBytes: number };
  readonly #items: LiveItem[] = [];
  #bytes = 0;
  /** How many were dropped: position of the first item among all there ever were. */
  #dropped = 0;
  #last = { next: -1, number: -1 };

  constructor(limits: { readonly liveItems: number; readonly liveBytes: number }) {
    this.#limits = limits;
  }

  /** Adds an item that comes before the line at offset `next`. */
  push(next: number, bytes: Uint8Array): void {
    const number = this.#last.next === next ? this.#last.number + 1 : 0;
    this.#last = { next, number };
    this.#items.push({ kind: 'live', next, number, bytes });
    this.#bytes += bytes.length;
    while (this.#items.length > this.#limits.liveItems || this.#bytes > this.#limits.liveBytes) {
      this.#bytes -= this.#items.shift()?.bytes.length ?? 0;
      this.#dropped += 1;
    }
  }

  /** What came before the line at `next`, as far as it is still there. */
  listFor(next: number): readonly Uint8Array[] {
    return this.#items.filter((item) => item.next === next).map(({ bytes }) => bytes);
  }

  /** Drops all of it: lines it came before are gone. */
  clear(): void {
    this.#dropped += this.#items.length;
    this.#items.length = 0;
    this.#bytes = 0;
  }

  /** Where a follower begins that joins when the log's next line goes to `next`: what was published there before is still news. */
  startFor(next: number): number {
    const index = this.#items.findIndex((item) => item.next >= next);
    return this.#dropped + (index < 0 ? this.#items.length : index);
  }

  /** The first item at or after a position that comes before the line at `next`; null when there is none. */
  find(position: number, next: number): { readonly item: LiveItem; readonly after: number } | null {
    for (let index = Math.max(position - this.#dropped, 0); index < this.#items.length; index += 1) {
      const item = this.#items[index];
      if (item === undefined || item.next > next) return null;
      if (item.next === next) return { item, after: this.#dropped + index + 1 };
    }
    return null;
  }
}
