import type { LogLine } from './types.ts';

/** The newest lines of a log, in order and without a gap, within a number of bytes; always the very newest one. */
export class LineRing {
  readonly #limitBytes: number;
  #lines: LogLine[] = [];
  /** Index of the first line that counts: dropping one by one from the front of an array would move all others. */
  #start = 0;
  #bytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** Bytes of the lines it holds. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Offset of the oldest line it holds; null when it is empty. */
  get first(): number | null {
    return this.#lines[this.#start]?.offset ?? null;
  }

  /** The line at an offset, or null when it does not hold it. */
  at(offset: number): LogLine | null {
    const { first } = this;
    return first === null || offset < first ? null : (this.#lines[this.#start + offset - first] ?? null);
  }

  /** Adds the line that follows the newest one. */
  push(line: LogLine): void {
    this.#lines.push(line);
    this.#bytes += line.bytes.length;
    while (this.#bytes > this.#limitBytes && this.#lines.length - this.#start > 1) {
      this.#bytes -= this.#lines[this.#start]?.bytes.length ?? 0;
      this.#start += 1;
    }
    if (this.#start * 2 > this.#lines.length) this.#compact();
  }

  /** Drops the lines from an offset on. */
  cut(offset: number): void {
    const { first } = this;
    if (first === null) return;
    this.#compact();
    const gone = this.#lines.splice(Math.max(offset - first, 0));
    this.#bytes -= gone.reduce((sum, { bytes }) => sum + bytes.length, 0);
  }

  #compact(): void {
    this.#lines = this.#lines.slice(this.#start);
    this.#start = 0;
  }
}
