/**
 * Plans a fork from a source log's outline: pure; it reads, it never judges and never writes.
 *
 * 1. The boundary is a `session.end`; nothing is guessed: another offset is refused with those that would do.
 * 2. The prefix is every line up to and including the boundary.
 * 3. Hazards are facts. A plan with hazards is a plan: refusing is the caller's.
 */
import { type Code, type Refusal, refuse } from '../codes/index.ts';
import { SCHEMA } from '../events/index.ts';
import { type BoundaryMark, deriveSessionOverview, type SessionOverview } from '../log/index.ts';
import { outstandingAfter } from './outstanding.ts';
import type { ForkError, ForkPlan, ForkRequest, ForkSource } from './types.ts';

/** How many boundaries a refusal lists at most. */
const LISTED = 50;

/** Plans the fork of a session at a completed turn. */
export function planFork(source: ForkSource, request: ForkRequest): ForkPlan | Refusal {
  const overview = deriveSessionOverview(source.heads);
  if (overview === null) return refuseOther(source);
  if (overview.schema > SCHEMA) return refuseNewer(overview);
  if (overview.lastBoundary === undefined) {
    const { id } = overview;
    const message = `session ${id} has no completed turn to fork at; let its first one end: ramet run --session ${id}`;
    return refuseFork('no_completed_turn', message, { id });
  }
  const at = request.at ?? overview.lastBoundary.offset;
  const found = findBoundary(source, at);
  if (found === null) return refuseBoundary(source, overview, at);
  return describePlan(source, overview, { ...found, request });
}

function describePlan(
  source: ForkSource,
  overview: SessionOverview,
  chosen: { readonly boundary: BoundaryMark; readonly segment: number; readonly request: ForkRequest },
): ForkPlan {
  const { boundary, segment, request } = chosen;
  const segmentBytes = boundary.position + boundary.bytes + 1;
  const before = source.heads.slice(0, segment).reduce((total, head) => total + head.bytes, 0);
  return {
    source: overview.id,
    boundary,
    segment,
    prefix: { events: boundary.offset + 1, bytes: before + segmentBytes, segmentBytes },
    outstanding: outstandingAfter(source, boundary.offset),
    cwd: overview.cwd,
    project: overview.project,
    workspace: overview.workspace,
    ...(request.title === undefined ? {} : { title: request.title }),
  };
}

function findBoundary(source: ForkSource, at: number): { boundary: BoundaryMark; segment: number } | null {
  const segment = source.heads.findIndex((head) => at >= head.first && at < head.first + head.count);
  const head = source.heads[segment];
  if (head === undefined) return null;
  if (head.lastBoundary?.offset === at) return { boundary: head.lastBoundary, segment };
  const boundary = source.readDetail(segment).boundaries.find((mark) => mark.offset === at);
  return boundary === undefined ? null : { boundary, segment };
}

function refuseBoundary(source: ForkSource, overview: SessionOverview, at: number): Refusal {
  const offsets = source.heads.flatMap((_, segment) =>
    source.readDetail(segment).boundaries.map((mark) => mark.offset),
  );
  const shown = offsets.slice(-LISTED);
  const more = offsets.length > shown.length ? ` (and ${offsets.length - shown.length} earlier ones)` : '';
  return refuseFork(
    'not_a_boundary',
    `offset ${at} of session ${overview.id} is not the end of a turn; these are: ${shown.join(', ')}${more}`,
    { id: overview.id, at, boundaries: offsets },
  );
}

function refuseOther({ heads }: ForkSource): Refusal {
  const run = heads[0]?.graph;
  if (run === undefined) return refuseFork('not_a_session', 'this log does not start a session');
  const message = `${run.id} is a graph run, not a session: name the node it is forked from, \`ramet fork ${run.id} --from-node <node>\``;
  return refuseFork('not_a_session', message, { id: run.id });
}

function refuseNewer(overview: SessionOverview): Refusal {
  return refuseFork(
    'log_newer',
    `session ${overview.id} was written with schema ${overview.schema}; this version reads up to ${SCHEMA}: update ramet`,
    { id: overview.id, schema: overview.schema },
  );
}

function refuseFork(code: ForkError & Code, message: string, data: Record<string, unknown> = {}): Refusal {
  return refuse(code, message, data);
}
