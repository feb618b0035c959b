/** The rows of lists, and what is made of them, made once for as long as they stay as they are. */
import type { RunId } from '@ramet/core';
import { isGraphSummary, type RunSummary, type SessionSummary } from '@ramet/runtime/inspect';
import { describeListing, type GraphRunListing } from '@ramet/runtime/inspect/runs';
import type { FileStore } from '@ramet/runtime/store';
import { Summaries } from './summaries.ts';

export interface Rows {
  /** All of both kinds; the very same array while nothing changed. */
  all(): readonly RunSummary[];
  sessions(): readonly SessionSummary[];
  runs(): readonly GraphRunListing[];
  /** The row of one run as it is right now; the very same object while that did not change. */
  find(id: RunId): RunSummary | null;
}

/** Keeps the rows of a store. */
export function makeRows(store: FileStore): Rows {
  const summaries = new Summaries(store, () => performance.now());
  const listings = new WeakMap<RunSummary, GraphRunListing>();
  const sessionsOf = keepBeside((all: readonly RunSummary[]) =>
    all.filter((run): run is SessionSummary => !isGraphSummary(run)),
  );
  const runsOf = keepBeside((all: readonly RunSummary[]) =>
    all.filter(isGraphSummary).map((run) => {
      const listing = listings.get(run) ?? describeListing(store, run);
      listings.set(run, listing);
      return listing;
    }),
  );
  return {
    all: () => summaries.list(),
    sessions: () => sessionsOf(summaries.list()),
    runs: () => runsOf(summaries.list()),
    find: (id) => summaries.find(id),
  };
}

/** Makes something of the last value it was asked about only once. */
export function keepBeside<T extends object, R>(make: (value: T) => R): (value: T) => R {
  let kept: { readonly value: T; readonly made: R } | null = null;
  return (value) => {
    if (kept?.value !== value) kept = { value, made: make(value) };
    return kept.made;
  };
}

/** How many pages are kept. */
const PAGES = 100;

/** Makes the pages of a list, each once for as long as its rows stay as they are. */
export function keepPages<Q, R>(rowsOf: () => readonly object[], make: (query: Q) => R): (query: Q) => R {
  const pagesOf = keepBeside((_: readonly object[]) => new Map<string, R>());
  return (query) => {
    const pages = pagesOf(rowsOf());
    const key = JSON.stringify(query);
    const page = pages.get(key) ?? make(query);
    if (pages.size >= PAGES) pages.clear();
    pages.set(key, page);
    return page;
  };
}

/** How many details are kept. */
const DETAILS = 100;

/** Makes something of a row, and keeps it for as long as the row is the same; of the rows that were asked about last. */
export function keepDetails<R>(make: (row: RunSummary) => R): (row: RunSummary) => R {
  const kept = new Map<RunId, { readonly row: RunSummary; readonly made: R }>();
  return (row) => {
    const known = kept.get(row.id);
    const made = known?.row === row ? known.made : make(row);
    kept.delete(row.id);
    kept.set(row.id, { row, made });
    const [oldest] = kept.keys();
    if (kept.size > DETAILS && oldest !== undefined) kept.delete(oldest);
    return made;
  };
}
