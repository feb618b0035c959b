import type { NodePath, RunId } from '@ramet/core';
import type { FileStore } from '../../store/index.ts';
import type { GraphRunSummary } from '../graph-summary.ts';
import { isGraphSummary, listAllRuns } from '../summary.ts';
import { readGraphName, readRunGraph } from './document.ts';
import { type OpenRunState, type RunWaits, readStanding } from './standing.ts';

/** What a list of runs shows of one. */
export interface GraphRunListing extends Omit<GraphRunSummary, 'state'> {
  readonly state: Exclude<GraphRunSummary['state'], 'open'> | OpenRunState;
  /** The name its document gives itself. */
  readonly graphName?: string;
  /** Places of the walk that were entered, and those that finished, inherited ones included. */
  readonly nodes: { readonly entered: number; readonly done: number };
  /** Of one that nobody drives. */
  readonly waits: RunWaits;
}

const NO_WAITS: RunWaits = { gates: [], calls: [], flags: [] };

/** All graph runs, the one that was active last first. */
export function listGraphRuns(store: FileStore): readonly GraphRunListing[] {
  return listAllRuns(store)
    .filter(isGraphSummary)
    .map((run) => describeListing(store, run));
}

/** A run as a list shows it, from its summary. */
export function describeListing(store: FileStore, run: GraphRunSummary): GraphRunListing {
  const name = readGraphName(store, run.graph);
  return {
    ...run,
    ...findStanding(store, run),
    ...(name === null ? {} : { graphName: name }),
    nodes: countNodes(store, run.id),
  };
}

/** Only a run that is neither ended nor owned is folded: of the others its heads say enough. */
function findStanding(store: FileStore, run: GraphRunSummary): Pick<GraphRunListing, 'state' | 'waits'> {
  const { state, id } = run;
  if (state !== 'open') return { state, waits: NO_WAITS };
  const graph = readRunGraph(store, run.graph);
  const reader = store.read(id);
  if (graph === null || reader === null) return { state: 'idle', waits: NO_WAITS };
  const standing = readStanding(reader, graph, run.events - 1);
  return standing;
}

function countNodes(store: FileStore, id: RunId): GraphRunListing['nodes'] {
  const entered = new Set<NodePath>();
  const done = new Set<NodePath>();
  const outline = store.read(id)?.readOutline();
  for (const segment of outline?.heads.keys() ?? []) {
    for (const { type, node, outcome } of outline?.readDetail(segment).nodes ?? []) {
      if (type === 'enter') entered.add(node);
      else if (type === 'exit' && outcome === 'ok') done.add(node);
    }
  }
  return { entered: entered.size, done: done.size };
}
