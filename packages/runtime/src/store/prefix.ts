/**
 * Takes the prefix of a source log for a fork: sealed segments and payloads are linked, and the segment that holds the
 * boundary is copied up to it. The source is only read.
 *
 * 1. A segment is linked when it is sealed and not the last: the last may still grow.
 * 2. A payload that the source lost is no reason to refuse: the child is told to miss it as the source does.
 */
import { lstatSync } from 'node:fs';
import {
  type ChainState,
  createOutliner,
  Failure,
  type ForkPlan,
  type Outliner,
  parseLine,
  resumeOutliner,
} from '@ramet/core';
import { copyDurably, linkIfThere, linkOrCopy, makeNewFolder, SEALED_MODE } from './durable.ts';
import { idxPathOf, writeIndex } from './idx.ts';
import type { RunPaths } from './layout.ts';
import type { FolderOutline } from './log-folder.ts';
import { adoptPayload } from './payload-files.ts';
import { readSpan } from './segment-reader.ts';
import { sha256 } from './sha256.ts';

/** What a prefix is taken from. */
export interface PrefixSource {
  readonly outline: FolderOutline;
  readonly blobs: string;
  readonly plan: ForkPlan;
}

/** What was adopted, and how the log goes on. */
export interface Adopted {
  /** After the boundary. */
  readonly chain: ChainState;
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
  const { outline, plan } = source;
  const { path, head } = segmentOf(source, plan.segment);
  const atEnd = head.bytes === plan.prefix.segmentBytes;
  const whole = atEnd && path !== outline.last?.segment.path;
  const linked = whole ? plan.segment + 1 : plan.segment;
  let own = 0;
  let shared = 0;
  for (let index = 0; index < linked; index += 1) {
    const { head: taken } = segmentOf(source, index);
    if (linkSegment(source, index, target.log) === 'linked') shared += taken.bytes;
    else own += taken.bytes;
  }
  const payloads = linkPayloads(source, target.blobs);
  const seq = plan.boundary.offset + 1;
  const prev = sha256(readBoundary(path, plan));
  if (atEnd && prev !== head.digest) throw changed(plan);
  const bytes = { own: own + payloads.own, shared: shared + payloads.shared };
  const rest = { chain: { seq, prev }, bytes, missingPayloads: payloads.missing };
  if (whole) {
    return { ...rest, tail: new Uint8Array(0), tailFirst: seq, tailFrom: null, outliner: createOutliner(seq, prev) };
  }
  const tail = readSpan(path, 0, plan.prefix.segmentBytes);
  if (tail.length !== plan.prefix.segmentBytes) throw changed(plan);
  const outliner = atEnd ? resumeOutliner({ head, detail: outline.readDetail(plan.segment) }) : null;
  return { ...rest, tail, tailFirst: head.first, tailFrom: path, outliner };
}

/** Links a segment with its index, or gives the child an index of its own where the source has none to believe. */
function linkSegment(source: PrefixSource, index: number, log: string): 'linked' | 'copied' {
  const { path, name, head } = segmentOf(source, index);
  const to = `${log}/${name}`;
  const trusted = source.outline.trusted[index] === true;
  const how = trusted || isSealed(path) ? linkOrCopy(path, to) : copyDurably(path, to);
  if (how !== 'linked' || !trusted || !linkIfThere(idxPathOf(path), idxPathOf(to))) {
    writeIndex(to, { head, detail: source.outline.readDetail(index) });
  }
  return how;
}

interface AdoptedPayloads {
  readonly own: number;
  readonly shared: number;
  readonly missing: readonly string[];
}

/** Links the payloads that lines of the prefix refer to, and no others. */
function linkPayloads(source: PrefixSource, blobs: string): AdoptedPayloads {
  const missing: string[] = [];
  let own = 0;
  let shared = 0;
  const payloads = payloadsOf(source);
  if (payloads.size > 0) makeNewFolder(blobs);
  for (const [digest, bytes] of payloads) {
    const how = adoptPayload(source.blobs, blobs, { digest, bytes });
    if (how === 'linked') shared += bytes;
    else if (how === 'copied') own += bytes;
    else missing.push(digest);
  }
  return { own, shared, missing };
}

function payloadsOf({ outline, plan }: PrefixSource): ReadonlyMap<string, number> {
  const digests = new Map<string, number>();
  for (let index = 0; index <= plan.segment; index += 1) {
    if ((outline.heads[index]?.payloads ?? 0) === 0) continue;
    for (const { offset, digest, bytes } of outline.readDetail(index).payloads) {
      if (offset <= plan.boundary.offset) digests.set(digest, bytes);
    }
  }
  return digests;
}

function readBoundary(path: string, plan: ForkPlan): Uint8Array {
  const { position, bytes, offset } = plan.boundary;
  const line = readSpan(path, position, bytes);
  const event = parseLine(line.toString('utf8'));
  if (typeof event === 'string' || event.seq !== offset) throw changed(plan);
  return line;
}

function segmentOf({ outline, plan }: PrefixSource, index: number) {
  const segment = outline.segments[index];
  const head = outline.heads[index];
  if (segment === undefined || head === undefined) throw changed(plan);
  return { ...segment, head };
}

function changed(plan: ForkPlan): Failure {
  const message = `the log of ${plan.source} changed while it was forked, at or before offset ${plan.boundary.offset}`;
  return new Failure('log_damaged', `${message}; check it with \`ramet verify\``);
}

function isSealed(path: string): boolean {
  return (lstatSync(path).mode & 0o777) === SEALED_MODE;
}
