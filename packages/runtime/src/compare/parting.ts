/**
 * Where two logs part, by the digests of their lines: the digest of a line commits to every line before it.
 *
 * 1. Whole segments are told apart by their outlines; at most one segment of each log is read.
 * 2. Two sessions that happen to say the same share nothing: no line of theirs has the same `prev`.
 */
import type { Digest, SegmentHead } from '@ramet/core';
import type { LogOutline, LogReader } from '../store/index.ts';
import { sha256 } from '../store/sha256.ts';

/** The last line two logs have in common. */
export interface Parting {
  readonly offset: number;
  readonly digest: Digest;
}

/** A log to compare, and what is undamaged of it. */
export interface ReadLog {
  readonly reader: LogReader;
  readonly outline: LogOutline;
}

/** Finds the last line that two logs have in common; null when they have none. */
export function findParting(left: ReadLog, right: ReadLog): Parting | null {
  const shared = countSharedSegments(left.outline.heads, right.outline.heads);
  const last = left.outline.heads[shared - 1];
  const through = last === undefined ? null : { offset: last.first + last.count - 1, digest: last.digest };
  return readOn(left, right, through);
}

/** Segments that begin at one offset and end at one line. Later ones may be cut differently: their lines tell. */
function countSharedSegments(left: readonly SegmentHead[], right: readonly SegmentHead[]): number {
  let low = 0;
  let high = Math.min(left.length, right.length);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (isSameSegment(left[middle - 1], right[middle - 1])) low = middle;
    else high = middle - 1;
  }
  return low;
}

function isSameSegment(left: SegmentHead | undefined, right: SegmentHead | undefined): boolean {
  return left?.first === right?.first && left?.count === right?.count && left?.digest === right?.digest;
}

function readOn(left: ReadLog, right: ReadLog, through: Parting | null): Parting | null {
  const from = (through?.offset ?? -1) + 1;
  const others = right.reader.readBytes({ from, to: endOf(right) });
  let parting = through;
  let offset = from;
  for (const line of left.reader.readBytes({ from, to: endOf(left) })) {
    const other = others.next();
    if (other.done === true || !Buffer.from(line).equals(other.value)) break;
    parting = { offset, digest: sha256(line.subarray(0, -1)) };
    offset += 1;
  }
  return parting;
}

/** The last undamaged line; -1 where there is none. */
function endOf({ outline }: ReadLog): number {
  const last = outline.heads.at(-1);
  return last === undefined ? -1 : last.first + last.count - 1;
}
