/**
 * The index beside a segment: its outline, and the identity of the file it was derived from
 * (docs/log-format.md, L21 and L22).
 *
 * 1. The first line is all a fork or a list needs of most segments; the second is read when something asks for it.
 * 2. An index is believed while device, inode, size and mtime of the segment equal those it names, and while its own
 *    sums hold: it is not synced, so a crash may leave any bytes in it.
 * 3. A reader never writes one; an index that cannot be written is no error.
 * 4. What was believed once in this process is believed again while the segment's file has the same identity: the cache
 *    is keyed by the file, so relatives share it, and it holds heads. Details that were read are kept by their sums.
 */
import { type BigIntStats, closeSync, constants, lstatSync, openSync, readFileSync, readSync } from 'node:fs';
import type { SegmentDetail, SegmentHead, SegmentOutline } from '@ramet/core';
import { replaceFile, writeNewFile } from './durable.ts';
import { sha256 } from './sha256.ts';

/** A first line begins so; the SHA-256 of what lies between these two and its newline stands between them. */
const BEFORE_SUM = '{"format":3,"sum":"';
const AFTER_SUM = '",';
const SUM_HEX = 64;
const BODY_START = BEFORE_SUM.length + SUM_HEX + AFTER_SUM.length;

interface FirstLine {
  readonly device: string;
  readonly inode: string;
  readonly size: number;
  readonly mtimeNs: string;
  /** SHA-256 of the second line. */
  readonly detail: string;
  readonly head: SegmentHead;
}

/** An index that was believed: the head, and the detail on demand; null when the detail turns out to be broken. */
export interface TrustedIndex {
  readonly head: SegmentHead;
  readDetail(): SegmentDetail | null;
}

/** The path of a segment's index. */
export function idxPathOf(segmentPath: string): string {
  return `${segmentPath.slice(0, -'.jsonl'.length)}.idx`;
}

/** Reads a segment's index if it may be believed; null otherwise, for whatever reason. */
export function readTrustedIndex(segmentPath: string): TrustedIndex | null {
  const path = idxPathOf(segmentPath);
  try {
    const stat = lstatSync(segmentPath, { bigint: true });
    const first = stat.isFile() ? readBelieved(path, stat) : null;
    return first === null ? null : { head: first.head, readDetail: () => readDetailOf(path, first.detail) };
  } catch {
    return null;
  }
}

function readBelieved(path: string, stat: BigIntStats): FirstLine | null {
  const key = stat.ino ^ (stat.dev << 64n);
  const known = BELIEVED.get(key);
  if (known !== undefined && known.mtimeNs === stat.mtimeNs && known.size === stat.size) return known.first;
  const first = parseFirstLine(readFirstLine(path));
  if (first === null || !isIdentityOf(first, stat)) return null;
  // The oldest goes first: a list of very many runs reads each once anyway.
  if (BELIEVED.size >= BELIEVED_LIMIT) BELIEVED.delete(BELIEVED.keys().next().value ?? 0n);
  BELIEVED.set(key, { size: stat.size, mtimeNs: stat.mtimeNs, first });
  return first;
}

/** At about 2 KB each. */
const BELIEVED_LIMIT = 4096;
const BELIEVED = new Map<bigint, { readonly size: bigint; readonly mtimeNs: bigint; readonly first: FirstLine }>();

function parseFirstLine(line: Buffer): FirstLine | null {
  if (line.toString('latin1', 0, BEFORE_SUM.length) !== BEFORE_SUM) return null;
  const body = line.subarray(BODY_START);
  const sum = line.toString('latin1', BEFORE_SUM.length, BEFORE_SUM.length + SUM_HEX);
  return sum === sha256(body) ? (JSON.parse(`{${body.toString('utf8')}`) as FirstLine) : null;
}

/** Most first lines fit in one small read; the result is valid until the next call. */
function readFirstLine(path: string): Buffer {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const count = readSync(fd, PAGE, 0, PAGE.length, 0);
    const end = PAGE.subarray(0, count).indexOf(0x0a);
    if (end !== -1) return PAGE.subarray(0, end);
    const all = readFileSync(fd);
    const whole = Buffer.concat([PAGE.subarray(0, count), all]);
    return whole.subarray(0, whole.indexOf(0x0a));
  } finally {
    closeSync(fd);
  }
}

const PAGE = Buffer.alloc(8192);

function readDetailOf(path: string, sum: string): SegmentDetail | null {
  const known = DETAILS.get(sum);
  if (known !== undefined) return known.detail;
  try {
    const bytes = readFileSync(path);
    const line = bytes.subarray(bytes.indexOf(0x0a) + 1, -1);
    if (sha256(line) !== sum) return null;
    const detail = JSON.parse(line.toString('utf8')) as SegmentDetail;
    keepDetail(sum, { detail, bytes: line.length });
    return detail;
  } catch {
    return null;
  }
}

interface KnownDetail {
  readonly detail: SegmentDetail;
  /** Of its line. */
  readonly bytes: number;
}

/** Of the lines of all details that are kept: those of runs of some 100 MB, while one is planned, forked and gone on with. */
const DETAILS_LIMIT_BYTES = 2 * 1024 * 1024;
const DETAILS = new Map<string, KnownDetail>();
let detailBytes = 0;

function keepDetail(sum: string, known: KnownDetail): void {
  DETAILS.set(sum, known);
  detailBytes += known.bytes;
  for (const [oldest, { bytes }] of DETAILS) {
    if (detailBytes <= DETAILS_LIMIT_BYTES) return;
    DETAILS.delete(oldest);
    detailBytes -= bytes;
  }
}

/** Writes a segment's index if it can; it is not made durable, because it can be derived again. */
export function writeIndex(segmentPath: string, outline: SegmentOutline): void {
  putIndex(segmentPath, outline, replaceFile);
}

/** Writes the index of a segment in a folder that no reader has yet: half of one cannot be met there. */
export function writeNewIndex(segmentPath: string, outline: SegmentOutline): void {
  putIndex(segmentPath, outline, writeNewFile);
}

function putIndex(segmentPath: string, outline: SegmentOutline, put: typeof replaceFile): void {
  try {
    const second = JSON.stringify(outline.detail);
    const { dev, ino, size, mtimeNs } = lstatSync(segmentPath, { bigint: true });
    const first: FirstLine = {
      device: String(dev),
      inode: String(ino),
      size: Number(size),
      mtimeNs: String(mtimeNs),
      detail: sha256(second),
      head: outline.head,
    };
    const body = JSON.stringify(first).slice(1);
    const text = `${BEFORE_SUM}${sha256(body)}${AFTER_SUM}${body}\n${second}\n`;
    put(idxPathOf(segmentPath), Buffer.from(text), { sync: false });
  } catch {
    // The segment says all of it: the next reader derives it.
  }
}

function isIdentityOf(claimed: FirstLine, stat: BigIntStats): boolean {
  return (
    claimed.mtimeNs === String(stat.mtimeNs) &&
    claimed.inode === String(stat.ino) &&
    claimed.device === String(stat.dev) &&
    claimed.size === Number(stat.size) &&
    claimed.head.bytes === claimed.size
  );
}
