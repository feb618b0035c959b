/**
 * Reads the lines of one segment file, in chunks: memory does not grow with the segment.
 *
 * 1. A line longer than any line may be is never returned; without a newline to end it, it is a torn tail.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { LINE_LIMIT_BYTES } from '@ramet/core';
import { onDisk } from './durable.ts';

const CHUNK_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

/** One complete line. */
export interface SegmentLine {
  /** Without its newline. */
  readonly bytes: Buffer;
  /** With its newline. */
  readonly whole: Buffer;
  /** Of its first byte in the segment. */
  readonly position: number;
}

export interface SegmentEnd {
  /** Bytes after the last newline. */
  readonly tornBytes: number;
  /** A complete line is longer than any line may be; it begins here. */
  readonly overlong: number | null;
}

/** Opens a segment for reading, never through a link. */
export function openSegment(path: string): number {
  return onDisk(`cannot read ${path}`, () => openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW));
}

/** Reads a span of a file; shorter only where the file ends. */
export function readSpan(path: string, position: number, bytes: number): Buffer {
  const fd = openSegment(path);
  try {
    const buffer = Buffer.allocUnsafe(bytes);
    let done = 0;
    while (done < bytes) {
      const count = onDisk(`cannot read ${path}`, () => readSync(fd, buffer, done, bytes - done, position + done));
      if (count === 0) break;
      done += count;
    }
    return buffer.subarray(0, done);
  } finally {
    closeSync(fd);
  }
}

/** Yields the complete lines from a byte on; returns what lies after the last of them. */
export function* readLines(path: string, from = 0): Generator<SegmentLine, SegmentEnd> {
  const fd = openSegment(path);
  try {
    return yield* readLinesOf(fd, path, from);
  } finally {
    closeSync(fd);
  }
}

function* readLinesOf(fd: number, path: string, from: number): Generator<SegmentLine, SegmentEnd> {
  let rest: Buffer = Buffer.alloc(0);
  let position = from;
  for (let at = from; ; ) {
    const read = readChunk(fd, path, at);
    if (read.length === 0) return { tornBytes: rest.length, overlong: null };
    at += read.length;
    const data: Buffer = rest.length === 0 ? read : Buffer.concat([rest, read]);
    let start = 0;
    for (let end = data.indexOf(NEWLINE); end !== -1; end = data.indexOf(NEWLINE, start)) {
      if (end - start > LINE_LIMIT_BYTES) return { tornBytes: 0, overlong: position + start };
      yield { bytes: data.subarray(start, end), whole: data.subarray(start, end + 1), position: position + start };
      start = end + 1;
    }
    position += start;
    rest = data.subarray(start);
    if (rest.length > LINE_LIMIT_BYTES) return endOfOverlong(fd, path, { at, position });
  }
}

function endOfOverlong(fd: number, path: string, from: { readonly at: number; readonly position: number }): SegmentEnd {
  let { at } = from;
  for (let chunk = readChunk(fd, path, at); chunk.length > 0; chunk = readChunk(fd, path, at)) {
    if (chunk.includes(NEWLINE)) return { tornBytes: 0, overlong: from.position };
    at += chunk.length;
  }
  return { tornBytes: at - from.position, overlong: null };
}

function readChunk(fd: number, path: string, at: number): Buffer {
  return onDisk(`cannot read ${path}`, () => {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(fstatSync(fd).size - at, 1)));
    return chunk.subarray(0, readSync(fd, chunk, 0, chunk.length, at));
  });
}
