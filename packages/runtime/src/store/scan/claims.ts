/** Segments to scan ahead, shared between threads: each takes the next that nobody took. */
import type { ChainState, RunChain } from '@ramet/core/log';
import { CHAIN_START, parseLine } from '@ramet/core/log';
import { readLines } from '../segment-reader.ts';
import type { SegmentFile } from '../segments.ts';
import { type ScannedSegment, scanSegment } from './segment.ts';

/** What is scanned, and by whom: plain data and shared memory. */
export interface ScanWork {
  /** None of them is the last of its log. */
  readonly segments: readonly SegmentFile[];
  /** What event 0 of the log says of the lines after it. */
  readonly run: RunChain | null;
  readonly full: boolean;
  /** For each segment, 0 or who took it. */
  readonly takers: Int32Array<SharedArrayBuffer>;
}

/** A scan, and where it took the chain to stand before it: that is still to be held against the segment before. */
export interface ScannedAhead {
  readonly start: ChainState;
  readonly scanned: ScannedSegment;
}

/** Takes the next segment; null when all are taken. `taker` is not 0. */
export function takeSegment({ segments, takers }: ScanWork, taker: number): SegmentFile | null {
  for (const [index, segment] of segments.entries()) {
    if (Atomics.compareExchange(takers, index, 0, taker) === 0) return segment;
  }
  return null;
}

/** Scans a segment from what its own first line says of the chain; null when that says nothing. */
export function scanApart(segment: SegmentFile, { run, full }: ScanWork): ScannedAhead | null {
  const start = segment.first === 0 ? CHAIN_START : readStart(segment, run);
  return start === null ? null : { start, scanned: scanSegment(segment, start, { last: false, full }).scanned };
}

function readStart({ path, first: seq }: SegmentFile, run: RunChain | null): ChainState | null {
  for (const { bytes } of readLines(path)) {
    const event = parseLine(bytes.toString('utf8'));
    return typeof event === 'string' ? null : { seq, prev: event.prev, run };
  }
  return null;
}
