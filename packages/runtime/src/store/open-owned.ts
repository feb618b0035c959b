/**
 * What an owner does before its first append: it repairs a torn tail, once, and takes up the last segment where it ends.
 */
import { closeSync, fstatSync, ftruncateSync } from 'node:fs';
import {
  CHAIN_START,
  type ChainState,
  createOutliner,
  type EventDraft,
  Failure,
  followChain,
  type Outliner,
} from '@ramet/core';
import { onDisk, openForAppend, writeAll } from './durable.ts';
import { type FolderOutline, readFolderOutline, readSpan } from './log-folder.ts';
import { type ActiveSegment, createSegment, SEAL_BYTES } from './log-writer.ts';
import { readLines } from './segment-reader.ts';
import { sha256 } from './sha256.ts';

/** A log ready to be appended to. */
export interface ReadyLog {
  readonly segment: ActiveSegment;
  readonly chain: ChainState;
  /** `log.repair`, when there was something to repair. */
  readonly repair: EventDraft | null;
}

/** Makes an undamaged log ready; `outline` was read under its exclusive lock. */
export function prepareLog(log: string, outline: FolderOutline): ReadyLog {
  const chain = chainOf(outline);
  if (outline.tornBytes === 0) return { segment: takeUpSegment(log, outline, chain), chain, repair: null };
  const { kept, droppedBytes } = repairTail(log, outline, chain);
  const repaired = readFolderOutline(log);
  const next = chainOf(repaired);
  return {
    segment: takeUpSegment(log, repaired, next),
    chain: next,
    repair: { type: 'log.repair', kept, droppedBytes },
  };
}

/** The chain state after the last complete line. */
export function chainOf(outline: FolderOutline): ChainState {
  const last = outline.heads.at(-1);
  return last === undefined ? CHAIN_START : { seq: last.first + last.count, prev: last.digest };
}

function repairTail(log: string, outline: FolderOutline, chain: ChainState): { kept: boolean; droppedBytes: number } {
  const last = lastSegmentOf(log, outline, chain);
  const fd = openForAppend(last.path);
  try {
    const torn = readSpan(last.path, last.bytes, outline.tornBytes);
    const step = followChain(chain, { text: torn.toString('utf8'), bytes: torn }, sha256);
    const kept = step.kind === 'linked' && fstatSync(fd).size === last.bytes + torn.length;
    onDisk(`cannot repair ${last.path}`, () => {
      if (kept) writeAll(fd, Uint8Array.of(0x0a));
      else ftruncateSync(fd, last.bytes);
    });
    return { kept, droppedBytes: kept ? 0 : outline.tornBytes };
  } finally {
    closeSync(fd);
  }
}

interface LastSegment {
  readonly path: string;
  readonly bytes: number;
  readonly start: ChainState;
  readonly sealed: boolean;
}

/** The segment the next line belongs to by what is on disk; it may be empty and so in no outline. */
function lastSegmentOf(log: string, outline: FolderOutline, chain: ChainState): LastSegment {
  const file = outline.files.at(-1);
  if (file === undefined) throw new Failure('log_damaged', `${log} has no segment`);
  const head = outline.heads.at(-1);
  if (head !== undefined && head.first === file.first) {
    const sealed = head.bytes > SEAL_BYTES || (outline.trusted.at(-1) ?? false);
    return { path: file.path, bytes: head.bytes, start: { seq: head.first, prev: head.prev }, sealed };
  }
  return { path: file.path, bytes: 0, start: chain, sealed: false };
}

function takeUpSegment(log: string, outline: FolderOutline, chain: ChainState): ActiveSegment {
  const last = lastSegmentOf(log, outline, chain);
  if (last.sealed) return createSegment(log, chain);
  return {
    fd: openForAppend(last.path),
    path: last.path,
    bytes: last.bytes,
    outliner: outlineAgain(last),
  };
}

function outlineAgain(last: LastSegment): Outliner {
  const outliner = createOutliner(last.start.seq, last.start.prev);
  let state = last.start;
  for (const { bytes, position } of readLines(last.path)) {
    const step = followChain(state, { text: bytes.toString('utf8'), bytes }, sha256);
    if (step.kind === 'broken') throw new Failure('log_damaged', `${last.path} changed while it was opened`);
    outliner.add({ event: step.event, position, bytes: bytes.length });
    state = step.next;
  }
  return outliner;
}
