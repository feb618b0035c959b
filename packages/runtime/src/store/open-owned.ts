/**
 * What an owner does before its first append: it removes what a crash left, repairs a torn tail, writes the indexes that
 * are missing or wrong, and takes up the last segment where it ends.
 *
 * 1. A repair and its `log.repair` are one write over the torn bytes: a crash in it leaves a torn tail again, and nothing
 *    is repaired without a record. One exception: a torn tail in the first segment of a graph run, which no crash of ours
 *    leaves. There event 0 stands alone, so the record is event 1, written after the repair.
 * 2. A sealed segment is never written to, whoever may write to it.
 * 3. What its owner died before is done: a segment that must be sealed is, and the next one is there.
 */
import { isUtf8 } from 'node:buffer';
import { chmodSync, closeSync, fstatSync, ftruncateSync, lstatSync } from 'node:fs';
import { type ChainState, type EventDraft, Failure, followChain, LINE_LIMIT_BYTES, lastDigestOf } from '@ramet/core';
import { encodeLines, isRunStart, linesToBytes } from './append.ts';
import { onDisk, openForAppend, openForRepair, SEALED_MODE, sweepTemporaries, syncFile, writeAll } from './durable.ts';
import { writeIndex } from './idx.ts';
import type { RunPaths } from './layout.ts';
import { type FolderOutline, type OutlinePart, readFolderOutline } from './log-folder.ts';
import { type ActiveSegment, createSegment, type LogWriter, openLogWriter, sealSegment } from './log-writer.ts';
import { readSpan } from './segment-reader.ts';
import { sha256 } from './sha256.ts';

/** A log that is ours, and whether it had to be repaired. */
export interface OpenedLog {
  readonly writer: LogWriter;
  readonly repaired: boolean;
}

export interface OpenOptions {
  /** Current time in Unix milliseconds. */
  readonly now: () => number;
  readonly sealBytes?: number;
}

/** Opens an undamaged log for appending; `found` was read, its last segment too, under the log's exclusive lock. */
export async function openOwnedLog(paths: RunPaths, found: FolderOutline, options: OpenOptions): Promise<OpenedLog> {
  for (const folder of [paths.folder, paths.log, paths.blobs]) sweepTemporaries(folder);
  const repaired = found.tornBytes > 0;
  const unrecorded = repaired ? await repairTail(found, options) : null;
  const outline = repaired ? readFolderOutline(paths.log, { readLast: true }) : found;
  rebuildIndexes(outline);
  const segment = await takeUpSegment(paths.log, outline);
  const { log, blobs } = paths;
  const writer = openLogWriter({ log, blobs, ...options, segment, chain: outline.chain });
  if (unrecorded !== null) await recordRepair(writer, unrecorded);
  return { writer, repaired };
}

async function recordRepair(writer: LogWriter, record: EventDraft): Promise<void> {
  try {
    await writer.append([record], { durable: true });
  } catch (error) {
    writer.close();
    throw error;
  }
}

/** Repairs a torn tail; returns the record of it when that belongs into the next segment. */
async function repairTail(outline: FolderOutline, options: OpenOptions): Promise<EventDraft | null> {
  const last = lastOf(outline);
  const { path } = last.segment;
  if (isSealed(path)) throw new Failure('log_damaged', `${path} is sealed and does not end with a newline`);
  const { chain } = outline;
  const torn = readSpan(path, last.head.bytes, outline.tornBytes);
  const step = followChain(chain, { text: torn.toString('utf8'), bytes: torn }, sha256);
  const follows = step.kind === 'linked' && torn.length <= LINE_LIMIT_BYTES && isUtf8(torn);
  const kept = follows && !holdsRunStart(last, chain) ? step.next : null;
  const draft: EventDraft = { type: 'log.repair', kept: kept !== null, droppedBytes: kept === null ? torn.length : 0 };
  const apart = holdsRunStart(last, kept ?? chain);
  const record = apart ? new Uint8Array() : linesToBytes(encodeLines([draft], kept ?? chain, options.now()).lines);
  const at = last.head.bytes + (kept === null ? 0 : torn.length);
  await overwriteTail(path, { at, bytes: kept === null ? record : Buffer.concat([Buffer.from('\n'), record]) });
  return apart ? draft : null;
}

async function overwriteTail(path: string, tail: { readonly at: number; readonly bytes: Uint8Array }): Promise<void> {
  const { at, bytes } = tail;
  const fd = openForRepair(path);
  try {
    onDisk(`cannot repair ${path}`, () => {
      writeAll(fd, bytes, at);
      if (fstatSync(fd).size > at + bytes.length) ftruncateSync(fd, at + bytes.length);
    });
    await syncFile(fd);
  } finally {
    closeSync(fd);
  }
}

/** Readers derive an index again and again; the owner writes it. A segment that is not the last is sealed if it is not. */
function rebuildIndexes(outline: FolderOutline): void {
  outline.segments.forEach((segment, index) => {
    const head = outline.heads[index];
    if (outline.trusted[index] === true || head === undefined) return;
    const isLast = segment.name === outline.last?.segment.name;
    if (isLast && !isSealed(segment.path)) return;
    onDisk(`cannot seal ${segment.path}`, () => chmodSync(segment.path, SEALED_MODE));
    writeIndex(segment.path, { head, detail: outline.readDetail(index) });
  });
}

async function takeUpSegment(log: string, outline: FolderOutline): Promise<ActiveSegment> {
  const last = lastOf(outline);
  const { segment, head, outliner } = last;
  if (isSealed(segment.path)) return createSegment(log, outline.chain);
  if (outliner === undefined) throw new Failure('log_damaged', `${segment.path} was not read before it was opened`);
  const { name, path } = segment;
  const taken = { fd: openForAppend(path), name, path, bytes: head.bytes, outliner };
  if (!holdsRunStart(last, outline.chain)) return taken;
  try {
    await sealSegment(taken, lastDigestOf(outline.chain));
  } finally {
    closeSync(taken.fd);
  }
  return createSegment(log, outline.chain);
}

/** Whether a segment is the first of a graph run, with event 0 in it. */
function holdsRunStart(part: OutlinePart, chain: ChainState): boolean {
  return part.segment.first === 0 && isRunStart(chain);
}

function lastOf(outline: FolderOutline): OutlinePart {
  if (outline.last === undefined) throw new Failure('log_damaged', 'the log has no segment');
  return outline.last;
}

/** No one may write to it: it may be shared with relatives. */
function isSealed(path: string): boolean {
  return (lstatSync(path).mode & 0o222) === 0;
}
