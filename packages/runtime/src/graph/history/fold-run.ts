import {
  createRunFold,
  type EventOf,
  type Graph,
  knownEvent,
  type LoggedEvent,
  type Refusal,
  type RunFold,
  type RunId,
  refuse,
} from '@ramet/core';
import { type FileStore, type OwnedLog, readSparseEvents } from '../../store/index.ts';
import { readDocument } from '../documents/documents.ts';
import { type CallHistory, createCallHistory } from './calls.ts';

/** What the log of a run says, folded. */
export interface FoldedRun {
  readonly graph: Graph;
  readonly fold: RunFold;
  readonly calls: CallHistory;
  readonly start: EventOf<'graph.start'>;
  /** What the last owner ran with. */
  readonly last?: EventOf<'session.config'>;
}

/**
 * Reads and folds the log of a run that is ours; refuses what is no graph run. Long values of nodes stay in their lines:
 * `makeStrictDecode` reads those that something looks at.
 */
export function foldRun(store: FileStore, log: Pick<OwnedLog, 'id' | 'readOutline'>): FoldedRun | Refusal {
  let folded: Omit<FoldedRun, 'last'> | null = null;
  let last: EventOf<'session.config'> | undefined;
  for (const event of readSparseEvents(log.readOutline())) {
    if (folded === null) {
      const start = knownEvent(event);
      if (start?.type !== 'graph.start') return refuseSession(log.id);
      const graph = readDocument(store, start.graph);
      folded = { graph, fold: createRunFold(graph), calls: createCallHistory(), start };
    }
    folded.fold.add(event);
    if (event.seq > folded.fold.state.inheritedThrough) folded.calls.add(event);
    last = configOf(event) ?? last;
  }
  if (folded === null) return refuseSession(log.id);
  return { ...folded, ...(last === undefined ? {} : { last }) };
}

function configOf(event: LoggedEvent): EventOf<'session.config'> | null {
  if (event.type !== 'session.config' || event.node !== undefined) return null;
  const known = knownEvent(event);
  return known?.type === 'session.config' ? known : null;
}

function refuseSession(id: RunId): Refusal {
  return refuse('not_a_graph_run', `${id} is a session: go on with it by \`ramet run --session ${id}\``, { id });
}

/** Refuses a run that has ended for good. */
export function refuseEnded({ state }: Pick<RunFold, 'state'>): Refusal | null {
  const { id, status } = state;
  if (status !== 'completed' && status !== 'abandoned') return null;
  return refuse('run_ended', `run ${id} is ${status}: it is not gone on with; start another, or fork it`, {
    id,
    status,
  });
}
