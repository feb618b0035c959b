/** Reads one run's folder: no lock, nothing written. */
import { lstatSync } from 'node:fs';
import { Failure, parseRunId, type RunId } from '@ramet/core';
import type { RunPaths } from './layout.ts';
import {
  type FolderOutline,
  type FolderOutlineOptions,
  readFolderEvents,
  readFolderLines,
  readFolderOutline,
} from './log-folder.ts';
import { readPayloadFile } from './payload-files.ts';
import { refuseDamaged, refuseUnknown } from './refusals.ts';
import type { LogReader } from './types.ts';

const NEWLINE = Buffer.from('\n');

export interface FolderReader extends LogReader {
  readOutline(options?: FolderOutlineOptions): FolderOutline;
}

/** Whether a run lies there: a folder of its own, named by an id; a link in `runs/` is no run. */
export function hasRun(id: RunId, paths: RunPaths): boolean {
  return parseRunId(id) !== null && (lstatSync(paths.folder, { throwIfNoEntry: false })?.isDirectory() ?? false);
}

/** Reads a run that lies there; one that is removed meanwhile is an `unknown_run` failure. */
export function openRunReader(id: RunId, paths: RunPaths): FolderReader {
  return readRunBy(id, paths, (options) => {
    try {
      const outline = readFolderOutline(paths.log, options);
      if (outline.last !== undefined || hasRun(id, paths)) return outline;
    } catch (error) {
      if (hasRun(id, paths)) throw error;
    }
    throw new Failure('unknown_run', refuseUnknown(id).message, { data: { id } });
  });
}

/** Reads a run by outlines that come from elsewhere, and no further than they go. */
export function readRunBy(id: RunId, paths: RunPaths, readOutline: FolderReader['readOutline']): FolderReader {
  const readSound = (range: Range): FolderOutline => {
    const outline = readOutline();
    const { damage } = outline;
    if (damage === null || (range.to !== undefined && range.to < damage.offset)) return outline;
    throw new Failure('log_damaged', refuseDamaged(id, outline).message, { data: { id, damage } });
  };
  return {
    id,
    readOutline,
    *readEvents(range = {}) {
      yield* readFolderEvents(readSound(range), { from: range.from ?? 0, to: range.to ?? Number.MAX_SAFE_INTEGER });
    },
    *readBytes(range = {}) {
      const wanted = { from: range.from ?? 0, to: range.to ?? Number.MAX_SAFE_INTEGER };
      for (const { bytes } of readFolderLines(readSound(range), wanted)) yield Buffer.concat([bytes, NEWLINE]);
    },
    readPayload: (digest) => readPayloadFile(paths.blobs, digest),
  };
}

interface Range {
  readonly to?: number;
}
