import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { SegmentFile } from './files.ts';
import { readOrigin } from './origin.ts';
import type { Place, Report } from './problem.ts';

/** One event as found; fields are whatever the line holds. */
export type Fields = Readonly<Record<string, unknown>>;

/** One line that holds an object, and where it lies. */
export interface AuditedLine {
  /** Its place in the log, counted, not read. */
  readonly offset: number;
  readonly event: Fields;
  readonly bytes: Uint8Array;
  /** SHA-256 of its bytes. */
  readonly digest: string;
  /** Of its first byte, in the log. */
  readonly position: number;
  readonly place: Required<Place>;
}

/** What one segment holds. */
export interface AuditedSegment {
  readonly file: SegmentFile;
  /** Lines, unreadable ones counted. */
  readonly count: number;
  readonly lines: readonly AuditedLine[];
}

/** Where the chain stands before a line. */
export interface Link {
  offset: number;
  /** What its `prev` must be, and the rule that says so. */
  digest: string;
  rule: 'L6' | 'L24';
  /** Bytes of the segments before. */
  position: number;
}

const LINE_LIMIT = 1_048_576;
const NEWLINE = 0x0a;
const ENVELOPE = /^\s*\{\s*"seq"\s*:\s*\d+\s*,\s*"prev"\s*:\s*"[^"]*"\s*,\s*"time"\s*:\s*"[^"]*"\s*,\s*"type"\s*:/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Reads a segment and judges its name, its lines and their chain (L1, L4, L5, L6, L9); `link` moves on. */
export function readSegment(file: SegmentFile, link: Link, report: Report): AuditedSegment {
  if (file.first !== link.offset) {
    report.add('L1', `its first event has offset ${link.offset}`, { segment: file.name });
  }
  const bytes = readFileSync(file.path);
  const lines: AuditedLine[] = [];
  let start = 0;
  let count = 0;
  for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
    count += 1;
    const place = { segment: file.name, line: count, byte: start };
    const line = readLine(bytes.subarray(start, end), { link, place }, report);
    if (line !== null) lines.push(line);
    start = end + 1;
  }
  if (start < bytes.length && (!file.last || file.sealed)) {
    report.add('L9', 'a sealed segment ends within a line', { segment: file.name, line: count + 1, byte: start });
  }
  link.position += bytes.length;
  return { file, count, lines };
}

/** SHA-256 in lower-case hex. */
export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function readLine(
  bytes: Uint8Array,
  at: { readonly link: Link; readonly place: Required<Place> },
  report: Report,
): AuditedLine | null {
  const { link, place } = at;
  const expected = { ...link };
  const digest = sha256Of(bytes);
  link.offset += 1;
  link.digest = digest;
  link.rule = 'L6';
  if (bytes.length > LINE_LIMIT) report.add('L4', `the line has ${bytes.length} bytes`, place);
  if (bytes.some((byte) => byte < 0x20)) report.add('L4', 'the line holds a control character', place);
  const parsed = parseObject(bytes);
  if (typeof parsed === 'string') {
    report.add('L4', parsed, place);
    return null;
  }
  judgeEnvelope(parsed, { expected, place }, report);
  const { offset } = expected;
  const line = { offset, event: parsed.event, bytes, digest, position: link.position + place.byte, place };
  const origin = readOrigin(line);
  if (origin) Object.assign(link, { digest: origin.sourceEvent0Digest, rule: 'L24' });
  return line;
}

function parseObject(bytes: Uint8Array): { readonly event: Fields; readonly text: string } | string {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return 'the line is not UTF-8';
  }
  try {
    const event: unknown = JSON.parse(text);
    if (typeof event !== 'object' || event === null || Array.isArray(event)) return 'the line is not a JSON object';
    return { event: event as Fields, text };
  } catch {
    return 'the line is not JSON';
  }
}

function judgeEnvelope(
  parsed: { readonly event: Fields; readonly text: string },
  at: { readonly expected: Link; readonly place: Place },
  report: Report,
): void {
  const { seq, prev, time, type } = parsed.event;
  const { expected, place } = at;
  if (seq !== expected.offset) report.add('L5', `seq is ${shown(seq)}, not ${expected.offset}`, place);
  if (typeof time !== 'string' || !isTime(time)) report.add('L5', `time is ${shown(time)}`, place);
  if (typeof type !== 'string') report.add('L5', `type is ${shown(type)}`, place);
  else if (Number.isInteger(seq) && typeof prev === 'string' && !ENVELOPE.test(parsed.text)) {
    report.add('L5', 'seq, prev, time and type do not come first and in this order', place);
  }
  if (prev !== expected.digest) report.add(expected.rule, `prev is ${shown(prev)}, not ${expected.digest}`, place);
}

function isTime(text: string): boolean {
  const time = Date.parse(text);
  return TIME.test(text) && !Number.isNaN(time) && new Date(time).toISOString() === text;
}

/** A found value in a message: short, on one line. */
export function shown(value: unknown): string {
  const text = textOf(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** A value as text, whatever a hostile line holds. */
export function textOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'missing';
  } catch {
    return 'a value too deep to show';
  }
}
