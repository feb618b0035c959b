/**
 * Takes the prefix of a source log for a fork: sealed segments and payloads are linked, and the segment that holds the
 * boundary is copied up to it. The source is only read.
 */
import { join } from 'node:path';
import { type ChainState, Failure, type ForkPlan, parseLine } from '@ramet/core';
import { linkOrCopy } from './durable.ts';
import { idxPathOf, writeIndex } from './idx.ts';
import type { RunPaths } from './layout.ts';
import { type FolderOutline, readSpan } from './log-folder.ts';
import { sha256 } from './sha256.ts';
import type { PrefixSource } from './staging.ts';

/** What was adopted, and how the log goes on. */
export interface Adopted {
  /** After the boundary. */
  readonly chain: ChainState;
  /** The bytes the child's active segment starts with, and the offset it is named by. */
  readonly tail: Uint8Array;
  readonly tailFirst: number;
  /** Of what was linked or copied; the tail is not counted. */
  readonly bytes: { readonly own: number; readonly shared: number };
}

/** Links or copies the prefix into a staged run's folders. */
export function adoptPrefix(source: PrefixSource, target: RunPaths): Adopted {
  const { outline, plan } = source;
  const head = outline.heads[plan.segment];
  if (head === undefined) throw new Failure('log_damaged', `the log of ${plan.source} changed while it was forked`);
  // A sealed segment that ends at the boundary is linked whole; the last segment is never linked, it may still grow.
  const whole = plan.segment < outline.heads.length - 1 && head.bytes === plan.prefix.segmentBytes;
  const linked = whole ? plan.segment + 1 : plan.segment;
  let own = 0;
  let shared = 0;
  for (let index = 0; index < linked; index += 1) {
    const bytes = outline.heads[index]?.bytes ?? 0;
    if (linkSegment(outline, index, target.log) === 'linked') shared += bytes;
    else own += bytes;
  }
  const payloads = linkPayloads(source, target.blobs);
  const seq = plan.boundary.offset + 1;
  return {
    chain: { seq, prev: sha256(readBoundary(outline, plan)) },
    tail: whole ? new Uint8Array(0) : readSpan(segmentPath(outline, plan.segment), 0, plan.prefix.segmentBytes),
    tailFirst: whole ? seq : head.first,
    bytes: { own: own + payloads.own, shared: shared + payloads.shared },
  };
}

/** Links a segment with its index, or gives the child an index of its own where the source has none to believe. */
function linkSegment(outline: FolderOutline, index: number, log: string): 'linked' | 'copied' {
  const from = segmentPath(outline, index);
  const name = outline.segments[index]?.name ?? '';
  const to = join(log, name);
  const how = linkOrCopy(from, to);
  if (how === 'linked' && outline.trusted[index] === true) linkOrCopy(idxPathOf(from), idxPathOf(to));
  else writeIndex(to, outlineOf(outline, index));
  return how;
}

function outlineOf(outline: FolderOutline, index: number): Parameters<typeof writeIndex>[1] {
  const head = outline.heads[index];
  if (head === undefined) throw new RangeError(`no segment ${index}`);
  return { head, detail: outline.readDetail(index) };
}

/** Links the payloads that lines of the prefix refer to, and no others. */
function linkPayloads(source: PrefixSource, blobs: string): { readonly own: number; readonly shared: number } {
  const { outline, plan } = source;
  const digests = new Map<string, number>();
  for (let index = 0; index <= plan.segment; index += 1) {
    if ((outline.heads[index]?.payloads ?? 0) === 0) continue;
    for (const { offset, digest, bytes } of outline.readDetail(index).payloads) {
      if (offset <= plan.boundary.offset) digests.set(digest, bytes);
    }
  }
  let own = 0;
  let shared = 0;
  for (const [digest, bytes] of digests) {
    if (linkOrCopy(join(source.blobs, digest), join(blobs, digest)) === 'linked') shared += bytes;
    else own += bytes;
  }
  return { own, shared };
}

function readBoundary(outline: FolderOutline, plan: ForkPlan): Uint8Array {
  const { position, bytes, offset } = plan.boundary;
  const line = readSpan(segmentPath(outline, plan.segment), position, bytes);
  const event = parseLine(line.toString('utf8'));
  if (typeof event === 'string' || event.seq !== offset) {
    throw new Failure('log_damaged', `the log of ${plan.source} changed at offset ${offset} while it was forked`);
  }
  return line;
}

function segmentPath(outline: FolderOutline, index: number): string {
  const segment = outline.segments[index];
  if (segment === undefined) throw new RangeError(`no segment ${index}`);
  return segment.path;
}
