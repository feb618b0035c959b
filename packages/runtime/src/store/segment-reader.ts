/**
 * Reads the lines of one segment file, in chunks: memory does not grow with the segment.
 *
 * 1. A line longer than any line may be is never returned; without a newline to end it, it is a torn tail.
 * 2. The bytes of a line hold until the next one is asked for: they lie in a buffer that is used again.
 */
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { LINE_LIMIT_BYTES } from '@ramet/core/log';
import { onDisk } from './durable.ts';

const CHUNK_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

/** One complete line. */
export interface SegmentLine {
  /** Without its newline. */
  readonly bytes: Buffer;
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

/** Part of a file. */
export interface Span {
  readonly position: number;
  readonly bytes: number;
}

/** Reads a span of a file; shorter only where the file ends. */
export function readSpan(path: string, position: number, bytes: number): Buffer {
  const [span] = readSpans(path, [{ position, bytes }]);
  return span ?? Buffer.alloc(0);
}

/** Reads several spans of a file, in their order; shorter only where the file ends. */
export function readSpans(path: string, spans: readonly Span[]): readonly Buffer[] {
  const fd = openSegment(path);
  try {
    return spans.map((span) => readOpened(fd, path, span));
  } finally {
    closeSync(fd);
  }
}

function readOpened(fd: number, path: string, { position, bytes }: Span): Buffer {
  const buffer = Buffer.allocUnsafe(bytes);
  let done = 0;
  while (done < bytes) {
    const count = onDisk(`cannot read ${path}`, () => readSync(fd, buffer, done, bytes - done, position + done));
    if (count === 0) break;
    done += count;
  }
  return buffer.subarray(0, done);
}

/** How much is read around a span that others are likely to lie near: one read of it costs what one of a line does. */
const NEAR_BYTES = 64 * 1024;

/** Reads spans as `readSpan` does, and keeps what follows the last one; what it returns holds until the next is read. */
export function makeNearReader(): typeof readSpan {
  let near: { readonly path: string; readonly position: number; readonly bytes: Buffer } = {
    path: '',
    position: 0,
    bytes: Buffer.alloc(0),
  };
  return (path, position, bytes) => {
    const isHeld = near.path === path && position >= near.position;
    if (!isHeld || position + bytes > near.position + near.bytes.length) {
      near = { path, position, bytes: readSpan(path, position, Math.max(bytes, NEAR_BYTES)) };
    }
    return near.bytes.subarray(position - near.position, position - near.position + bytes);
  };
}

/** Yields the complete lines of a segment; returns what lies after the last of them. */
export function* readLines(path: string): Generator<SegmentLine, SegmentEnd> {
  const fd = openSegment(path);
  const buffer = takeBuffer();
  /** Where the buffer's first byte lies in the segment, and how many bytes it holds. */
  let position = 0;
  let filled = 0;
  try {
    for (;;) {
      const count = readInto(fd, path, { buffer: buffer.subarray(filled), at: position + filled });
      if (count === 0) return { tornBytes: filled, overlong: null };
      const data = buffer.subarray(0, filled + count);
      let start = 0;
      // What was held had no newline in it.
      for (let end = data.indexOf(NEWLINE, filled); end !== -1; end = data.indexOf(NEWLINE, start)) {
        if (end - start > LINE_LIMIT_BYTES) return { tornBytes: 0, overlong: position + start };
        yield { bytes: data.subarray(start, end), position: position + start };
        start = end + 1;
      }
      filled = data.copy(buffer, 0, start);
      position += start;
      if (filled > LINE_LIMIT_BYTES) return endOfOverlong(fd, path, { buffer, position, filled });
    }
  } finally {
    spare = buffer;
    closeSync(fd);
  }
}

/** The buffer of a reader that has ended, for the next one. */
let spare: Buffer | undefined;

/** Room for the beginning of a line, and a chunk. */
function takeBuffer(): Buffer {
  const buffer = spare ?? Buffer.allocUnsafeSlow(LINE_LIMIT_BYTES + CHUNK_BYTES);
  spare = undefined;
  return buffer;
}

interface Overlong {
  readonly buffer: Buffer;
  /** Where the line begins in the segment, and how much of it was read. */
  readonly position: number;
  readonly filled: number;
}

function endOfOverlong(fd: number, path: string, { buffer, position, filled }: Overlong): SegmentEnd {
  for (let bytes = filled; ; ) {
    const count = readInto(fd, path, { buffer, at: position + bytes });
    if (count === 0) return { tornBytes: bytes, overlong: null };
    if (buffer.subarray(0, count).includes(NEWLINE)) return { tornBytes: 0, overlong: position };
    bytes += count;
  }
}

/** Fills a buffer from a place in a file on, as far as one read goes; 0 at its end. */
function readInto(fd: number, path: string, from: { readonly buffer: Buffer; readonly at: number }): number {
  const { buffer, at } = from;
  return onDisk(`cannot read ${path}`, () => readSync(fd, buffer, 0, buffer.length, at));
}
