/**
 * A log folder on disk: its segments, and the outline of the whole log.
 *
 * 1. A segment with a believed index is not read; every other byte is parsed and followed along the chain.
 * 2. Damage ends the outline: what lies before it is told, what lies after it is not guessed.
 * 3. Event 0 of a graph run is alone in its segment; a second line there is damage.
 * 4. Nothing here writes.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import {
  CHAIN_START,
  type ChainState,
  chainAfter,
  createOutliner,
  type Digest,
  Failure,
  followChain,
  type LoggedEvent,
  lastDigestOf,
  type Outliner,
  parseLine,
  type RunChain,
  type SegmentDetail,
  type SegmentHead,
  type SegmentOutline,
} from '@ramet/core';
import { isRunStart } from './append.ts';
import { listNames } from './durable.ts';
import { readTrustedIndex } from './idx.ts';
import { readLines, readSpan } from './segment-reader.ts';
import { sha256 } from './sha256.ts';
import type { LogDamage, LogOutline, OutlineOptions } from './types.ts';

const SEGMENT_NAME = /^(\d{12})\.jsonl$/;

/** A segment of a log: its file and the offset it is named by. */
export interface SegmentFile {
  readonly name: string;
  readonly path: string;
  readonly first: number;
  /** An index lies beside it. */
  readonly indexed: boolean;
}

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
}

/** The file name of a segment by its first offset. */
export function segmentNameOf(first: number): string {
  return `${String(first).padStart(12, '0')}.jsonl`;
}

/** The segments of a log in order; none when there is no such folder. */
function listSegments(folder: string): readonly SegmentFile[] {
  const names = [...listNames(folder)].sort();
  const all = new Set(names);
  return names
    .filter((name) => SEGMENT_NAME.test(name))
    .map((name) => ({
      name,
      path: `${folder}/${name}`,
      first: Number(name.slice(0, 12)),
      indexed: all.has(`${name.slice(0, 12)}.idx`),
    }));
}

/** Outlines a log. */
export function readFolderOutline(folder: string, options: FolderOutlineOptions = {}): FolderOutline {
  const files = listSegments(folder).filter(({ name }) => options.active === undefined || name <= options.active.name);
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
  const readLineBytes = (index: number, position: number, bytes: number): Buffer =>
    readSpan(partAt(filled, index).segment.path, position, bytes);
  return {
    segments: filled.map((part) => part.segment),
    trusted: filled.map((part) => part.trusted),
    ...(last === undefined ? {} : { last }),
    chain: last?.chain ?? CHAIN_START,
    heads: filled.map((part) => part.head),
    readDetail: (index) => partAt(filled, index).readDetail(),
    readLine: (index, position, bytes) => JSON.parse(readLineBytes(index, position, bytes).toString('utf8')),
    readLineBytes,
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
  if (known === null || chain === null) return scanSegment(segment, state, options);
  // An index whose detail is broken is no error: the segment says the same.
  const readDetail = (): SegmentDetail => known.readDetail() ?? scanSegment(segment, state, options).readDetail();
  return { segment, head: known.head, chain, readDetail, trusted: true, damage: null, tornBytes: 0 };
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

function scanSegment(segment: SegmentFile, start: ChainState, { last, full }: SegmentOptions): OutlinePart {
  const outliner = createOutliner(start.seq, start.prev);
  let state = start;
  let line = 1;
  let lastByte = 0;
  const stop = (problem: Omit<LogDamage, 'segment' | 'line' | 'offset'> | null, tornBytes = 0): OutlinePart => {
    const { head, detail } = outliner.finish(lastDigestOf(state));
    const damage = problem === null ? null : { segment: segment.name, line, offset: state.seq, ...problem };
    return { segment, head, chain: state, readDetail: () => detail, trusted: false, damage, tornBytes, outliner };
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
    const part = stop(found);
    // It is the last line that is wrong, and no line after it says so.
    return { ...part, damage: { ...found, segment: segment.name, line: line - 1, offset: state.seq - 1 } };
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

function missingSegment(): LogDamage {
  const name = segmentNameOf(0);
  return { segment: name, line: 1, byte: 0, offset: 0, expected: `a segment ${name}`, found: 'no segment at all' };
}

function partAt<T>(parts: readonly T[], index: number): T {
  const part = parts[index];
  if (part === undefined) throw new RangeError(`no segment ${index}`);
  return part;
}
