/**
 * Plans a fork of a graph run from the source's outline: pure; it reads, it never judges and never writes.
 *
 * 1. The boundary is a `node.enter`; nothing is guessed: what does not name exactly one is refused.
 * 2. The prefix is every event below the boundary but event 0; the re-walk is every other event of the source.
 * 3. Hazards are facts, and the same whatever is acknowledged. A plan with hazards is a plan: refusing is the caller's.
 * 4. Details are read of the segments that hold what is looked for, as far as their heads can say.
 */
import { invariant, isRefusal, type Refusal } from '../../codes/index.ts';
import { type RunId, SCHEMA } from '../../events/index.ts';
import type { SegmentDetail } from '../../log/index.ts';
import { type FoundNode, findRunBoundary } from './boundary.ts';
import { type RecordedCall, readCallsFrom } from './calls.ts';
import { type PlannedChanges, planChanges } from './changes.ts';
import { sortCalls } from './hazards.ts';
import { findNodesAtWork } from './open-spans.ts';
import { describePrefix, findSourceEvent0Digest } from './prefix.ts';
import { listSome, refuseRunFork } from './refusals.ts';
import type { RunForkPlan, RunForkRequest, RunForkSource } from './types.ts';
import { visitOf } from './visits.ts';
import { describeWorkspaces } from './workspaces.ts';

/** Plans the fork of a graph run at the entry of a node. */
export function planRunFork(given: RunForkSource, request: RunForkRequest): RunForkPlan | Refusal {
  const source = rememberDetails(given);
  const start = source.heads[0]?.graph;
  if (start === undefined) return refuseRunFork('not_a_graph_run', 'this log does not start a graph run');
  const schema = source.heads.reduce((highest, head) => Math.max(highest, head.schema), 0);
  if (schema > SCHEMA) return refuseNewer(start.id, schema);
  invariant(source.graph.hash === start.graph, `run ${start.id} walks graph ${start.graph}, not ${source.graph.hash}`);
  const boundary = findRunBoundary(source, request);
  if (isRefusal(boundary)) return boundary;
  const calls = readCallsFrom(source, boundary);
  const unknown = calls.filter(isUnknown);
  if (unknown.length > 0) return refuseUnknown(start.id, unknown);
  const changes = planChanges(source, boundary, request);
  if (isRefusal(changes)) return changes;
  return describePlan(source, request, { boundary, calls, changes });
}

function describePlan(
  source: RunForkSource,
  request: RunForkRequest,
  found: { readonly boundary: FoundNode; readonly calls: readonly RecordedCall[]; readonly changes: PlannedChanges },
): RunForkPlan {
  const { boundary, calls, changes } = found;
  const { mark } = boundary;
  const start = source.heads[0]?.graph;
  invariant(start !== undefined, 'a plan is of a graph run');
  const workspaces = describeWorkspaces(source, boundary, findNodesAtWork(source, boundary));
  return {
    kind: 'graph',
    source: start.id,
    boundary: mark,
    fromNode: mark.node,
    visit: visitOf(source, boundary),
    prefix: describePrefix(source, boundary),
    offset: mark.offset - 1,
    graphHash: request.graph?.hash ?? source.graph.hash,
    sourceEvent0Digest: findSourceEvent0Digest(source),
    ...sortCalls(source, calls, { boundary: mark, workspaces }),
    workspaces,
    acknowledged: [...new Set(request.acknowledge)].sort((left, right) => left - right),
    ...changes,
    project: start.project,
    ...(request.title === undefined ? {} : { title: request.title }),
  };
}

/** A write that may have reached the outside, and about which nothing says what happened: the walk waits for a person. */
function isUnknown({ mark, open }: RecordedCall): boolean {
  return open && mark.effect === 'write' && mark.contained !== true;
}

function refuseUnknown(id: RunId, calls: readonly RecordedCall[]): Refusal {
  const found = calls.map(({ mark: { offset, node, tool, key, time } }) => ({ offset, node, tool, key, time }));
  const named = found.map(({ offset, node, tool }) => `${tool} of ${node} (offset ${offset})`);
  const message = `nobody knows whether these calls of run ${id} happened: ${listSome(named)}; resume the run, or say what happened with \`ramet resolve\`, then fork`;
  return refuseRunFork('origin_needs_reconciliation', message, { id, calls: found });
}

function refuseNewer(id: RunId, schema: number): Refusal {
  const message = `run ${id} was written with schema ${schema}; this version reads up to ${SCHEMA}: update ramet`;
  return refuseRunFork('log_newer', message, { id, schema });
}

/** Each detail is read once, however often a plan looks at it. */
function rememberDetails(source: RunForkSource): RunForkSource {
  const details = new Map<number, SegmentDetail>();
  const readDetail = (segment: number): SegmentDetail => {
    const detail = details.get(segment) ?? source.readDetail(segment);
    details.set(segment, detail);
    return detail;
  };
  const { heads, graph, fileTools } = source;
  return { heads, graph, fileTools, readDetail, readLine: (...place) => source.readLine(...place) };
}
