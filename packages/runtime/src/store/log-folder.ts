/**
 * A log folder on disk: its segments, and the outline of the whole log.
 *
 * 1. A sealed segment with a believed index is not read; every other byte is parsed and followed along the chain.
 * 2. Damage ends the outline: what lies before it is told, what lies after it is not guessed.
 * 3. Nothing here writes.
 */
import { closeSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import {
  CHAIN_START,
  type ChainState,
  createOutliner,
  followChain,
  type LoggedEvent,
  parseLine,
  type SegmentDetail,
  type SegmentHead,
  type SegmentOutline,
} from '@ramet/core';
import { codeOf, diskFailure, onDisk } from './durable.ts';
import { readTrustedIndex } from './idx.ts';
import { openSegment, readLines } from './segment-reader.ts';
import { sha256 } from './sha256.ts';
import type { LogDamage, LogOutline, OutlineOptions } from './types.ts';

const SEGMENT_NAME = /^(\d{12})\.jsonl$/;

/** A segment of a log: its file and the offset it is named by. */
export interface SegmentFile {
  readonly name: string;
  readonly path: string;
  readonly first: number;
}

/** The outline of a log together with the files it was read from. */
export interface FolderOutline extends LogOutline {
  readonly segments: readonly SegmentFile[];
  /** All segment files, an empty last one included. */
  readonly files: readonly SegmentFile[];
  /** Whether a segment's index was believed. */
  readonly trusted: readonly boolean[];
}

/** The file name of a segment by its first offset. */
export function segmentNameOf(first: number): string {
  return `${String(first).padStart(12, '0')}.jsonl`;
}

/** The segments of a log in order; none when there is no such folder. */
export function listSegments(folder: string): readonly SegmentFile[] {
  const names = listNames(folder);
  return names
    .filter((name) => SEGMENT_NAME.test(name))
    .sort()
    .map((name) => ({ name, path: join(folder, name), first: Number(name.slice(0, 12)) }));
}

/** Outlines a log. */
export function readFolderOutline(folder: string, options: OutlineOptions = {}): FolderOutline {
  const segments = listSegments(folder);
  const parts: OutlinePart[] = [];
  let state = CHAIN_START;
  let damage: LogDamage | null = null;
  let tornBytes = 0;
  for (const [index, segment] of segments.entries()) {
    const last = index === segments.length - 1;
    const part = outlineSegment(segment, state, { full: options.full === true, last });
    damage = part.damage;
    tornBytes = part.tornBytes;
    if (part.head.count > 0) parts.push(part);
    if (damage !== null) break;
    state = { seq: part.head.first + part.head.count, prev: part.head.digest };
  }
  if (segments.length === 0) damage = missingSegment(CHAIN_START, 'no segment at all');
  const readLineBytes = (index: number, position: number, bytes: number): Buffer =>
    readSpan(partAt(parts, index).segment.path, position, bytes);
  return {
    segments: parts.map((part) => part.segment),
    files: segments,
    trusted: parts.map((part) => part.trusted),
    heads: parts.map((part) => part.head),
    readDetail: (index) => partAt(parts, index).readDetail(),
    readLine: (index, position, bytes) => JSON.parse(readLineBytes(index, position, bytes).toString('utf8')),
    readLineBytes,
    damage,
    tornBytes,
  };
}

/** Parses the events of a log between two offsets; the outline says which part of it is sound. */
export function* readFolderEvents(
  outline: FolderOutline,
  range: { readonly from: number; readonly to: number },
): Generator<LoggedEvent> {
  for (const { bytes } of readFolderLines(outline, range)) {
    const event = parseLine(bytes.toString('utf8'));
    // A line that was sound when it was outlined and is not now was damaged in between.
    if (typeof event === 'string') throw new Error(`a line changed while it was read: ${event}`);
    yield event;
  }
}

/** Reads the lines of a log between two offsets as bytes, newline included. */
export function* readFolderLines(
  outline: FolderOutline,
  range: { readonly from: number; readonly to: number },
): Generator<{ readonly seq: number; readonly bytes: Buffer }> {
  for (const [index, head] of outline.heads.entries()) {
    const end = head.first + head.count;
    if (end <= range.from) continue;
    if (head.first > range.to) return;
    let seq = head.first;
    for (const { bytes } of readLines(segmentAt(outline, index).path)) {
      if (seq > range.to || seq >= end) break;
      if (seq >= range.from) yield { seq, bytes };
      seq += 1;
    }
  }
}

/** Reads a span of a file. */
export function readSpan(path: string, position: number, bytes: number): Buffer {
  const fd = openSegment(path);
  try {
    const buffer = Buffer.alloc(bytes);
    const count = onDisk(`cannot read ${path}`, () => readSync(fd, buffer, 0, bytes, position));
    return buffer.subarray(0, count);
  } finally {
    closeSync(fd);
  }
}

interface OutlinePart {
  readonly segment: SegmentFile;
  readonly head: SegmentHead;
  readDetail(): SegmentDetail;
  readonly trusted: boolean;
  readonly damage: LogDamage | null;
  readonly tornBytes: number;
}

function outlineSegment(
  segment: SegmentFile,
  state: ChainState,
  options: { readonly full: boolean; readonly last: boolean },
): OutlinePart {
  const index = options.full ? null : readTrustedIndex(segment.path);
  if (
    index !== null &&
    index.head.first === state.seq &&
    index.head.prev === state.prev &&
    segment.first === state.seq
  ) {
    return { segment, ...index, trusted: true, damage: null, tornBytes: 0 };
  }
  const scan = scanSegment(segment, state, options.last);
  const { outline, damage, tornBytes } = scan;
  return { segment, head: outline.head, readDetail: () => outline.detail, trusted: false, damage, tornBytes };
}

interface Scan {
  readonly outline: SegmentOutline;
  readonly damage: LogDamage | null;
  readonly tornBytes: number;
}

function scanSegment(segment: SegmentFile, start: ChainState, last: boolean): Scan {
  const outliner = createOutliner(start.seq, start.prev);
  let state = start;
  let line = 1;
  const damageAt = (byte: number, expected: string, found: string): LogDamage => ({
    segment: segment.name,
    line,
    byte,
    offset: state.seq,
    expected,
    found,
  });
  const stop = (damage: LogDamage | null, tornBytes = 0): Scan => ({
    outline: outliner.finish(state.prev),
    damage,
    tornBytes,
  });
  if (segment.first !== start.seq)
    return stop(damageAt(0, `a segment named ${segmentNameOf(start.seq)}`, segment.name));
  const lines = readLines(segment.path);
  let item = lines.next();
  for (; item.done !== true; item = lines.next()) {
    const { bytes, position } = item.value;
    const step = followChain(state, { text: bytes.toString('utf8'), bytes }, sha256);
    if (step.kind === 'broken') return stop(damageAt(position, step.expected, step.found));
    outliner.add({ event: step.event, position, bytes: bytes.length });
    state = step.next;
    line += 1;
  }
  const { torn, overlong } = item.value;
  if (overlong !== null) return stop(damageAt(overlong, 'a line of at most 1 MiB', 'a longer one'));
  if (torn.length > 0 && !last)
    return stop(damageAt(outliner.finish(state.prev).head.bytes, 'a newline', 'the end of the segment'));
  return stop(null, torn.length);
}

function missingSegment(state: ChainState, found: string): LogDamage {
  const name = segmentNameOf(state.seq);
  return { segment: name, line: 1, byte: 0, offset: state.seq, expected: `a segment ${name}`, found };
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw diskFailure(`cannot read the folder ${folder}`, error);
  }
}

function partAt(parts: readonly OutlinePart[], index: number): OutlinePart {
  const part = parts[index];
  if (part === undefined) throw new RangeError(`no segment ${index}`);
  return part;
}

function segmentAt(outline: FolderOutline, index: number): SegmentFile {
  const segment = outline.segments[index];
  if (segment === undefined) throw new RangeError(`no segment ${index}`);
  return segment;
}

/** A payload's bytes, or null when it is missing. */
export function readPayloadFile(blobs: string, digest: string): Uint8Array | null {
  if (!/^[0-9a-f]{64}$/.test(digest)) return null;
  try {
    return readFileSync(join(blobs, digest));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw diskFailure(`cannot read the payload ${digest}`, error);
  }
}
