/** Outlines one segment from its lines: every byte is parsed and followed along the chain. Writes nothing. */
import { isAscii, isUtf8 } from 'node:buffer';
import type { Digest } from '@ramet/core/events';
import {
  type ChainState,
  createOutliner,
  followChain,
  lastDigestOf,
  type Outliner,
  type SegmentOutline,
} from '@ramet/core/log';
import { isRunStart } from '../append.ts';
import { readTrustedIndex } from '../idx.ts';
import { readLines } from '../segment-reader.ts';
import { type SegmentFile, segmentNameOf } from '../segments.ts';
import { sha256 } from '../sha256.ts';
import type { LogDamage } from '../types.ts';

/** What the lines of a segment say; it can be handed from one thread to another. */
export interface ScannedSegment extends SegmentOutline {
  /** After the last complete line. */
  readonly chain: ChainState;
  readonly damage: LogDamage | null;
  readonly tornBytes: number;
}

export interface SegmentScan {
  readonly scanned: ScannedSegment;
  /** Goes on with the segment. */
  readonly outliner: Outliner;
}

export interface ScanOptions {
  /** It is the last of its log: it may be empty, and its end may be torn. */
  readonly last: boolean;
  /** Hold its index, too, against its last line, which no other line vouches for. */
  readonly full?: boolean;
}

/** Scans a segment that begins where the chain stands; damage ends the scan. */
export function scanSegment(segment: SegmentFile, start: ChainState, { last, full }: ScanOptions): SegmentScan {
  const outliner = createOutliner(start.seq, start.prev);
  let state = start;
  let line = 1;
  let lastByte = 0;
  const stop = (problem: Omit<LogDamage, 'segment' | 'line' | 'offset'> | null, tornBytes = 0): SegmentScan => {
    const damage = problem === null ? null : { segment: segment.name, line, offset: state.seq, ...problem };
    const { head, detail } = outliner.finish(lastDigestOf(state));
    return { scanned: { head, detail, chain: state, damage, tornBytes }, outliner };
  };
  if (segment.first !== start.seq) {
    return stop({ byte: 0, expected: `a segment named ${segmentNameOf(start.seq)}`, found: segment.name });
  }
  const lines = readLines(segment.path);
  let item = lines.next();
  for (; item.done !== true; item = lines.next()) {
    const { bytes, position: byte } = item.value;
    if (line === 2 && isRunStart(state)) return stop({ byte, expected: 'event 0 alone', found: 'a second line' });
    const text = textOf(bytes);
    if (text === null) return stop({ byte, expected: 'UTF-8', found: 'other bytes' });
    const step = followChain(state, { text, bytes }, sha256);
    if (step.kind === 'broken') return stop({ byte, expected: step.expected, found: step.found });
    outliner.add({ event: step.event, position: byte, bytes: bytes.length, text });
    state = step.next;
    line += 1;
    lastByte = byte;
  }
  const { tornBytes, overlong } = item.value;
  if (overlong !== null) return stop({ byte: overlong, expected: 'a line of at most 1 MiB', found: 'a longer one' });
  const { bytes: byte, digest } = outliner.finish(lastDigestOf(state)).head;
  const indexed = full === true && tornBytes === 0 ? lastDigestByIndex(segment) : null;
  if (indexed !== null && indexed !== digest) {
    const found = { byte: lastByte, expected: `a last line of digest ${indexed}, as its index says`, found: digest };
    const { scanned } = stop(found);
    // It is the last line that is wrong, and no line after it says so.
    const damage = { ...found, segment: segment.name, line: line - 1, offset: state.seq - 1 };
    return { scanned: { ...scanned, damage }, outliner };
  }
  if (last) return stop(null, tornBytes);
  if (tornBytes > 0) return stop({ byte, expected: 'a newline', found: 'the end of the segment' });
  return byte > 0 ? stop(null) : stop({ byte: 0, expected: `event ${state.seq}`, found: 'an empty segment' });
}

/**
 * The text of a line; null where it is no UTF-8: the chain is over bytes, and would hold over what reads as another
 * text. Most lines are ASCII, which is Latin-1 too, and that is decoded faster.
 */
function textOf(line: Buffer): string | null {
  if (isAscii(line)) return line.toString('latin1');
  return isUtf8(line) ? line.toString('utf8') : null;
}

/** Of a segment nobody wrote to since it was indexed; null when there is no such index. */
function lastDigestByIndex(segment: SegmentFile): Digest | null {
  return segment.indexed ? (readTrustedIndex(segment.path)?.head.digest ?? null) : null;
}
