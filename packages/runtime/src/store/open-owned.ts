/**
 * What an owner does before its first append: it removes what a crash left, repairs a torn tail, writes the indexes that
 * are missing or wrong, and takes up the last segment where it ends.
 *
 * 1. A repair and its `log.repair` are one write over the torn bytes: a crash in it leaves a torn tail again, and nothing
 *    is ever repaired without a record.
 * 2. A sealed segment is never written to, whoever may write to it.
 */
import { isUtf8 } from 'node:buffer';
import { chmodSync, closeSync, fstatSync, ftruncateSync, lstatSync } from 'node:fs';
import { type EventDraft, Failure, followChain, LINE_LIMIT_BYTES } from '@ramet/core';
import { encodeLines, linesToBytes } from './append.ts';
import {
  onDisk,
  openForAppend,
  openForRepair,
  SEALED_MODE,
  sweepTemporaries,
  syncFile,
  syncFolder,
  writeAll,
} from './durable.ts';
import { writeIndex } from './idx.ts';
import type { RunPaths } from './layout.ts';
import { chainAfter, type FolderOutline, type OutlinePart, readFolderOutline } from './log-folder.ts';
import { type ActiveSegment, createSegment, type LogWriter, openLogWriter } from './log-writer.ts';
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
  if (repaired) await repairTail(found, options);
  const outline = repaired ? readFolderOutline(paths.log, { readLast: true }) : found;
  rebuildIndexes(outline);
  const segment = takeUpSegment(paths.log, outline);
  // The name of the segment may be younger than the last owner's last sync of the folder.
  await syncFolder(paths.log);
  const { log, blobs } = paths;
  return { writer: openLogWriter({ log, blobs, ...options, segment, chain: chainAfter(outline) }), repaired };
}

async function repairTail(outline: FolderOutline, options: OpenOptions): Promise<void> {
  const last = lastOf(outline);
  const { path } = last.segment;
  if (isSealed(path)) throw new Failure('log_damaged', `${path} is sealed and does not end with a newline`);
  const chain = chainAfter(outline);
  const torn = readSpan(path, last.head.bytes, outline.tornBytes);
  const step = followChain(chain, { text: torn.toString('utf8'), bytes: torn }, sha256);
  const kept = step.kind === 'linked' && torn.length <= LINE_LIMIT_BYTES && isUtf8(torn);
  const draft: EventDraft = { type: 'log.repair', kept, droppedBytes: kept ? 0 : torn.length };
  const record = linesToBytes(encodeLines([draft], kept ? step.next : chain, options.now()));
  const at = last.head.bytes + (kept ? torn.length : 0);
  const bytes = kept ? Buffer.concat([Buffer.from('\n'), record]) : record;
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

function takeUpSegment(log: string, outline: FolderOutline): ActiveSegment {
  const { segment, head, outliner } = lastOf(outline);
  if (isSealed(segment.path)) return createSegment(log, chainAfter(outline));
  if (outliner === undefined) throw new Failure('log_damaged', `${segment.path} was not read before it was opened`);
  return { fd: openForAppend(segment.path), name: segment.name, path: segment.path, bytes: head.bytes, outliner };
}

function lastOf(outline: FolderOutline): OutlinePart {
  if (outline.last === undefined) throw new Failure('log_damaged', 'the log has no segment');
  return outline.last;
}

/** No one may write to it: it may be shared with relatives. */
function isSealed(path: string): boolean {
  return (lstatSync(path).mode & 0o222) === 0;
}
