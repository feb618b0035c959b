/** Writes what the packs hold of a checkpoint's small files, in batches: here, and in threads where that pays. */
import { join } from 'node:path';
import { type BytePath, locate } from '../folder/names.ts';
import type { WalkedEntry } from '../folder/walk.ts';
import { makeModes } from '../manifest.ts';
import type { CheckpointEntry } from '../read.ts';
import { type BatchFile, SEEN_FIELDS, WHOLE_BYTES, type WrittenBatch, writeBatch } from './batch.ts';
import { makeDates } from './dates.ts';
import { PackReader } from './packs/reader.ts';
import type { ThreadRequest } from './thread-entry.ts';
import { listThreads, startWritingThreads, type WritingThread } from './threads.ts';
import type { WriteRequest } from './write-files.ts';

export interface WrittenBatches {
  /** What was seen of each written file when it was closed. */
  readonly entries: Map<BytePath, WalkedEntry>;
  /** Files that no pack had, or only damaged or in a form that is left to git; they are not there. */
  readonly unread: readonly CheckpointEntry[];
}

const BATCH_FILES = 128;
/** With fewer files, starting threads takes longer than they save; with a few, handing them over does. */
const FEWEST_TO_START_THREADS = 10_000;
const FEWEST_FOR_THREADS = 1000;

let restores = 0;

/** Writes the files; throws when one could not be written, and then nothing writes any more. */
export async function writeBatches(request: WriteRequest, files: readonly CheckpointEntry[]): Promise<WrittenBatches> {
  restores += 1;
  const { project, format } = request;
  const packs = [project.storeGit, project.baseGit].map((gitDir) => join(gitDir, 'objects', 'pack'));
  const common = { restore: restores, packs, hashName: format.name };
  if (files.length >= FEWEST_TO_START_THREADS) startWritingThreads();
  const threads = files.length >= FEWEST_FOR_THREADS ? listThreads() : [];
  const reader = new PackReader(packs, WHOLE_BYTES);
  const collector = new Collector();
  const used = new Set<WritingThread>();
  const handed: Promise<unknown>[] = [];
  const describe = makeDescribe(request);
  try {
    for (let from = 0; from < files.length && collector.failure === null; from += BATCH_FILES) {
      const batch = files.slice(from, from + BATCH_FILES);
      const message = { ...common, files: batch.map(describe) };
      const taken = hand(threads, message);
      if (taken === null) collector.add(batch, writeBatch(reader, message.files, format.name));
      else {
        used.add(taken.thread);
        handed.push(collector.addLater(batch, taken.written));
      }
      // Answers of the threads, and whatever else this process serves.
      await new Promise(setImmediate);
    }
  } catch (error) {
    collector.failure ??= error;
  }
  await Promise.all(handed);
  reader.close();
  for (const thread of used) thread.end({ ...common, files: null });
  if (collector.failure !== null) throw collector.failure;
  return collector;
}

/** Says of a file what writing it takes. */
export function makeDescribe(request: WriteRequest): (entry: CheckpointEntry) => BatchFile {
  const modeOf = makeModes(request.contents.manifest);
  const dateOf = makeDates(request);
  return (entry) => ({
    place: locate(request.staging, entry.path),
    mode: modeOf(entry),
    date: dateOf(entry.path),
    oid: entry.oid,
  });
}

/** What `finishFile` saw, as a walk would say it. */
export function describeSeen(path: BytePath, seen: ArrayLike<number>, at = 0): WalkedEntry {
  const field = (position: number) => seen[at + position] ?? 0;
  return {
    path,
    kind: 'file',
    mode: field(0) & 0o7777,
    size: field(1),
    ino: field(2),
    mtimeMs: field(3),
    ctimeMs: field(4),
    uid: field(5),
    gid: field(6),
  };
}

function hand(threads: readonly WritingThread[], message: ThreadRequest) {
  for (const thread of threads) {
    const written = thread.take(message);
    if (written !== null) return { thread, written };
  }
  return null;
}

class Collector implements WrittenBatches {
  readonly entries = new Map<BytePath, WalkedEntry>();
  readonly unread: CheckpointEntry[] = [];
  /** The first one. */
  failure: unknown = null;

  add(batch: readonly CheckpointEntry[], { seen, unread }: WrittenBatch): void {
    const left = new Set(unread);
    for (const [position, entry] of batch.entries()) {
      if (left.has(position)) this.unread.push(entry);
      else this.entries.set(entry.path, describeSeen(entry.path, seen, position * SEEN_FIELDS));
    }
  }

  async addLater(batch: readonly CheckpointEntry[], written: Promise<WrittenBatch>): Promise<void> {
    try {
      this.add(batch, await written);
    } catch (error) {
      this.failure ??= error;
    }
  }
}
