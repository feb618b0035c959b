/**
 * Reads a log's lines as they are written, by whoever owns it. No lock is taken and nothing is written.
 *
 * 1. Every line follows the chain from the one before it. The byte after the last newline is remembered, and reading goes on
 *    there: what a crash tore off and an owner repaired was never a line.
 * 2. Where the chain fails, or bytes are gone, or the file is another one, the segment is read again from its first line,
 *    once. Lines that are then other ones replaced the old ones; lines that still do not follow are damage.
 */
import { isUtf8 } from 'node:buffer';
import { closeSync, existsSync, fstatSync, lstatSync, readSync } from 'node:fs';
import { type ChainState, followChain, LINE_LIMIT_BYTES } from '@ramet/core';
import { isRunStart } from '../store/append.ts';
import { openSegment } from '../store/segment-reader.ts';
import { segmentNameOf } from '../store/segments.ts';
import { sha256 } from '../store/sha256.ts';
import type { LogDamage } from '../store/types.ts';
import type { LogLine } from './types.ts';

const NEWLINE = 0x0a;
/** Most bytes of one look, beside a line that is as long as any may be. */
const LOOK_BYTES = 1024 * 1024;

/** What one look at the end of a log found. */
export type TailRead =
  | {
      readonly kind: 'lines';
      readonly lines: readonly LogLine[];
      /** There may be more to read at once. */
      readonly more: boolean;
    }
  /** What was read before does not lead to what is there. */
  | { readonly kind: 'broken'; readonly lines: readonly LogLine[]; readonly damage: LogDamage };

/** The active segment, read again from its first line. */
export interface TailAgain {
  /** Offset of its first line. */
  readonly first: number;
  readonly lines: readonly LogLine[];
  /** Whether all that was read before is still there. */
  readonly intact: boolean;
  readonly damage: LogDamage | null;
}

export interface TailStart {
  /** The run's `log` folder. */
  readonly log: string;
  /** Name of the last segment, the chain before its first line, and after the last line that is known. */
  readonly segment: string;
  readonly before: ChainState;
  readonly chain: ChainState;
  /** Bytes of the known lines of that segment. */
  readonly position: number;
}

interface OpenSegment {
  readonly name: string;
  readonly path: string;
  readonly fd: number;
  readonly before: ChainState;
}

export class LogTail {
  readonly #log: string;
  #segment: OpenSegment;
  #position: number;
  #chain: ChainState;
  #isOpen = true;

  /** Opens the last segment of a log; throws where it is not there. */
  constructor({ log, segment, before, chain, position }: TailStart) {
    this.#log = log;
    this.#segment = openAt(log, segment, before);
    this.#position = position;
    this.#chain = chain;
  }

  /** Offset of the line that comes next. */
  get next(): number {
    return this.#chain.seq;
  }

  /** Reads what was written since the last look. */
  read(): TailRead {
    const lines: LogLine[] = [];
    for (;;) {
      const from = this.#position;
      const chunk = this.#readOn();
      if (chunk === null) return { kind: 'broken', lines, damage: this.#damageAt('the lines read before') };
      const damage = this.#takeLines(chunk, lines);
      if (damage !== null) return { kind: 'broken', lines, damage };
      const isFull = chunk.length >= LOOK_BYTES;
      // The next segment is there when this one has ended, and named by where it ended.
      if (isFull || !this.#hasNext()) return { kind: 'lines', lines, more: isFull && lines.length > 0 };
      if (from + chunk.length > this.#position) return { kind: 'broken', lines, damage: this.#damageAt('a newline') };
      this.#open(segmentNameOf(this.#chain.seq), this.#chain);
    }
  }

  /** Reads the active segment again from its first line; throws where there is none any more. */
  readAgain(): TailAgain {
    const known = this.#chain;
    const { name, before } = this.#segment;
    this.#open(name, before);
    const lines: LogLine[] = [];
    let intact = before.seq === known.seq;
    const pass = ({ seq, prev }: ChainState): void => {
      if (seq === known.seq) intact = prev === known.prev;
    };
    for (let found = lines.length; ; found = lines.length) {
      const chunk = this.#readOn() ?? Buffer.alloc(0);
      const damage = this.#takeLines(chunk, lines, pass);
      if (damage !== null || lines.length === found) return { first: before.seq, lines, intact, damage };
    }
  }

  /** Whether the path still names the file that is read. */
  isInPlace(): boolean {
    const { path, fd } = this.#segment;
    const [named, held] = [lstatSync(path, { throwIfNoEntry: false }), fstatSync(fd)];
    return named !== undefined && named.ino === held.ino && named.dev === held.dev;
  }

  close(): void {
    // A descriptor that was closed may be another file's by now.
    if (this.#isOpen) closeSync(this.#segment.fd);
    this.#isOpen = false;
  }

  #open(name: string, before: ChainState): void {
    const segment = openAt(this.#log, name, before);
    this.close();
    this.#isOpen = true;
    this.#segment = segment;
    this.#position = 0;
    this.#chain = before;
  }

  /** The bytes after the last newline that was seen, in part; null when the file ends before it. */
  #readOn(): Buffer | null {
    const { fd } = this.#segment;
    const { size } = fstatSync(fd);
    if (size < this.#position) return null;
    const buffer = Buffer.allocUnsafeSlow(Math.min(size - this.#position, LOOK_BYTES + LINE_LIMIT_BYTES));
    return buffer.subarray(0, readSync(fd, buffer, 0, buffer.length, this.#position));
  }

  #takeLines(chunk: Buffer, lines: LogLine[], pass?: (chain: ChainState) => void): LogDamage | null {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const bytes = chunk.subarray(start, end);
      const damage = this.#takeLine(bytes);
      if (damage !== null) return damage;
      lines.push({ kind: 'line', offset: this.#chain.seq - 1, bytes });
      this.#position += bytes.length + 1;
      start = end + 1;
      pass?.(this.#chain);
    }
    return null;
  }

  #takeLine(bytes: Buffer): LogDamage | null {
    if (bytes.length > LINE_LIMIT_BYTES) return this.#damageAt('a line of at most 1 MiB', 'a longer one');
    if (this.#position > 0 && isRunStart(this.#chain)) return this.#damageAt('event 0 alone', 'a second line');
    if (!isUtf8(bytes)) return this.#damageAt('UTF-8', 'other bytes');
    const step = followChain(this.#chain, { text: bytes.toString('utf8'), bytes }, sha256);
    if (step.kind === 'broken') return this.#damageAt(step.expected, step.found);
    this.#chain = step.next;
    return null;
  }

  #hasNext(): boolean {
    const name = segmentNameOf(this.#chain.seq);
    return name !== this.#segment.name && existsSync(`${this.#log}/${name}`);
  }

  #damageAt(expected: string, found = 'the end of the segment'): LogDamage {
    const { name, before } = this.#segment;
    const { seq: offset } = this.#chain;
    return { segment: name, line: offset - before.seq + 1, byte: this.#position, offset, expected, found };
  }
}

function openAt(log: string, name: string, before: ChainState): OpenSegment {
  const path = `${log}/${name}`;
  return { name, path, fd: openSegment(path), before };
}
