/**
 * The log of a run that is being built, before anyone may read it: its files, written and then made durable at once.
 *
 * 1. Event 0 of a graph run stands in a segment of its own, sealed; what follows goes on in the next one. In a fork that
 *    one holds the prefix already.
 * 2. Nothing is durable before `sync`: whoever builds the run puts it in place only after that.
 */
import { closeSync, fchmodSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import {
  CHAIN_START,
  type ChainState,
  createOutliner,
  type EventDraft,
  invariant,
  type LoggedEvent,
  lastDigestOf,
  type Outliner,
} from '@ramet/core';
import { type EncodedLines, encodeLines, isRunStart, linesToBytes } from './append.ts';
import {
  createFile,
  makeFolder,
  onDisk,
  SEALED_MODE,
  syncFile,
  syncFileAndMode,
  syncFolder,
  syncPath,
  writeAll,
} from './durable.ts';
import { writeIndex } from './idx.ts';
import type { RunPaths } from './layout.ts';
import { adoptPayload, syncPayloads, writePayloads } from './payload-files.ts';
import type { Adopted } from './prefix.ts';
import { segmentNameOf } from './segments.ts';

/** A log that is being built. */
export interface StagedLog {
  /** What it does not share with another run. */
  readonly ownBytes: number;
  append(drafts: readonly EventDraft[]): readonly LoggedEvent[];
  /** Makes all of it durable but the name of its folder. */
  sync(): Promise<void>;
  /** Writes the index of the last segment. */
  index(): void;
  close(): void;
}

export interface StagedLogStart {
  readonly paths: RunPaths;
  /** What was taken of a source, and where the source's payloads lie. */
  readonly adopted: (Adopted & { readonly blobs: string }) | null;
  /** Current time in Unix milliseconds. */
  readonly now: () => number;
}

/** Begins a log; its folder is there. */
export function openStagedLog(start: StagedLogStart): StagedLog {
  return new StagedLogFiles(start);
}

interface StagedSegment {
  readonly fd: number;
  readonly path: string;
  size: number;
  /** Null where only reading the segment would tell. */
  readonly outliner: Outliner | null;
}

class StagedLogFiles implements StagedLog {
  readonly #start: StagedLogStart;
  readonly #payloads: string[] = [];
  /** That of a graph run's event 0. */
  #first: StagedSegment | null = null;
  #active: StagedSegment;
  #chain: ChainState;

  constructor(start: StagedLogStart) {
    const { adopted } = start;
    this.#start = start;
    this.#chain = adopted === null || adopted.afterEvent0 ? CHAIN_START : { ...adopted.next, run: null };
    const { tailFirst, outliner } = adopted ?? { tailFirst: 0, outliner: createOutliner(0, CHAIN_START.prev) };
    this.#active = this.#create(tailFirst, outliner);
    try {
      this.#write(this.#active, adopted?.tail ?? new Uint8Array());
    } catch (error) {
      this.close();
      throw error;
    }
  }

  get ownBytes(): number {
    return this.#active.size + (this.#first?.size ?? 0);
  }

  append(drafts: readonly EventDraft[]): readonly LoggedEvent[] {
    const [first, ...rest] = drafts;
    if (this.#chain.seq === 0 && first?.type === 'graph.start') return [...this.#begin(first), ...this.#add(rest)];
    return this.#add(drafts);
  }

  async sync(): Promise<void> {
    const { paths, adopted } = this.#start;
    invariant(this.#chain.seq > 0 || adopted === null, 'a forked run has an event 0 of its own');
    await syncPayloads(paths.blobs, this.#payloads);
    const linkedPayloads = this.#payloads.length === 0 && lstatSync(paths.blobs, { throwIfNoEntry: false });
    const tailFrom = adopted?.tailFrom ?? null;
    // At once: the file system then writes its journal once. All end before anything is removed.
    const syncs = await Promise.allSettled([
      ...(this.#first === null ? [] : [syncFileAndMode(this.#first.fd)]),
      syncFile(this.#active.fd),
      ...(tailFrom === null ? [] : [syncPath(tailFrom)]),
      ...(linkedPayloads ? [syncFolder(paths.blobs)] : []),
      syncFolder(paths.log),
      syncFolder(paths.folder),
    ]);
    for (const sync of syncs) if (sync.status === 'rejected') throw sync.reason;
  }

  index(): void {
    indexSegment(this.#active, this.#chain);
  }

  close(): void {
    if (this.#first !== null) closeSync(this.#first.fd);
    closeSync(this.#active.fd);
  }

  /** Writes event 0 of a graph run, and goes on after it. */
  #begin(draft: EventDraft): readonly LoggedEvent[] {
    const { adopted, now } = this.#start;
    const encoded = encodeLines([draft], CHAIN_START, now());
    const { chain } = encoded;
    invariant(isRunStart(chain), 'event 0 of a graph run is complete');
    const own = adopted === null ? null : adopted.next.seq;
    invariant(chain.run?.ownFrom === own, `event 0 says that its run's own events begin at ${String(own)}`);
    const first = this.#takeFirst(chain);
    this.#accept(first, encoded);
    onDisk(`cannot seal ${first.path}`, () => fchmodSync(first.fd, SEALED_MODE));
    indexSegment(first, chain);
    this.#chain = adopted === null ? chain : { ...adopted.next, run: chain.run };
    return encoded.lines.map((line) => line.event);
  }

  /** The segment for event 0; a prefix lies in the active one, else that one was made for event 0. */
  #takeFirst(chain: ChainState): StagedSegment {
    if (this.#start.adopted !== null) {
      this.#first = this.#create(0, createOutliner(0, CHAIN_START.prev));
      return this.#first;
    }
    const next = this.#create(1, createOutliner(1, chain.prev));
    this.#first = this.#active;
    this.#active = next;
    return this.#first;
  }

  #add(drafts: readonly EventDraft[]): readonly LoggedEvent[] {
    const { adopted, now } = this.#start;
    invariant(this.#chain.seq > 0 || adopted === null, 'a forked run begins with a graph.start');
    const encoded = encodeLines(drafts, this.#chain, now());
    this.#accept(this.#active, encoded);
    this.#chain = encoded.chain;
    return encoded.lines.map((line) => line.event);
  }

  #accept(segment: StagedSegment, { lines }: EncodedLines): void {
    const { paths, adopted } = this.#start;
    if (adopted !== null) this.#linkPayloads(lines, adopted.blobs);
    this.#payloads.push(...writePayloads(paths.blobs, lines));
    let position = segment.size;
    this.#write(segment, linesToBytes(lines));
    for (const { event, bytes } of lines) {
      segment.outliner?.add({ event, position, bytes: bytes.length });
      position += bytes.length + 1;
    }
  }

  /** What a child says again of its source need not be stored twice. */
  #linkPayloads(lines: EncodedLines['lines'], from: string): void {
    const { blobs } = this.#start.paths;
    for (const { digest, bytes } of lines.flatMap((line) => line.payloads)) {
      if (lstatSync(join(blobs, digest), { throwIfNoEntry: false }) !== undefined) continue;
      makeFolder(blobs);
      adoptPayload(from, blobs, { digest, bytes: bytes.length });
    }
  }

  #create(first: number, outliner: Outliner | null): StagedSegment {
    const path = join(this.#start.paths.log, segmentNameOf(first));
    return { fd: createFile(path), path, size: 0, outliner };
  }

  #write(segment: StagedSegment, bytes: Uint8Array): void {
    onDisk(`cannot write ${segment.path}`, () => writeAll(segment.fd, bytes));
    segment.size += bytes.length;
  }
}

function indexSegment({ path, size, outliner }: StagedSegment, chain: ChainState): void {
  if (outliner !== null && size > 0) writeIndex(path, outliner.finish(lastDigestOf(chain)));
}
