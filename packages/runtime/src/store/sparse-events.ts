/**
 * Reads the events of a log without the long values of its nodes: where the outline holds the rest of an event, its line
 * is not read before somebody asks for the value.
 */
import { Failure, type LoggedEvent, type LongMark, parseLine, type SegmentHead } from '@ramet/core';
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
  for (const [segment, head] of outline.heads.entries()) {
    const marks = head.long === 0 ? [] : outline.readDetail(segment).long;
    const parts = listParts(head, marks);
    const texts = outline.readSpans(segment, parts).map(textOf);
    for (const [index, { seq }] of parts.entries()) {
      yield* parseLines(texts[index] ?? '', seq);
      const mark = marks[index];
      if (mark === undefined) continue;
      yield { ...mark.event, [mark.value]: new ValueInLine(() => readValue(outline, segment, mark)) };
    }
  }
}

/** Lines between long ones: their bytes without the last newline, none where two long lines follow each other. */
interface Part {
  /** Offset of the first line. */
  readonly seq: number;
  readonly position: number;
  readonly bytes: number;
}

/** What lies before each long line, and after the last. */
function listParts({ first, bytes }: SegmentHead, marks: readonly LongMark[]): readonly Part[] {
  let next = { seq: first, position: 0 };
  const upTo = (end: number): Part => ({ ...next, bytes: Math.max(0, end - 1 - next.position) });
  const before = marks.map((mark) => {
    const part = upTo(mark.position);
    next = { seq: mark.offset + 1, position: mark.position + mark.bytes + 1 };
    return part;
  });
  return [...before, upTo(bytes)];
}

function* parseLines(text: string, first: number): Generator<LoggedEvent> {
  if (text === '') return;
  for (const [index, line] of text.split('\n').entries()) yield parseSound(line, first + index);
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
