/**
 * Reads the events of a log without the long values of its nodes: where the outline holds the rest of an event, its line
 * is not read before somebody asks for the value.
 */
import { Failure, type LoggedEvent, type LongMark, parseLine } from '@ramet/core';
import type { LogOutline } from './types.ts';

/** A value that was left in its line. It reads it each time it is asked. */
export class ValueInLine {
  /** The value as the line holds it, still encoded; throws `log_damaged` when it is not there any more. */
  readonly read: () => unknown;

  constructor(read: () => unknown) {
    this.read = read;
  }
}

/** Every event of an outlined log, in order; long values of nodes are `ValueInLine`s. */
export function* readSparseEvents(outline: LogOutline): Generator<LoggedEvent> {
  for (const [segment, { first, long, bytes }] of outline.heads.entries()) {
    let next = { seq: first, position: 0 };
    for (const mark of long === 0 ? [] : outline.readDetail(segment).long) {
      yield* readLinesBetween(outline, segment, { ...next, end: mark.position });
      yield { ...mark.event, [mark.value]: new ValueInLine(() => readValue(outline, segment, mark)) };
      next = { seq: mark.offset + 1, position: mark.position + mark.bytes + 1 };
    }
    yield* readLinesBetween(outline, segment, { ...next, end: bytes });
  }
}

interface LineRange {
  /** Offset of the first line, and where it begins. */
  readonly seq: number;
  readonly position: number;
  readonly end: number;
}

function* readLinesBetween(
  outline: LogOutline,
  segment: number,
  { seq: first, position, end }: LineRange,
): Generator<LoggedEvent> {
  if (end <= position) return;
  // Without the last newline.
  const lines = textOf(outline.readLineBytes(segment, position, end - 1 - position)).split('\n');
  for (const [index, line] of lines.entries()) yield parseSound(line, first + index);
}

function readValue(outline: LogOutline, segment: number, { offset, position, bytes, value }: LongMark): unknown {
  return parseSound(textOf(outline.readLineBytes(segment, position, bytes)), offset)[value];
}

function parseSound(line: string, seq: number): LoggedEvent {
  const event = parseLine(line);
  // It was sound when it was outlined.
  const problem = typeof event === 'string' ? event : event.seq === seq ? null : `it is event ${event.seq}`;
  if (typeof event === 'string' || problem !== null) {
    throw new Failure('log_damaged', `offset ${seq} changed while it was read: ${problem}`);
  }
  return event;
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
