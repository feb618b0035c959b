/**
 * A log folder on disk: its segments, and the outline of the whole log.
 *
 * 1. A segment with a believed index is not read; every other byte is parsed and followed along the chain.
 * 2. Damage ends the outline: what lies before it is told, what lies after it is not guessed.
 * 3. Event 0 of a graph run is alone in its segment; a second line there is damage.
 * 4. Nothing here writes.
 */
import {
  CHAIN_START,
  type ChainState,
  chainAfter,
  Failure,
  type LoggedEvent,
  type Outliner,
  parseLine,
  type RunChain,
  type SegmentDetail,
  type SegmentHead,
  type SegmentOutline,
} from '@ramet/core';
import { readTrustedIndex } from './idx.ts';
import { type ScannedSegment, type ScansAhead, scanSegment } from './scan/index.ts';
import { makeNearReader, readLines, readSpan, readSpans } from './segment-reader.ts';
import { listSegments, type SegmentFile, segmentNameOf } from './segments.ts';
import type { LogDamage, LogOutline, OutlineOptions } from './types.ts';

/** The outline of a log together with the files it was read from. */
export interface FolderOutline extends LogOutline {
  /** Those with lines: one for each head. */
  readonly segments: readonly SegmentFile[];
  /** Whether a segment's index was believed. */
  readonly trusted: readonly boolean[];
  /** The last file, empty or not; absent in a log without segments. */
  readonly last?: OutlinePart;
  /** After the last complete line. */
  readonly chain: ChainState;
}

/** One segment's part of an outline. */
export interface OutlinePart {
  readonly segment: SegmentFile;
  readonly head: SegmentHead;
  /** After its last complete line. */
  readonly chain: ChainState;
  readonly trusted: boolean;
  readonly damage: LogDamage | null;
  readonly tornBytes: number;
  /** Absent when the segment was not read. */
  readonly outliner?: Outliner;
  readDetail(): SegmentDetail;
}

export interface FolderOutlineOptions extends OutlineOptions {
  /** Read and check the last segment, whatever its index says: its owner goes on with it. */
  readonly readLast?: boolean;
  /** What this process knows of the segment it appends to itself: the outline ends with it. */
  readonly active?: { readonly name: string; readonly outline: SegmentOutline };
  /** Segments that were scanned already: believed where they follow the chain. */
  readonly ahead?: ScansAhead;
}

/** Outlines a log. */
export function readFolderOutline(folder: string, options: FolderOutlineOptions = {}): FolderOutline {
  const files = listSegments(folder, options.active?.name);
  const parts: OutlinePart[] = [];
  let state = CHAIN_START;
  for (const [index, segment] of files.entries()) {
    const part = outlineSegment(segment, state, { ...options, last: index === files.length - 1 });
    parts.push(part);
    if (part.damage !== null) break;
    state = part.chain;
  }
  const last = parts.at(-1);
  const filled = parts.filter((part) => part.head.count > 0);
  const pathOf = (index: number): string => partAt(filled, index).segment.path;
  // Plans show one line after the other; what is copied or hashed is read anew.
  const readNear = makeNearReader();
  return {
    segments: filled.map((part) => part.segment),
    trusted: filled.map((part) => part.trusted),
    ...(last === undefined ? {} : { last }),
    chain: last?.chain ?? CHAIN_START,
    heads: filled.map((part) => part.head),
    readDetail: (index) => partAt(filled, index).readDetail(),
    readLine: (index, position, bytes) => JSON.parse(readNear(pathOf(index), position, bytes).toString('utf8')),
    readLineBytes: (index, position, bytes) => readSpan(pathOf(index), position, bytes),
    readSpans: (index, spans) => readSpans(pathOf(index), spans),
    damage: last === undefined ? missingSegment() : last.damage,
    tornBytes: last?.tornBytes ?? 0,
  };
}

/** Parses the events of a log between two offsets; the outline says which part of it is sound. */
export function* readFolderEvents(
  outline: FolderOutline,
  range: { readonly from: number; readonly to: number },
): Generator<LoggedEvent> {
  for (const { seq, bytes } of readFolderLines(outline, range)) {
    const event = parseLine(bytes.toString('utf8'));
    // A line that was sound when it was outlined and is not now was damaged in between.
    if (typeof event === 'string')
      throw new Failure('log_damaged', `offset ${seq} changed while it was read: ${event}`);
    yield event;
  }
}

/** Reads the lines of a log between two offsets as bytes, without newlines; they hold until the next is asked for. */
export function* readFolderLines(
  outline: FolderOutline,
  range: { readonly from: number; readonly to: number },
): Generator<{ readonly seq: number; readonly bytes: Buffer }> {
  for (const [index, head] of outline.heads.entries()) {
    const end = head.first + head.count;
    if (end <= range.from) continue;
    if (head.first > range.to) return;
    let seq = head.first;
    for (const { bytes } of readLines(partAt(outline.segments, index).path)) {
      if (seq > range.to || seq >= end) break;
      if (seq >= range.from) yield { seq, bytes };
      seq += 1;
    }
  }
}

interface SegmentOptions extends FolderOutlineOptions {
  readonly last: boolean;
}

function outlineSegment(segment: SegmentFile, state: ChainState, options: SegmentOptions): OutlinePart {
  const known = options.full === true ? null : knownOutline(segment, options);
  const chain = known === null ? null : chainAfterHead(segment, state, known.head);
  if (known === null || chain === null) return scanPart(segment, state, options);
  // An index whose detail is broken is no error: the segment says the same.
  const readDetail = (): SegmentDetail => known.readDetail() ?? scanPart(segment, state, options).readDetail();
  return { segment, head: known.head, chain, readDetail, trusted: true, damage: null, tornBytes: 0 };
}

function scanPart(segment: SegmentFile, state: ChainState, options: SegmentOptions): OutlinePart {
  const ahead = options.last ? undefined : options.ahead?.get(segment.name);
  if (ahead !== undefined && isSameState(ahead.start, state)) return partOf(segment, ahead.scanned);
  const { scanned, outliner } = scanSegment(segment, state, options);
  return { ...partOf(segment, scanned), outliner };
}

function partOf(segment: SegmentFile, { detail, ...scanned }: ScannedSegment): OutlinePart {
  return { segment, ...scanned, readDetail: () => detail, trusted: false };
}

function isSameState(left: ChainState, right: ChainState): boolean {
  const { run } = left;
  return (
    left.seq === right.seq &&
    left.prev === right.prev &&
    run?.event0 === right.run?.event0 &&
    run?.ownFrom === right.run?.ownFrom
  );
}

/** The chain after a segment that is known by its head; null when it does not follow, or when only its lines can tell. */
function chainAfterHead(segment: SegmentFile, state: ChainState, head: SegmentHead): ChainState | null {
  const { first, count, digest, graph } = head;
  if (first !== state.seq || head.prev !== state.prev || segment.first !== state.seq) return null;
  if (graph === undefined)
    return hasRightOwnStart(state.run, head) ? { ...state, seq: first + count, prev: digest } : null;
  if (count !== 1) return null;
  const event = parseLine(readSpan(segment.path, 0, graph.bytes).toString('utf8'));
  return typeof event === 'string' ? null : chainAfter(state, { event, digest });
}

/** Whether the first own event of a forked run is where it must be. Ancestors' may lie before it. */
function hasRightOwnStart(run: RunChain | null, { first, count, ownStart }: SegmentHead): boolean {
  const own = run?.ownFrom ?? Number.NEGATIVE_INFINITY;
  if (own >= first && own < first + count) return ownStart?.offset === own;
  return ownStart === undefined || ownStart.offset < own;
}

function knownOutline(
  segment: SegmentFile,
  options: SegmentOptions,
): { readonly head: SegmentHead; readDetail(): SegmentDetail | null } | null {
  const { active, last, readLast } = options;
  if (active?.name === segment.name) return { head: active.outline.head, readDetail: () => active.outline.detail };
  return !segment.indexed || (last && readLast === true) ? null : readTrustedIndex(segment.path);
}

function missingSegment(): LogDamage {
  const name = segmentNameOf(0);
  return { segment: name, line: 1, byte: 0, offset: 0, expected: `a segment ${name}`, found: 'no segment at all' };
}

function partAt<T>(parts: readonly T[], index: number): T {
  const part = parts[index];
  if (part === undefined) throw new RangeError(`no segment ${index}`);
  return part;
}
