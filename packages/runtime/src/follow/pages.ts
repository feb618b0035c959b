/**
 * Reads lines of a log from the disk, a page at a time, for followers that stand behind what is held in memory. The lines were
 * followed along the chain before: here they are only found again.
 */
import { statSync } from 'node:fs';
import { Failure, LINE_LIMIT_BYTES } from '@ramet/core';
import { readSpan } from '../store/segment-reader.ts';
import { listSegments, segmentNameOf } from '../store/segments.ts';
import type { LogLine } from './types.ts';

/** Bytes of a page; one longer line is a page of its own. It is what a follower that stands still holds. */
const PAGE_BYTES = 64 * 1024;
const NEWLINE = 0x0a;

/** Where the line of an offset begins. */
export interface LinePlace {
  readonly offset: number;
  readonly segment: string;
  readonly position: number;
}

/** Some lines, one at least, and where the next one begins. */
export interface LinePage {
  readonly lines: readonly LogLine[];
  readonly after: LinePlace;
}

/** Finds where a line begins, by counting from the beginning of its segment. */
export function findPlace(log: string, offset: number): LinePlace {
  const segment = listSegments(log).findLast(({ first }) => first <= offset);
  if (segment === undefined) throw lost(log, offset);
  let position = 0;
  for (let left = offset - segment.first; left > 0; ) {
    const span = readSpan(segment.path, position, LINE_LIMIT_BYTES + 1);
    let end = -1;
    for (let next = span.indexOf(NEWLINE); next !== -1 && left > 0; next = span.indexOf(NEWLINE, end + 1)) {
      end = next;
      left -= 1;
    }
    if (end === -1) throw lost(log, offset);
    position += end + 1;
  }
  return { offset, segment: segment.name, position };
}

/** Reads lines from a place on, those before offset `end`. */
export function readPage(log: string, place: LinePlace, end: number): LinePage {
  const path = `${log}/${place.segment}`;
  const lines: LogLine[] = [];
  let span = readSpan(path, place.position, PAGE_BYTES);
  if (!span.includes(NEWLINE)) span = readSpan(path, place.position, LINE_LIMIT_BYTES + 1);
  let start = 0;
  let offset = place.offset;
  for (let next = span.indexOf(NEWLINE); next !== -1 && offset < end; next = span.indexOf(NEWLINE, start)) {
    lines.push({ kind: 'line', offset, bytes: span.subarray(start, next) });
    start = next + 1;
    offset += 1;
  }
  if (lines.length > 0) return { lines, after: { offset, segment: place.segment, position: place.position + start } };
  return readNextSegment(log, place, end);
}

/** The segment has ended: the next one is named by the offset where it did. */
function readNextSegment(log: string, place: LinePlace, end: number): LinePage {
  const segment = segmentNameOf(place.offset);
  const isThere = statSync(`${log}/${segment}`, { throwIfNoEntry: false }) !== undefined;
  if (segment === place.segment || !isThere) throw lost(log, place.offset);
  return readPage(log, { offset: place.offset, segment, position: 0 }, end);
}

function lost(log: string, offset: number): Failure {
  return new Failure('log_damaged', `the line at offset ${offset} is not in ${log} any more`, { data: { offset } });
}
