/** One log in memory: its lines, its payloads, and the outlines of its segments. Only event 0 of a graph run stands apart. */
import {
  CHAIN_START,
  type ChainState,
  chainAfter,
  createOutliner,
  type Digest,
  type EncodedLine,
  type EventDraft,
  invariant,
  type LoggedEvent,
  lastDigestOf,
  type Outliner,
  parseLine,
  payloadsIn,
  type SegmentOutline,
} from '@ramet/core';
import { encodeLines, isRunStart } from './append.ts';
import { isRunPlan } from './prefix-cut.ts';
import { sha256 } from './sha256.ts';
import type { LogOutline, LogReader, RunStore } from './types.ts';

/** A log that grows. */
export interface MemoryLog {
  readonly lines: Buffer[];
  readonly payloads: Map<string, Uint8Array>;
  readonly segments: MemorySegment[];
  chain: ChainState;
  bytes: number;
}

interface MemorySegment {
  readonly first: number;
  readonly outliner: Outliner;
  /** Of its lines. */
  bytes: number;
  lastDigest: Digest;
}

/** An empty log. */
export function createMemoryLog(): MemoryLog {
  const log: MemoryLog = { lines: [], payloads: new Map(), segments: [], chain: CHAIN_START, bytes: 0 };
  beginSegment(log);
  return log;
}

function beginSegment(log: MemoryLog): MemorySegment {
  const { seq, prev } = log.chain;
  const segment = { first: seq, outliner: createOutliner(seq, prev), bytes: 0, lastDigest: prev };
  log.segments.push(segment);
  return segment;
}

/** Encodes events and appends them: all of them, or none. */
export function appendEvents(log: MemoryLog, drafts: readonly EventDraft[], nowMs: number): readonly LoggedEvent[] {
  const { lines } = encodeLines(drafts, log.chain, nowMs);
  for (const line of lines) acceptLine(log, line);
  return lines.map((line) => line.event);
}

function acceptLine(log: MemoryLog, line: EncodedLine): void {
  const last = log.segments.at(-1);
  const segment = last === undefined || (isRunStart(log.chain) && last.bytes > 0) ? beginSegment(log) : last;
  for (const { digest, bytes } of line.payloads) log.payloads.set(digest, bytes);
  segment.outliner.add({ event: line.event, position: segment.bytes, bytes: line.bytes.length });
  log.lines.push(Buffer.from(line.bytes));
  log.bytes += line.bytes.length + 1;
  segment.bytes += line.bytes.length + 1;
  log.chain = chainAfter(log.chain, line);
  segment.lastDigest = lastDigestOf(log.chain);
}

/** What a reader of a log is asked for. */
export function readMemoryLog(log: MemoryLog): Omit<LogReader, 'id'> {
  const slice = (range: { readonly from?: number; readonly to?: number } = {}): readonly Buffer[] =>
    log.lines.slice(range.from ?? 0, (range.to ?? Number.MAX_SAFE_INTEGER - 1) + 1);
  return {
    readOutline: () => outlineOf(log),
    *readEvents(range) {
      for (const line of slice(range)) yield parseLine(line.toString('utf8')) as LoggedEvent;
    },
    *readBytes(range) {
      for (const line of slice(range)) yield Buffer.concat([line, Buffer.from('\n')]);
    },
    readPayload: (digest) => log.payloads.get(digest) ?? null,
  };
}

function outlineOf(log: MemoryLog): LogOutline {
  const filled = log.segments.filter(({ bytes }) => bytes > 0);
  const outlines = filled.map(({ outliner, lastDigest }) => outliner.finish(lastDigest));
  const readLineBytes = (segment: number, position: number, bytes: number): Buffer =>
    spanAt(log, filled[segment]?.first ?? -1, { position, bytes });
  return {
    heads: outlines.map(({ head }) => head),
    readDetail: (segment) => outlineAt(outlines, segment).detail,
    readLine: (...place) => JSON.parse(readLineBytes(...place).toString('utf8')),
    readLineBytes,
    readSpans: (segment, spans) => spans.map(({ position, bytes }) => readLineBytes(segment, position, bytes)),
    damage: null,
    tornBytes: 0,
  };
}

function outlineAt(outlines: readonly SegmentOutline[], index: number): SegmentOutline {
  const outline = outlines[index];
  if (outline === undefined) throw new RangeError(`no segment ${index}`);
  return outline;
}

function spanAt(log: MemoryLog, first: number, span: { readonly position: number; readonly bytes: number }): Buffer {
  if (span.bytes === 0) return Buffer.alloc(0);
  let at = 0;
  let index = first;
  for (let line = log.lines[index]; line !== undefined && at < span.position; line = log.lines[index]) {
    at += line.length + 1;
    index += 1;
  }
  if (at !== span.position || log.lines[index] === undefined) throw new RangeError(`no line at byte ${span.position}`);
  const lines: Buffer[] = [];
  for (let size = 0; size < span.bytes && index < log.lines.length; index += 1) {
    const line = log.lines[index] ?? Buffer.alloc(0);
    lines.push(line, Buffer.from('\n'));
    size += line.length + 1;
  }
  return Buffer.concat(lines).subarray(0, span.bytes);
}

/** A log that is being built. */
export interface StagedMemoryLog {
  /** Of the prefix, from the moment it is in the log; and of the prefix in any case. */
  readonly adoptedBytes: number;
  readonly sharedBytes: number;
  readonly missingPayloads: readonly string[];
  append(drafts: readonly EventDraft[], nowMs: number): readonly LoggedEvent[];
}

/** Takes the prefix of a plan: at once, or after the graph run's own event 0. */
export function stageMemoryLog(log: MemoryLog, prefix: Parameters<RunStore['stage']>[1]): StagedMemoryLog {
  const taken = prefix === undefined ? NOTHING : takePrefix(log, prefix);
  let waiting = prefix !== undefined && isRunPlan(prefix.plan);
  if (!waiting) for (const line of taken.lines) acceptLine(log, line);
  return {
    get adoptedBytes() {
      return waiting ? 0 : taken.bytes;
    },
    sharedBytes: taken.bytes,
    missingPayloads: taken.missing,
    append: (drafts, nowMs) => {
      if (!waiting) return appendEvents(log, drafts, nowMs);
      const [first, ...rest] = drafts;
      invariant(first?.type === 'graph.start', 'a forked run begins with a graph.start');
      const events = appendEvents(log, [first], nowMs);
      waiting = false;
      for (const line of taken.lines) acceptLine(log, line);
      return [...events, ...appendEvents(log, rest, nowMs)];
    },
  };
}

interface TakenPrefix {
  readonly lines: readonly EncodedLine[];
  readonly bytes: number;
  readonly missing: readonly string[];
}

const NOTHING: TakenPrefix = { lines: [], bytes: 0, missing: [] };

function takePrefix(log: MemoryLog, prefix: NonNullable<Parameters<RunStore['stage']>[1]>): TakenPrefix {
  const { source, plan } = prefix;
  const range = isRunPlan(plan) ? { from: 1, to: plan.offset } : { to: plan.boundary.offset };
  const missing = new Set<string>();
  const lines = [...source.readBytes(range)].map((withNewline): EncodedLine => {
    const bytes = withNewline.subarray(0, -1);
    const event = parseLine(Buffer.from(bytes).toString('utf8')) as LoggedEvent;
    for (const { $blob: digest } of payloadsIn(event)) {
      const payload = source.readPayload(digest);
      if (payload === null) missing.add(digest);
      else log.payloads.set(digest, payload);
    }
    return { bytes, digest: sha256(bytes), event, payloads: [] };
  });
  const bytes = lines.reduce((total, line) => total + line.bytes.length + 1, 0);
  return { lines, bytes, missing: [...missing] };
}
