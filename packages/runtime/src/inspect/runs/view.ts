/**
 * A whole graph run to look at: what it was given, how it stands, and every place of its walk.
 *
 * 1. No lock is taken. A damaged log is shown up to the damage, and the damage with it.
 */
import {
  type Decode,
  decoderOf,
  deriveRunOverview,
  type ErrorInfo,
  type EventOf,
  type Graph,
  knownEvent,
  type Refusal,
  type RunId,
  type RunOrigin,
  refuse,
} from '@ramet/core';
import { type FileStore, type LogOutline, type LogReader, refuseDamaged } from '../../store/index.ts';
import { summarizeGraphRun } from '../graph-summary.ts';
import { readRunGraph } from './document.ts';
import { describeListing, type GraphRunListing } from './list.ts';
import { type NodeView, walkNodes } from './nodes.ts';

export interface GraphRunView extends Omit<GraphRunListing, 'forkedFrom' | 'openGates'> {
  /** As event 0 has it, what a person changed decoded. */
  readonly forkedFrom?: RunOrigin & { readonly removed?: true };
  readonly cwd: string;
  readonly digest: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly input: unknown;
  readonly output?: unknown;
  readonly error?: ErrorInfo;
  /** Where its files are on this machine; absent when it has none. */
  readonly path?: string;
  /** In the order in which they were first met; nodes that were never met are not among them. */
  readonly walk: readonly NodeView[];
}

/** What was read of a run; `document` is null when it is gone. */
export interface ReadGraphRun {
  readonly view: GraphRunView;
  readonly document: Graph | null;
}

/** Reads a run to show it; refuses with `unknown_run`, `not_a_graph_run` or `log_damaged` (damaged in event 0). */
export function viewGraphRun(store: FileStore, id: RunId): ReadGraphRun | Refusal {
  const reader = store.read(id);
  if (reader === null)
    return refuse('unknown_run', `there is no run ${id}; \`ramet runs\` lists those there are`, { id });
  const outline = reader.readOutline();
  const summary = summarizeGraphRun(store, { id, outline, ids: new Set(store.listRuns()) });
  if (summary === null) {
    return outline.damage === null
      ? refuse('not_a_graph_run', `${id} is a session, and no graph run`, { id })
      : refuseDamaged(id, outline);
  }
  const { openGates: _, forkedFrom: __, ...listing } = describeListing(store, summary);
  const { forkedFrom } = summary;
  const said = readEnds(reader, outline);
  const document = readRunGraph(store, summary.graph);
  const through = forkedFrom?.offset ?? -1;
  const view: GraphRunView = {
    ...listing,
    ...said,
    ...(said.forkedFrom === undefined
      ? {}
      : { forkedFrom: { ...said.forkedFrom, ...(forkedFrom?.removed ? { removed: true as const } : {}) } }),
    ...(listing.workspace === 'none' ? {} : { path: store.pathsOf(id).workspace }),
    walk: walkNodes(reader, { to: summary.events - 1, through, graph: document }),
  };
  return { view, document };
}

type Said = Pick<GraphRunView, 'forkedFrom' | 'cwd' | 'digest' | 'labels' | 'input' | 'output' | 'error'>;

/** What event 0 and the run's end say. */
function readEnds(reader: LogReader, outline: LogOutline): Said {
  const decode = decoderOf(reader);
  const overview = deriveRunOverview(outline.heads);
  const [first] = [...reader.readEvents({ from: 0, to: 0 })];
  const start = first === undefined ? null : knownEvent(first);
  const end = overview?.end;
  const [last] = end === undefined ? [] : [...reader.readEvents({ from: end.offset, to: end.offset })];
  return {
    ...describeStart(start?.type === 'graph.start' ? start : null, decode),
    cwd: overview?.cwd ?? '',
    digest: overview?.digest ?? '',
    ...describeEnd(last === undefined ? null : knownEvent(last), decode),
  };
}

function describeStart(
  start: EventOf<'graph.start'> | null,
  decode: Decode,
): Pick<Said, 'forkedFrom' | 'labels' | 'input'> {
  const { input, labels = {}, forkedFrom } = start ?? { input: null };
  return {
    input: decode(input),
    labels: decode(labels) as Said['labels'],
    ...(forkedFrom === undefined ? {} : { forkedFrom: decode(forkedFrom) as RunOrigin }),
  };
}

function describeEnd(event: ReturnType<typeof knownEvent>, decode: Decode): Pick<Said, 'output' | 'error'> {
  if (event?.type === 'run.complete') return { output: decode(event.output) };
  if (event?.type === 'run.fail') return { error: decode(event.error) as ErrorInfo };
  return {};
}
