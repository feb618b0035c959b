/**
 * Appends to one log on disk.
 *
 * 1. Payloads are durable before the line that names them is written.
 * 2. A failed append is cut back to the last good byte before anything else is written; the caller is told. When even
 *    that fails the writer ends: the next owner finds a torn tail.
 * 3. A failed fdatasync ends the writer for good: what the kernel still holds is not known, so nothing is retried.
 * 4. A segment above `SEAL_BYTES`, or with event 0 of a graph run, is sealed before the next line is written, in this
 *    order: sync, index, mode, sync, next file, sync the folder. What fails before the next file may be tried again.
 * 5. Appends run one after the other, in the order they were asked for; none begins after `close`.
 * 6. The name of the segment it begins with may be younger than the last owner's last sync of the folder: it is durable
 *    with the first line that is.
 */
import { closeSync, fchmodSync, ftruncateSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ChainState,
  createOutliner,
  type Digest,
  type EventDraft,
  Failure,
  invariant,
  type LoggedEvent,
  lastDigestOf,
  type Outliner,
  type SegmentOutline,
} from '@ramet/core';
import { type EncodedLines, encodeLines, isRunStart, linesToBytes } from './append.ts';
import {
  createFile,
  diskFailure,
  onDisk,
  SEALED_MODE,
  syncFile,
  syncFileAndMode,
  syncFolder,
  writeAll,
} from './durable.ts';
import { writeIndex } from './idx.ts';
import { syncPayloads, writePayloads } from './payload-files.ts';
import { segmentNameOf } from './segments.ts';

/** A segment above this size is sealed (1 MiB). */
const SEAL_BYTES = 1024 * 1024;

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
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
  readonly outliner: Outliner;
}

/** The outline of a segment that may still grow. */
export interface ActiveOutline {
  readonly name: string;
  readonly outline: SegmentOutline;
}

export interface LogWriter {
  readonly chain: ChainState;
  /** The outline of the active segment, with all that was appended. */
  readonly active: ActiveOutline;
  append(drafts: readonly EventDraft[], options: { readonly durable: boolean }): Promise<readonly LoggedEvent[]>;
  /** Makes all that was appended durable; returns the outline of the active segment at that moment. */
  sync(): Promise<ActiveOutline>;
  close(): void;
}

/** Creates an empty segment file that follows a chain state. */
export function createSegment(log: string, chain: ChainState): ActiveSegment {
  const name = segmentNameOf(chain.seq);
  const path = join(log, name);
  return { fd: createFile(path), name, path, bytes: 0, outliner: createOutliner(chain.seq, chain.prev) };
}

/** Makes a segment one that is never written again; `durably` waits for a sync. */
export async function sealSegment(
  { fd, path, outliner }: Pick<ActiveSegment, 'fd' | 'path' | 'outliner'>,
  digest: Digest,
  durably: (sync: Promise<void>) => Promise<void> = (sync) => sync,
): Promise<void> {
  await durably(syncFile(fd));
  writeIndex(path, outliner.finish(digest));
  onDisk(`cannot seal ${path}`, () => fchmodSync(fd, SEALED_MODE));
  await durably(syncFileAndMode(fd));
}

/** Starts appending where `start` says. */
export function openLogWriter(start: WriterStart): LogWriter {
  return new FileLogWriter(start);
}

class FileLogWriter implements LogWriter {
  readonly #start: WriterStart;
  #segment: ActiveSegment;
  #chain: ChainState;
  /** Whether the name of the segment is durable. */
  #isNamed = false;
  /** Why nothing more may be appended. */
  #ended: Failure | null = null;
  #running = false;
  #last: Promise<unknown> = Promise.resolve();

  constructor(start: WriterStart) {
    this.#start = start;
    this.#segment = start.segment;
    this.#chain = start.chain;
  }

  get chain(): ChainState {
    return this.#chain;
  }

  get active(): ActiveOutline {
    const { name, outliner } = this.#segment;
    return { name, outline: outliner.finish(lastDigestOf(this.#chain)) };
  }

  append(drafts: readonly EventDraft[], options: { readonly durable: boolean }): Promise<readonly LoggedEvent[]> {
    return this.#enqueue(async () => {
      const { blobs, now } = this.#start;
      if (this.#isFull()) await this.#seal();
      const encoded = encodeLines(drafts, this.#chain, now());
      const { lines } = encoded;
      invariant(
        this.#chain.seq > 0 || lines.length < 2 || encoded.chain.run === null,
        'event 0 of a run is appended alone',
      );
      const payloads = writePayloads(blobs, lines);
      if (payloads.length > 0) await this.#durably(syncPayloads(blobs, payloads));
      this.#write(encoded);
      if (options.durable) await this.#durably(this.#syncSegment());
      return lines.map((line) => line.event);
    });
  }

  sync(): Promise<ActiveOutline> {
    return this.#enqueue(async () => {
      await this.#durably(this.#syncSegment());
      return this.active;
    });
  }

  close(): void {
    const { path, bytes, outliner } = this.#segment;
    // Lists and forks read it instead of the segment until somebody appends again.
    if (this.#ended === null && !this.#running && bytes > 0)
      writeIndex(path, outliner.finish(lastDigestOf(this.#chain)));
    this.#ended ??= new Failure('disk_failed', `${this.#start.log} was closed; nothing more is appended`);
    // A descriptor that a sync still uses must not be given to another file.
    this.#last.then(() => closeQuietly(this.#segment.fd));
  }

  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(async () => {
      this.#assertUsable();
      this.#running = true;
      return work().finally(() => {
        this.#running = false;
      });
    });
    this.#last = result.catch(() => {});
    return result;
  }

  #assertUsable(): void {
    if (this.#ended !== null) throw this.#ended;
  }

  #end(failure: Failure): never {
    this.#ended ??= failure;
    throw failure;
  }

  #isFull(): boolean {
    const { bytes } = this.#segment;
    return bytes > (this.#start.sealBytes ?? SEAL_BYTES) || (bytes > 0 && isRunStart(this.#chain));
  }

  #write({ lines, chain }: EncodedLines): void {
    const { fd, path, outliner } = this.#segment;
    try {
      writeAll(fd, linesToBytes(lines));
    } catch (error) {
      const failure = diskFailure(`cannot append to ${path}`, error);
      if (!cutBack(this.#segment)) this.#end(failure);
      throw failure;
    }
    let position = this.#segment.bytes;
    for (const line of lines) {
      outliner.add({ event: line.event, position, bytes: line.bytes.length });
      position += line.bytes.length + 1;
    }
    this.#chain = chain;
    this.#segment = { ...this.#segment, bytes: position };
  }

  /** Both at once: the file system then writes its journal once. */
  async #syncSegment(): Promise<void> {
    const { fd } = this.#segment;
    if (this.#isNamed) return syncFile(fd);
    for (const sync of await Promise.allSettled([syncFile(fd), syncFolder(this.#start.log)]))
      if (sync.status === 'rejected') throw sync.reason;
    this.#isNamed = true;
  }

  async #durably(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.#end(diskFailure(`cannot make ${this.#segment.path} durable; the run must be opened anew`, error));
    }
    this.#assertUsable();
  }

  async #seal(): Promise<void> {
    // No next segment may have a name before this one has.
    if (!this.#isNamed) await this.#durably(this.#syncSegment());
    const { fd } = this.#segment;
    await sealSegment(this.#segment, lastDigestOf(this.#chain), (sync) => this.#durably(sync));
    this.#segment = createSegment(this.#start.log, this.#chain);
    closeQuietly(fd);
    await this.#durably(syncFolder(this.#start.log));
  }
}

/** What had to be durable was synced before: nothing is lost by a close that fails. */
function closeQuietly(fd: number): void {
  try {
    closeSync(fd);
  } catch {
    // There is nothing to do about it.
  }
}

/** Whether what was written of a failed append is gone. */
function cutBack(segment: ActiveSegment): boolean {
  try {
    ftruncateSync(segment.fd, segment.bytes);
    return true;
  } catch {
    return false;
  }
}
