/**
 * Scans segments of a long log that no index vouches for, in this thread and in others beside it, before the chain is
 * followed over them: a segment's outline depends on the lines before it only in where its first line must follow.
 *
 * 1. Nothing is judged here: a scan counts only where the chain, followed from event 0, stands as the scan took it to
 *    stand; any other segment is scanned again by who follows it. So a thread that dies costs nothing but time.
 * 2. The threads end with the work.
 */
import { lstatSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { CHAIN_START, followChain, type RunChain } from '@ramet/core/log';
import { readTrustedIndex } from '../idx.ts';
import { readLines } from '../segment-reader.ts';
import { listSegments, type SegmentFile } from '../segments.ts';
import { sha256 } from '../sha256.ts';
import { type ScannedAhead, type ScanWork, scanApart, takeSegment } from './claims.ts';
import { startScan } from './thread.ts';

/** Scans by the name of the segment. */
export type ScansAhead = ReadonlyMap<string, ScannedAhead>;

export interface ScanAheadOptions {
  /** Believe no index. */
  readonly full?: boolean;
  /** The last segment that counts. */
  readonly through?: string | undefined;
  /** With fewer bytes to scan, one thread is as fast. */
  readonly leastBytes?: number;
  /** Threads beside this one. */
  readonly threads?: number;
}

const LEAST_BYTES = 16 * 1024 * 1024;
const MOST_THREADS = 2;
const THIS_THREAD = 1;

/** Scans what is to be scanned of all segments but the last; nothing where that is little. Never throws. */
export async function scanAhead(folder: string, options: ScanAheadOptions = {}): Promise<ScansAhead> {
  try {
    const threads = Math.min(options.threads ?? availableParallelism() - 1, MOST_THREADS);
    const work = threads < 1 ? null : planWork(folder, options);
    if (work === null) return new Map();
    const { THREAD_URL } = await import('./thread-entry.ts');
    return await scanAll(work, THREAD_URL, threads);
  } catch {
    // Who follows the chain meets it again, if there is no damage before it.
    return new Map();
  }
}

async function scanAll(work: ScanWork, url: string, count: number): Promise<ScansAhead> {
  const scans = new Map<string, ScannedAhead>();
  const takers = Array.from({ length: count }, (_, index) => THIS_THREAD + 1 + index);
  const threads = takers.map((taker) => startScan(url, { work, taker }, scans));
  try {
    for (let segment = takeSegment(work, THIS_THREAD); segment !== null; segment = takeSegment(work, THIS_THREAD)) {
      const ahead = scanApart(segment, work);
      if (ahead !== null) scans.set(segment.name, ahead);
      // Answers of the threads, and whatever else this process serves.
      await new Promise(setImmediate);
    }
    await Promise.all(threads.map(({ answered }) => answered()));
    return scans;
  } finally {
    for (const thread of threads) thread.end();
  }
}

function planWork(folder: string, options: ScanAheadOptions): ScanWork | null {
  const { full = false, through, leastBytes = LEAST_BYTES } = options;
  const files = listSegments(folder, through);
  const segments = full ? files.slice(0, -1) : listUnindexed(files.slice(0, -1));
  const bytes = segments.reduce((sum, { path }) => sum + (lstatSync(path, { throwIfNoEntry: false })?.size ?? 0), 0);
  if (bytes < leastBytes) return null;
  const start = readRunStart(files);
  const takers = new Int32Array(new SharedArrayBuffer(segments.length * Int32Array.BYTES_PER_ELEMENT));
  return start === null ? null : { segments, run: start.run, full, takers };
}

/** Where the first index is believed only its absence counts: in a log that was copied none is believed. */
function listUnindexed(files: readonly SegmentFile[]): readonly SegmentFile[] {
  const isBelieved = ({ path }: SegmentFile): boolean => readTrustedIndex(path) !== null;
  const first = files.find(({ indexed }) => indexed);
  if (first === undefined || isBelieved(first)) return files.filter(({ indexed }) => !indexed);
  return files.filter((file) => !file.indexed || !isBelieved(file));
}

/** What event 0 says of the chain; null when it is damaged. */
function readRunStart([file]: readonly SegmentFile[]): { readonly run: RunChain | null } | null {
  if (file === undefined) return null;
  for (const { bytes } of readLines(file.path)) {
    const step = followChain(CHAIN_START, { text: bytes.toString('utf8'), bytes }, sha256);
    return step.kind === 'linked' ? step.next : null;
  }
  return null;
}
