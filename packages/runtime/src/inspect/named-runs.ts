/** Finds the runs that texts name, and names runs so that they are found again. */
import { isRefusal, type Refusal, type RunId, refuse, resolveRunId, shortIdsOf } from '@ramet/core';
import { type FileStore, refuseDamaged } from '../store/index.ts';

/** The run a text names. */
export function findRun(store: FileStore, text: string): RunId | Refusal {
  return resolveRunId(text, store.listRuns());
}

/** The runs some texts name, all or none. */
export function findRuns(store: FileStore, texts: readonly string[]): readonly RunId[] | Refusal {
  const ids = store.listRuns();
  const found: RunId[] = [];
  for (const text of texts) {
    const id = resolveRunId(text, ids);
    if (isRefusal(id)) return id;
    found.push(id);
  }
  return [...new Set(found)];
}

/** Whether a run is a graph run; one whose first event cannot be read counts as a session. */
export function isGraphRun(store: FileStore, id: RunId): boolean {
  return store.read(id)?.readOutline().heads[0]?.graph !== undefined;
}

/** The graph run a text names; refuses a session with `not_a_graph_run`. */
export function findGraphRun(store: FileStore, text: string): RunId | Refusal {
  const id = findRun(store, text);
  if (isRefusal(id) || isGraphRun(store, id)) return id;
  const outline = store.read(id)?.readOutline();
  if (outline !== undefined && outline.damage !== null && outline.heads[0]?.start === undefined) {
    return refuseDamaged(id, outline);
  }
  return refuse('not_a_graph_run', `${id} is a session: go on with it by \`ramet run --session ${id}\``, { id });
}

/** How to show ids so that they are accepted back: unique among all runs, and the others given. */
export function shortenIds(store: FileStore, others: Iterable<RunId> = []): (id: RunId) => string {
  const short = shortIdsOf([...store.listRuns(), ...others]);
  return (id) => short.get(id) ?? id;
}
