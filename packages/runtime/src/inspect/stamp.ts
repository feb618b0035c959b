/**
 * Cheap evidence that a run is as it was when it was read: its lock, which every owner writes to, and the segment in which
 * its log ended, which alone may grow without one.
 */
import { lstatSync } from 'node:fs';
import { codeOf, type RunPaths } from '../store/index.ts';
import { listSegments } from '../store/segments.ts';

/** What was there. */
export interface RunStamp {
  readonly lock: string;
  /** The path of the last segment; null without any. */
  readonly last: string | null;
  readonly segment: string;
}

/** Takes the stamp of a run; before it is read, so that what changes meanwhile is seen. Never throws: who reads it says why. */
export function takeStamp({ lock, log }: RunPaths): RunStamp {
  const last = findLast(log);
  return { lock: describeFile(lock), last, segment: last === null ? '' : describeFile(last) };
}

/** Whether a run still has this stamp. */
export function hasStamp({ lock }: RunPaths, stamp: RunStamp): boolean {
  return describeFile(lock) === stamp.lock && (stamp.last === null || describeFile(stamp.last) === stamp.segment);
}

function findLast(log: string): string | null {
  try {
    return listSegments(log).at(-1)?.path ?? null;
  } catch {
    return null;
  }
}

/** Its links count: a fork shares segments, and a run that shares them takes less of its own. */
function describeFile(path: string): string {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats === undefined ? '' : `${stats.dev}:${stats.ino}:${stats.nlink}:${stats.size}:${stats.mtimeMs}`;
  } catch (error) {
    return codeOf(error);
  }
}
