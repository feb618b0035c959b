/**
 * Takes the prefix of a source log for a fork: sealed segments and payloads are linked, and the segment that holds the
 * boundary is copied up to it. The source is only read. Of a graph run everything but event 0 is taken.
 *
 * 1. A segment is linked when it is sealed and not the last: the last may still grow.
 * 2. A payload that the source lost is no reason to refuse: the child is told to miss it as the source does.
 */
import { lstatSync } from 'node:fs';
import { type ChainState, createOutliner, type Outliner, resumeOutliner } from '@ramet/core';
import { copyDurably, linkIfThere, linkOrCopy, makeNewFolder, SEALED_MODE } from './durable.ts';
import { idxPathOf, writeNewIndex } from './idx.ts';
import type { RunPaths } from './layout.ts';
import type { FolderOutline } from './log-folder.ts';
import { adoptPayload } from './payload-files.ts';
import { type AnyForkPlan, changed, cutAt, type PrefixCut } from './prefix-cut.ts';
import { readSpan } from './segment-reader.ts';
import { sha256 } from './sha256.ts';

/** What a prefix is taken from. */
export interface PrefixSource {
  readonly outline: FolderOutline;
  readonly blobs: string;
  readonly plan: AnyForkPlan;
}

/** What was adopted, and how the log goes on. */
export interface Adopted {
  /** Where the log goes on after the prefix. A graph run's has its own event 0 first. */
  readonly next: Pick<ChainState, 'seq' | 'prev'>;
  readonly afterEvent0: boolean;
  /** The bytes the child's active segment starts with, and the offset it is named by. */
  readonly tail: Uint8Array;
  readonly tailFirst: number;
  /** Of the tail; null where only reading it again would tell. */
  readonly outliner: Outliner | null;
  /** The file the tail was copied from: what its owner did not sync must be durable before the child is. */
  readonly tailFrom: string | null;
  /** Of what was linked or copied; the tail is not counted. */
  readonly bytes: { readonly own: number; readonly shared: number };
  /** Digests of payloads the source does not have any more, or not whole. */
  readonly missingPayloads: readonly string[];
}

/** Links or copies the prefix into a staged run's folders; `target.log` is there. */
export function adoptPrefix(source: PrefixSource, target: RunPaths): Adopted {
  const cut = cutAt(source.outline, source.plan);
  const tail = findTail(source, cut);
  let own = 0;
  let shared = 0;
  for (let index = cut.from; index < tail.segment; index += 1) {
    const { head } = segmentOf(source, index);
    if (linkSegment(source, index, target.log) === 'linked') shared += head.bytes;
    else own += head.bytes;
  }
  const payloads = linkPayloads(source, cut, target.blobs);
  return {
    next: { seq: cut.lastOffset + 1, prev: cut.prev },
    afterEvent0: cut.from > 0,
    tail: tail.bytes,
    tailFirst: tail.first,
    tailFrom: tail.path,
    outliner: tail.outliner,
    bytes: { own: own + payloads.own, shared: shared + payloads.shared },
    missingPayloads: payloads.missing,
  };
}

/** The part of the prefix that is copied. */
interface Tail {
  /** Segments before this one are taken whole. */
  readonly segment: number;
  readonly bytes: Uint8Array;
  readonly first: number;
  readonly path: string | null;
  readonly outliner: Outliner | null;
}

function findTail(source: PrefixSource, cut: PrefixCut): Tail {
  const { plan, through, throughBytes, lastOffset, prev } = cut;
  const seq = lastOffset + 1;
  const none = { bytes: new Uint8Array(0), first: seq, path: null, outliner: createOutliner(seq, prev) };
  if (through < cut.from) return { ...none, segment: cut.from };
  const { path, head } = segmentOf(source, through);
  const atEnd = head.bytes === throughBytes;
  if (atEnd && head.digest !== prev) throw changed(plan);
  if (atEnd && path !== source.outline.last?.segment.path) return { ...none, segment: through + 1 };
  const bytes = readSpan(path, 0, throughBytes);
  if (bytes.length !== throughBytes || sha256(lastLineOf(bytes)) !== prev) throw changed(plan);
  const outliner = atEnd ? resumeOutliner({ head, detail: source.outline.readDetail(through) }) : null;
  return { segment: through, bytes, first: head.first, path, outliner };
}

/** Without its newline, which the last byte is. */
function lastLineOf(bytes: Buffer): Buffer {
  return bytes.subarray(bytes.subarray(0, -1).lastIndexOf(0x0a) + 1, -1);
}

/** Links a segment with its index, or gives the child an index of its own where the source has none to believe. */
function linkSegment(source: PrefixSource, index: number, log: string): 'linked' | 'copied' {
  const { path, name, head } = segmentOf(source, index);
  const to = `${log}/${name}`;
  const trusted = source.outline.trusted[index] === true;
  const how = trusted || isSealed(path) ? linkOrCopy(path, to) : copyDurably(path, to);
  if (how !== 'linked' || !trusted || !linkIfThere(idxPathOf(path), idxPathOf(to))) {
    writeNewIndex(to, { head, detail: source.outline.readDetail(index) });
  }
  return how;
}

interface AdoptedPayloads {
  readonly own: number;
  readonly shared: number;
  readonly missing: readonly string[];
}

/** Links the payloads that lines of the prefix refer to, and no others. */
function linkPayloads(source: PrefixSource, cut: PrefixCut, blobs: string): AdoptedPayloads {
  const missing: string[] = [];
  let own = 0;
  let shared = 0;
  const payloads = payloadsOf(source, cut);
  if (payloads.size > 0) makeNewFolder(blobs);
  for (const [digest, bytes] of payloads) {
    const how = adoptPayload(source.blobs, blobs, { digest, bytes });
    if (how === 'linked') shared += bytes;
    else if (how === 'copied') own += bytes;
    else missing.push(digest);
  }
  return { own, shared, missing };
}

function payloadsOf({ outline }: PrefixSource, cut: PrefixCut): ReadonlyMap<string, number> {
  const digests = new Map<string, number>();
  for (let index = cut.from; index <= cut.through; index += 1) {
    if ((outline.heads[index]?.payloads ?? 0) === 0) continue;
    for (const { offset, digest, bytes } of outline.readDetail(index).payloads) {
      if (offset <= cut.lastOffset) digests.set(digest, bytes);
    }
  }
  return digests;
}

function segmentOf({ outline, plan }: PrefixSource, index: number) {
  const segment = outline.segments[index];
  const head = outline.heads[index];
  if (segment === undefined || head === undefined) throw changed(plan);
  return { ...segment, head };
}

function isSealed(path: string): boolean {
  return (lstatSync(path).mode & 0o777) === SEALED_MODE;
}
