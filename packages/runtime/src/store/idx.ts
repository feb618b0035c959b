/**
 * The index beside a sealed segment: its outline, and the identity of the file it was derived from
 * (docs/log-format.md, L21 and L22).
 *
 * 1. The first line is all a fork or a list needs of most segments; the second is read when something asks for it.
 * 2. An index is believed while device, inode, size and mtime of the segment equal those it names.
 */
import { closeSync, constants, openSync, readFileSync, readSync, statSync } from 'node:fs';
import type { SegmentDetail, SegmentHead, SegmentOutline } from '@ramet/core';
import { replaceFile } from './durable.ts';

const FORMAT = 1;

interface FileIdentity {
  readonly device: string;
  readonly inode: string;
  readonly size: number;
  readonly mtimeNs: string;
}

/** An index that was believed: the head, and the detail on demand. */
export interface TrustedIndex {
  readonly head: SegmentHead;
  readDetail(): SegmentDetail;
}

/** The path of a segment's index. */
export function idxPathOf(segmentPath: string): string {
  return segmentPath.replace(/\.jsonl$/, '.idx');
}

/** Reads a segment's index if it may be believed; null otherwise, for whatever reason. */
export function readTrustedIndex(segmentPath: string): TrustedIndex | null {
  const path = idxPathOf(segmentPath);
  try {
    const first = JSON.parse(readFirstLine(path)) as FileIdentity & { format: number; head: SegmentHead };
    if (first.format !== FORMAT || !isIdentityOf(first, segmentPath)) return null;
    return { head: first.head, readDetail: () => readDetailOf(path) };
  } catch {
    return null;
  }
}

/** Most first lines fit in one small read; only a list of a thousand runs notices. */
function readFirstLine(path: string): string {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const count = readSync(fd, PAGE, 0, PAGE.length, 0);
    const end = PAGE.subarray(0, count).indexOf(0x0a);
    if (end !== -1) return PAGE.toString('utf8', 0, end);
  } finally {
    closeSync(fd);
  }
  const text = readFileSync(path, 'utf8');
  return text.slice(0, text.indexOf('\n'));
}

const PAGE = Buffer.alloc(8192);

function readDetailOf(path: string): SegmentDetail {
  const text = readFileSync(path, 'utf8');
  return JSON.parse(text.slice(text.indexOf('\n') + 1)) as SegmentDetail;
}

/** Writes a sealed segment's index; not durable on purpose, because it can be derived again. */
export function writeIndex(segmentPath: string, outline: SegmentOutline): void {
  const first = JSON.stringify({ format: FORMAT, ...identityOf(segmentPath), head: outline.head });
  const second = JSON.stringify(outline.detail);
  replaceFile(idxPathOf(segmentPath), Buffer.from(`${first}\n${second}\n`), { sync: false });
}

function identityOf(path: string): FileIdentity {
  const { dev, ino, size, mtimeNs } = statSync(path, { bigint: true });
  return { device: String(dev), inode: String(ino), size: Number(size), mtimeNs: String(mtimeNs) };
}

function isIdentityOf(claimed: FileIdentity & { head: SegmentHead }, path: string): boolean {
  const actual = identityOf(path);
  return (
    claimed.device === actual.device &&
    claimed.inode === actual.inode &&
    claimed.size === actual.size &&
    claimed.mtimeNs === actual.mtimeNs &&
    claimed.head.bytes === actual.size
  );
}
