/**
 * What a list shows of each run: from segment heads alone, without a lock.
 *
 * 1. A run that cannot be read is listed as damaged, with the reason; it never hides the others.
 */
import {
  deriveSessionOverview,
  Failure,
  NO_USAGE,
  type RunId,
  type SessionOverview,
  type UsageSum,
  type WorkspaceKind,
} from '@ramet/core';
import type { FileStore, LogDamage, LogOutline, OwnerInfo } from '../store/index.ts';
import { type GraphRunSummary, summarizeGraphRun } from './graph-summary.ts';
import { markRemoved, type ShownOrigin } from './origin.ts';
import { type Bytes, bytesOfRun } from './size.ts';

/** `interrupted`: a turn is open and nobody owns the run. */
export type RunState = 'running' | 'idle' | 'interrupted' | 'damaged';

/** How a turn ended. */
export interface SessionEnd {
  readonly offset: number;
  readonly reason: string;
  readonly checkpoint: string | null;
}

export interface SessionSummary {
  readonly id: RunId;
  readonly title: string;
  readonly titleFrom: SessionOverview['titleFrom'];
  readonly state: RunState;
  readonly turns: number;
  readonly ownTurns: number;
  readonly forkedFrom?: ShownOrigin;
  readonly project: string | null;
  readonly workspace: WorkspaceKind | null;
  readonly model?: string;
  readonly createdAt: string;
  readonly lastTime: string;
  readonly events: number;
  readonly lastEnd?: SessionEnd;
  readonly own: { readonly usage: UsageSum };
  readonly inherited: { readonly usage: UsageSum };
  readonly bytes: Bytes;
  readonly owner?: OwnerInfo;
  readonly damage?: LogDamage | { readonly reason: string };
}

/** A run of either kind. */
export type RunSummary = SessionSummary | GraphRunSummary;

/** Whether it is of a graph run. A run whose first event cannot be read counts as a session. */
export function isGraphSummary(run: RunSummary): run is GraphRunSummary {
  return 'graph' in run;
}

/** Summaries of all runs of both kinds, the one that was active last first. */
export function listAllRuns(store: FileStore): readonly RunSummary[] {
  const ids = new Set(store.listRuns());
  return [...ids].flatMap((id) => summarizeRun(store, id, ids) ?? []).sort(byLastActivity);
}

/** Summaries of all sessions, the one that was active last first. */
export function listSessions(store: FileStore): readonly SessionSummary[] {
  return listAllRuns(store).filter((run): run is SessionSummary => !isGraphSummary(run));
}

/** The summary of one run; null when there is none. `ids` are those of all runs. */
export function summarizeRun(store: FileStore, id: RunId, ids: ReadonlySet<RunId>): RunSummary | null {
  try {
    const outline = store.read(id)?.readOutline();
    return outline === undefined ? null : summarize(store, { id, outline, ids });
  } catch (error) {
    // A list must name a run it cannot read; whoever works with it gets the whole reason.
    return summarizeUnreadable(id, error instanceof Failure ? error.message : 'it cannot be read');
  }
}

/** The state of a run whose outline was read. */
export function stateOf(outline: LogOutline, overview: SessionOverview | null, owner: OwnerInfo | null): RunState {
  if (owner !== null) return 'running';
  if (outline.damage !== null || overview === null) return 'damaged';
  return overview.turnOpen ? 'interrupted' : 'idle';
}

function summarize(
  store: FileStore,
  run: { readonly id: RunId; readonly outline: LogOutline; readonly ids: ReadonlySet<RunId> },
): RunSummary {
  const { id, outline, ids } = run;
  const graphRun = summarizeGraphRun(store, run);
  if (graphRun !== null) return graphRun;
  const overview = deriveSessionOverview(outline.heads);
  const owner = store.ownerOf(id);
  if (overview === null) return summarizeUnreadable(id, 'it does not start a session', outline.damage);
  const { title, titleFrom, turns, ownTurns, project, workspace, model, createdAt, lastTime, events } = overview;
  const { lastBoundary } = overview;
  return {
    id,
    title,
    titleFrom,
    state: stateOf(outline, overview, owner),
    turns,
    ownTurns,
    ...(overview.forkedFrom === undefined ? {} : { forkedFrom: markRemoved(overview.forkedFrom, ids) }),
    project,
    workspace,
    ...(model === undefined ? {} : { model }),
    createdAt,
    lastTime,
    events,
    ...(lastBoundary === undefined ? {} : { lastEnd: endOf(lastBoundary) }),
    own: { usage: overview.own },
    inherited: { usage: overview.inherited },
    bytes: bytesOfRun(store.pathsOf(id)),
    ...(owner === null ? {} : { owner }),
    ...(outline.damage === null ? {} : { damage: outline.damage }),
  };
}

/** The end that a boundary marks. */
export function endOf(mark: NonNullable<SessionOverview['lastBoundary']>): SessionEnd {
  const { offset, reason, checkpoint } = mark;
  return { offset, reason, checkpoint };
}

/** Its id holds the time it was made at. */
function summarizeUnreadable(id: RunId, reason: string, damage: LogDamage | null = null): SessionSummary {
  const madeAt = new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toISOString();
  return {
    id,
    title: '',
    titleFrom: 'own',
    state: 'damaged',
    turns: 0,
    ownTurns: 0,
    project: null,
    workspace: null,
    createdAt: madeAt,
    lastTime: madeAt,
    events: 0,
    own: { usage: NO_USAGE },
    inherited: { usage: NO_USAGE },
    bytes: { own: 0, shared: 0 },
    damage: damage ?? { reason },
  };
}

/** The one that was active last comes first; ids break ties: the later id first. */
export function byLastActivity(left: RunSummary, right: RunSummary): number {
  if (left.lastTime !== right.lastTime) return left.lastTime < right.lastTime ? 1 : -1;
  return left.id < right.id ? 1 : -1;
}
