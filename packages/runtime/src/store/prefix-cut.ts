/** Which lines of a source log a fork takes, from either kind of plan. */
import { type Digest, Failure, type ForkPlan, parseLine, type RunForkPlan } from '@ramet/core';
import type { FolderOutline } from './log-folder.ts';
import { sha256 } from './sha256.ts';

/** A plan of a fork: of a session, or of a graph run. */
export type AnyForkPlan = ForkPlan | RunForkPlan;

/** The lines a child takes, by the segments of its source that hold them. */
export interface PrefixCut {
  readonly plan: AnyForkPlan;
  /** The first segment that is taken: that of a graph run's event 0 is not. */
  readonly from: number;
  /** The one that holds the last line, up to which byte; before `from` when no line is taken. */
  readonly through: number;
  readonly throughBytes: number;
  /** Of the last line; without one, of the line before the first. */
  readonly lastOffset: number;
  /** What the line after the last one has as its `prev`. */
  readonly prev: Digest;
}

/** Whether a plan is one of a graph run. */
export function isRunPlan(plan: AnyForkPlan): plan is RunForkPlan {
  return 'kind' in plan;
}

/** Looks up where a plan cuts a log; throws `log_damaged` when the log is not the one that was planned on. */
export function cutAt(outline: FolderOutline, plan: AnyForkPlan): PrefixCut {
  return isRunPlan(plan) ? cutBefore(outline, plan) : cutAfter(outline, plan);
}

/** A session's child holds the boundary. */
function cutAfter(outline: FolderOutline, plan: ForkPlan): PrefixCut {
  const { segment, boundary, prefix } = plan;
  const { offset } = boundary;
  const { bytes } = readBoundary(outline, plan, segment);
  const prev = sha256(bytes);
  return {
    plan,
    from: 0,
    through: segment,
    throughBytes: prefix.segmentBytes,
    lastOffset: offset,
    prev,
  };
}

/** A run's child holds event 0 of its own, then what lies between the source's and the boundary. */
function cutBefore(outline: FolderOutline, plan: RunForkPlan): PrefixCut {
  const { offset, prefix, boundary } = plan;
  const holder = outline.heads.findIndex(
    ({ first, count }) => boundary.offset >= first && boundary.offset < first + count,
  );
  const { prev } = readBoundary(outline, plan, holder);
  const taken = prefix.events > 0;
  return {
    plan,
    from: 1,
    through: taken ? prefix.segment : 0,
    throughBytes: taken ? prefix.segmentBytes : 0,
    lastOffset: offset,
    prev,
  };
}

function readBoundary(
  outline: FolderOutline,
  plan: AnyForkPlan,
  segment: number,
): { readonly bytes: Uint8Array; readonly prev: Digest } {
  const { position, bytes: length, offset } = plan.boundary;
  if (outline.segments[segment] === undefined) throw changed(plan);
  const bytes = outline.readLineBytes(segment, position, length);
  const event = parseLine(Buffer.from(bytes).toString('utf8'));
  if (typeof event === 'string' || event.seq !== offset) throw changed(plan);
  return { bytes, prev: event.prev };
}

/** The failure when a log is not what it was when the fork was planned. */
export function changed(plan: AnyForkPlan): Failure {
  const message = `the log of ${plan.source} changed while it was forked, at or before offset ${plan.boundary.offset}`;
  return new Failure('log_damaged', `${message}; check it with \`ramet verify\``);
}
