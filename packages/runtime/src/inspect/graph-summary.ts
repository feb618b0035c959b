/** What a list shows of a graph run: from segment heads alone, without a lock. */
import {
  type Digest,
  deriveRunOverview,
  type NodePath,
  type RunId,
  type UsageSum,
  type WorkspaceKind,
} from '@ramet/core';
import type { FileStore, LogDamage, LogOutline, OwnerInfo } from '../store/index.ts';
import { markRemoved, type ShownOrigin } from './origin.ts';
import { type Bytes, bytesOfRun } from './size.ts';

/** How far a graph run came, as far as heads say: `open` is neither ended nor owned. */
export type GraphRunState = 'running' | 'open' | 'completed' | 'failed' | 'abandoned' | 'damaged';

export interface GraphRunSummary {
  readonly id: RunId;
  readonly title: string;
  readonly titleFrom: 'own' | 'inherited' | 'none';
  readonly state: GraphRunState;
  readonly forkedFrom?: ShownOrigin & { readonly fromNode: NodePath };
  /** SHA-256 of the document it walks. */
  readonly graph: Digest;
  /** Of what made it fail. */
  readonly errorCode?: string;
  /** Gates without an answer. */
  readonly openGates: number;
  /** Nodes entered, inherited ones included, and those this run entered itself. */
  readonly steps: number;
  readonly ownSteps: number;
  readonly project: string | null;
  readonly workspace: WorkspaceKind;
  readonly createdAt: string;
  readonly lastTime: string;
  readonly events: number;
  readonly own: { readonly usage: UsageSum };
  readonly inherited: { readonly usage: UsageSum };
  readonly bytes: Bytes;
  readonly owner?: OwnerInfo;
  readonly damage?: LogDamage;
}

/** The summary of a graph run; null when the log does not start one. */
export function summarizeGraphRun(
  store: FileStore,
  run: { readonly id: RunId; readonly outline: LogOutline; readonly ids: ReadonlySet<RunId> },
): GraphRunSummary | null {
  const { id, outline, ids } = run;
  const overview = deriveRunOverview(outline.heads);
  if (overview === null) return null;
  const { title, titleFrom, forkedFrom, graph, end, openGates, steps, ownSteps } = overview;
  const { project, workspace, createdAt, events, own, inherited } = overview;
  const owner = store.ownerOf(id);
  const hasOwn = forkedFrom === undefined || events > forkedFrom.offset + 1;
  return {
    id,
    title,
    titleFrom,
    state: owner !== null ? 'running' : outline.damage !== null ? 'damaged' : (end?.kind ?? 'open'),
    ...(forkedFrom === undefined
      ? {}
      : { forkedFrom: { ...markRemoved(forkedFrom, ids), fromNode: forkedFrom.fromNode } }),
    graph,
    ...(end?.code === undefined ? {} : { errorCode: end.code }),
    openGates,
    steps,
    ownSteps,
    project,
    workspace,
    createdAt,
    // The last line of a child that did nothing yet is its parent's.
    lastTime: hasOwn ? overview.lastTime : createdAt,
    events,
    own: { usage: own },
    inherited: { usage: inherited },
    bytes: bytesOfRun(store.pathsOf(id)),
    ...(owner === null ? {} : { owner }),
    ...(outline.damage === null ? {} : { damage: outline.damage }),
  };
}
