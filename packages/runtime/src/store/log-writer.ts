/**
 * Appends to one log on disk.
 *
 * 1. Payloads are on disk before the line that names them; both are durable before a durable append returns.
 * 2. A failed append is cut back to the last good byte before anything else is written; the caller is told.
 * 3. A failed fdatasync ends the writer for good: what the kernel still holds is not known, so nothing is retried.
 * 4. A segment above `SEAL_BYTES` is sealed in this order: sync, index, mode, sync, next file, sync the folder.
 */
import { closeSync, fchmodSync, ftruncateSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ChainState,
  createOutliner,
  type EncodedLine,
  type EventDraft,
  type Failure,
  type LoggedEvent,
  type Outliner,
  type SegmentOutline,
} from '@ramet/core';
import { encodeLines, linesToBytes, writePayload } from './append.ts';
import { createFile, diskFailure, onDisk, SEALED_MODE, syncFile, syncFolder, writeAll } from './durable.ts';
import { writeIndex } from './idx.ts';
import { segmentNameOf } from './log-folder.ts';
import { openSegment } from './segment-reader.ts';

/** A segment above this size is sealed (1 MiB). */
export const SEAL_BYTES = 1024 * 1024;

export interface WriterStart {
  /** The run's `log` and `blobs` folders. */
  readonly log: string;
  readonly blobs: string;
  /** Current time in Unix milliseconds. */
  readonly now: () => number;
  /** The active segment: opened for appending, its path, size, and the outline so far. */
  readonly segment: ActiveSegment;
  readonly chain: ChainState;
  /** Seal above this many bytes; tests make it small. */
  readonly sealBytes?: number;
}

export interface ActiveSegment {
  readonly fd: number;
  readonly path: string;
  readonly bytes: number;
  readonly outliner: Outliner;
}

export interface LogWriter {
  readonly chain: ChainState;
  append(drafts: readonly EventDraft[], options: { readonly durable: boolean }): Promise<readonly LoggedEvent[]>;
  /** Makes all that was appended durable. */
  sync(): Promise<void>;
  close(): void;
}

/** Creates an empty segment file that follows a chain state. */
export function createSegment(log: string, chain: ChainState): ActiveSegment {
  const path = join(log, segmentNameOf(chain.seq));
  return { fd: createFile(path), path, bytes: 0, outliner: createOutliner(chain.seq, chain.prev) };
}

/** Starts appending where `start` says. */
export function openLogWriter(start: WriterStart): LogWriter {
  let { segment, chain } = start;
  let broken: Failure | null = null;
  const dirtyPayloads = new Set<string>();

  const write = (lines: readonly EncodedLine[]): void => {
    for (const line of lines)
      for (const payload of line.payloads) dirtyPayloads.add(writePayload(start.blobs, payload));
    const bytes = linesToBytes(lines);
    try {
      writeAll(segment.fd, bytes);
    } catch (error) {
      cutBack(segment);
      throw diskFailure(`cannot append to ${segment.path}`, error);
    }
  };

  const accept = (lines: readonly EncodedLine[]): void => {
    let position = segment.bytes;
    for (const line of lines) {
      segment.outliner.add({ event: line.event, position, bytes: line.bytes.length });
      position += line.bytes.length + 1;
      chain = { seq: line.event.seq + 1, prev: line.digest };
    }
    segment = { ...segment, bytes: position };
  };

  const sync = async (): Promise<void> => {
    try {
      await syncPayloads(start.blobs, dirtyPayloads);
      await syncFile(segment.fd);
    } catch (error) {
      broken = diskFailure(`cannot make ${segment.path} durable; the run must be opened anew`, error);
      throw broken;
    }
  };

  const seal = async (): Promise<void> => {
    await sync();
    const full = segment;
    segment = await sealSegment(full, full.outliner.finish(chain.prev), { log: start.log, chain });
  };

  return {
    get chain() {
      return chain;
    },
    append: async (drafts, options) => {
      if (broken !== null) throw broken;
      const lines = encodeLines(drafts, chain, start.now());
      write(lines);
      accept(lines);
      if (options.durable) await sync();
      if (segment.bytes > (start.sealBytes ?? SEAL_BYTES)) await seal();
      return lines.map((line) => line.event);
    },
    sync,
    close: () => closeSync(segment.fd),
  };
}

/** A payload that was there already may not be durable yet: all that the new lines name are synced. */
async function syncPayloads(blobs: string, dirty: Set<string>): Promise<void> {
  if (dirty.size === 0) return;
  for (const path of dirty) {
    const fd = openSegment(path);
    try {
      await syncFile(fd);
    } finally {
      closeSync(fd);
    }
  }
  await syncFolder(blobs);
  dirty.clear();
}

/** If even this fails, the next owner finds a torn tail and repairs it. */
function cutBack(segment: ActiveSegment): void {
  try {
    ftruncateSync(segment.fd, segment.bytes);
  } catch {
    // Told by the append that failed.
  }
}

async function sealSegment(
  full: ActiveSegment,
  outline: SegmentOutline,
  next: { readonly log: string; readonly chain: ChainState },
): Promise<ActiveSegment> {
  onDisk(`cannot seal ${full.path}`, () => fchmodSync(full.fd, SEALED_MODE));
  writeIndex(full.path, outline);
  await syncFile(full.fd);
  const segment = createSegment(next.log, next.chain);
  closeSync(full.fd);
  await syncFolder(next.log);
  return segment;
}
