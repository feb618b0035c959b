/**
 * Reads the lines of one segment file, in chunks: memory does not grow with the segment.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { LINE_LIMIT_BYTES } from '@ramet/core';
import { onDisk } from './durable.ts';

const CHUNK_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

/** One complete line; `bytes` is without its newline and valid until the next one is taken. */
export interface SegmentLine {
  readonly bytes: Buffer;
  /** Of its first byte in the segment. */
  readonly position: number;
}

export interface SegmentEnd {
  /** Bytes after the last newline, at most a line's length of them. */
  readonly torn: Buffer;
  /** A line is longer than any line may be; it begins here. */
  readonly overlong: number | null;
}

/** Opens a segment for reading, never through a link. */
export function openSegment(path: string): number {
  return onDisk(`cannot read ${path}`, () => openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW));
}

/** Yields the complete lines from a byte on; returns what lies after the last of them. */
export function* readLines(path: string, from = 0): Generator<SegmentLine, SegmentEnd> {
  const fd = openSegment(path);
  try {
    return yield* readLinesOf(fd, from);
  } finally {
    closeSync(fd);
  }
}

function* readLinesOf(fd: number, from: number): Generator<SegmentLine, SegmentEnd> {
  let rest: Buffer = Buffer.alloc(0);
  let position = from;
  for (let at = from; ; ) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(fstatSync(fd).size - at, 1)));
    const count = readSync(fd, chunk, 0, chunk.length, at);
    if (count === 0) return { torn: rest, overlong: null };
    at += count;
    const read = chunk.subarray(0, count);
    const data: Buffer = rest.length === 0 ? read : Buffer.concat([rest, read]);
    let start = 0;
    for (let end = data.indexOf(NEWLINE); end !== -1; end = data.indexOf(NEWLINE, start)) {
      yield { bytes: data.subarray(start, end), position: position + start };
      start = end + 1;
    }
    position += start;
    rest = data.subarray(start);
    if (rest.length > LINE_LIMIT_BYTES) return { torn: rest, overlong: position };
  }
}
