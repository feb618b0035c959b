/** Acts on runs in a store that tests share: making one, and forking one without the planner, by its bytes alone. */
import type { EventDraft, LoggedEvent, NodeMark, NodePath, RunForkPlan, RunId, SegmentHead } from '@ramet/core';
import type { LogOutline, RunStore, StagedRun } from '@ramet/runtime/store';
import { sha256 } from './log-builders.ts';
import { buildRun, buildRunStart, type NodePlan, TEST_GRAPH, visitAmong } from './run-builders.ts';
import { shareOf } from './store-acts.ts';

/** Entries of nodes one after the other, `a0` `a1` …; each makes a call that stays inside and takes a checkpoint. */
export function planNodes(count: number, from = 0): readonly NodePlan[] {
  return Array.from({ length: count }, (_, index) => ({
    path: `a${from + index}`,
    calls: [{}],
    checkpoint: `checkpoint-${from + index}`,
  }));
}

/** Puts a run of some nodes into a store. */
export async function commitRun(store: RunStore, id: RunId, nodes: readonly NodePlan[] = planNodes(3)): Promise<void> {
  const staged = store.stage(id);
  staged.append(buildRun({ id, nodes }));
  await staged.commit();
}

/** Offsets at which a run enters nodes. */
export function entersOf(store: RunStore, id: RunId): readonly number[] {
  const events = [...(store.read(id)?.readEvents() ?? [])];
  return events.filter((event) => event.type === 'node.enter').map((event) => event.seq);
}

/** A plan that cuts a log before a `node.enter`, and plans nothing else. */
export function planCut(outline: LogOutline, source: RunId, at: number): RunForkPlan {
  const { mark, segment } = findEnter(outline, at);
  const head = outline.heads[0]?.graph;
  const after = outline.heads.find(({ first }) => first === 1);
  if (head === undefined || after === undefined) throw new Error('the source is no run that entered a node');
  const last = mark.position > 0 ? segment : segment - 1;
  const bytesOf = (heads: readonly SegmentHead[]): number => heads.reduce((sum, { bytes }) => sum + bytes, 0);
  const segmentBytes = mark.position > 0 ? mark.position : (outline.heads[last]?.bytes ?? 0);
  const bytes = last < 1 ? 0 : bytesOf(outline.heads.slice(1, last)) + segmentBytes;
  return {
    kind: 'graph',
    source,
    boundary: mark,
    fromNode: mark.node,
    visit: visitAmong(enteredIn(outline), mark.node),
    prefix: { events: at - 1, bytes, segment: last, segmentBytes },
    offset: at - 1,
    graphHash: head.graph,
    sourceEvent0Digest: after.prev,
    writes: [],
    exempt: [],
    idempotent: [],
    workspaces: [],
    acknowledged: [],
    project: null,
  };
}

function enteredIn(outline: LogOutline): readonly NodePath[] {
  const marks = [...outline.heads.keys()].flatMap((segment) => outline.readDetail(segment).nodes);
  return marks.filter(({ type }) => type === 'enter').map(({ node }) => node);
}

function findEnter(outline: LogOutline, at: number): { readonly mark: NodeMark; readonly segment: number } {
  for (const segment of outline.heads.keys()) {
    const mark = outline.readDetail(segment).nodes.find(({ type, offset }) => type === 'enter' && offset === at);
    if (mark !== undefined) return { mark, segment };
  }
  throw new Error(`offset ${at} enters no node`);
}

/** Event 0 of a child, as the plan wants it; `digest` is that of the last line it inherits. */
export function draftChildStart(plan: RunForkPlan, child: RunId, digest: string): EventDraft {
  const { source: id, offset, fromNode, visit, graphHash, sourceEvent0Digest } = plan;
  const shared = { offset, fromNode, visit, graphHash, sourceEvent0Digest, acknowledgedWrites: [] };
  const time = '2030-02-01T00:00:00.000Z';
  const forkedFrom = { id, digest: digest as typeof graphHash, ...shared, time };
  return buildRunStart({ id: child, graph: TEST_GRAPH, forkedFrom });
}

/** Stages a child that is cut before a `node.enter`, with event 0 and what else it is to hold. */
export async function stageChild(
  store: RunStore,
  source: RunId,
  child: { readonly id: RunId; readonly at: number; readonly own?: readonly EventDraft[] },
): Promise<StagedRun> {
  const log = await shareOf(store, source);
  try {
    const plan = planCut(log.readOutline(), source, child.at);
    const [last] = [...log.readBytes({ from: plan.offset, to: plan.offset })];
    const staged = store.stage(child.id, { source: log, plan });
    const digest = sha256(Buffer.from(last ?? []).subarray(0, -1));
    staged.append([draftChildStart(plan, child.id, digest), ...(child.own ?? [])]);
    return staged;
  } finally {
    log.close();
  }
}

/** Puts a child into the store. */
export async function commitChild(...parameters: Parameters<typeof stageChild>): Promise<StagedRun> {
  const staged = await stageChild(...parameters);
  await staged.commit();
  return staged;
}

/** A run's events, parsed. */
export function eventsOf(store: RunStore, id: RunId): readonly LoggedEvent[] {
  return [...(store.read(id)?.readEvents() ?? [])];
}
