/**
 * Summaries of all sessions and runs, kept for whoever asks again.
 *
 * 1. What this process did is in the very next answer. What another process did is looked for at most every `LOOK_MS`, and
 *    for at most a part of the time, however many runs there are: by the stamp of each, which costs less than reading it.
 * 2. While nothing changed the list is the very same array: what was made of it may be kept beside it.
 * 3. While nobody asks, nothing is looked at; after a while without anybody, nothing is held.
 */
import type { RunId } from '@ramet/core';
import {
  byLastActivity,
  hasStamp,
  type RunStamp,
  type RunSummary,
  summarizeRun,
  takeStamp,
} from '@ramet/runtime/inspect';
import type { FileStore } from '@ramet/runtime/store';

const LOOK_MS = 100;
/** A look is followed by so many times its own length without one. */
const REST_OF_LOOK = 9;
const IDLE_MS = 60_000;

interface Kept {
  readonly stamp: RunStamp;
  readonly summary: RunSummary;
}

/** The summaries of one store. */
export class Summaries {
  readonly #store: FileStore;
  readonly #clock: () => number;
  readonly #kept = new Map<RunId, Kept>();
  readonly #touched = new Set<RunId>();
  #sorted: readonly RunSummary[] = [];
  /** When to look for what other processes did. */
  #lookAt = Number.NEGATIVE_INFINITY;
  #stopListening: (() => void) | null = null;
  #idle: NodeJS.Timeout | undefined;

  /** `clock`: milliseconds that only rise. */
  constructor(store: FileStore, clock: () => number) {
    this.#store = store;
    this.#clock = clock;
  }

  /** All of them, the one that was active last first. */
  list(): readonly RunSummary[] {
    this.#stayAwake();
    const began = this.#clock();
    const isTimeToLook = began >= this.#lookAt;
    if (!isTimeToLook && this.#touched.size === 0) return this.#sorted;
    try {
      if (this.#refresh(isTimeToLook)) {
        this.#sorted = [...this.#kept.values()].map(({ summary }) => summary).sort(byLastActivity);
      }
      const ended = this.#clock();
      if (isTimeToLook) this.#lookAt = Math.max(began + LOOK_MS, ended + (ended - began) * REST_OF_LOOK);
      return this.#sorted;
    } catch (error) {
      // Half of what changed may be read: the next question begins anew.
      this.rest();
      throw error;
    }
  }

  /** One of them, as it is right now; null when there is none. */
  find(id: RunId): RunSummary | null {
    const kept = this.#kept.get(id);
    // One that is not known may have come since the last look.
    if (kept === undefined ? this.#store.read(id) !== null : this.#mayDiffer(id, kept)) this.#touched.add(id);
    const all = this.list();
    return all.length === 0 ? null : (this.#kept.get(id)?.summary ?? null);
  }

  /** Forgets everything, until the next question. */
  readonly rest = (): void => {
    clearTimeout(this.#idle);
    this.#stopListening?.();
    this.#stopListening = null;
    this.#kept.clear();
    this.#touched.clear();
    this.#sorted = [];
    this.#lookAt = Number.NEGATIVE_INFINITY;
  };

  #stayAwake(): void {
    this.#stopListening ??= this.#store.subscribe(({ id }) => this.#touched.add(id));
    clearTimeout(this.#idle);
    this.#idle = setTimeout(this.rest, IDLE_MS).unref();
  }

  /** Reads what may have changed; whether anything may have. */
  #refresh(isTimeToLook: boolean): boolean {
    const ids = this.#store.listRuns();
    const known = new Set(ids);
    const gone = [...this.#kept.keys()].filter((id) => !known.has(id));
    const fresh = ids.filter((id) => !this.#kept.has(id));
    const due = new Set([...fresh, ...this.#touched].filter((id) => known.has(id)));
    this.#touched.clear();
    if (isTimeToLook) for (const [id, kept] of this.#kept) if (known.has(id) && this.#mayDiffer(id, kept)) due.add(id);
    const moved = new Set([...gone, ...fresh]);
    const lost = gone.map((id) => this.#kept.get(id)?.summary.forkedFrom?.id);
    for (const id of gone) this.#kept.delete(id);
    for (const id of due) this.#read(id, known);
    if (moved.size > 0) for (const id of this.#listRelatives(moved, lost)) this.#read(id, known);
    return gone.length > 0 || due.size > 0;
  }

  /** Who owns a run elsewhere may die without a trace. */
  #mayDiffer(id: RunId, { stamp, summary }: Kept): boolean {
    return summary.owner?.self === false || !hasStamp(this.#store.pathsOf(id), stamp);
  }

  /** Their children name them as removed or not; relatives share files with them, and take more or less of their own. */
  #listRelatives(moved: ReadonlySet<RunId>, lost: readonly (RunId | undefined)[]): readonly RunId[] {
    const all = [...this.#kept.values()].map(({ summary }) => summary);
    const found = all.filter(({ id }) => moved.has(id)).map(({ forkedFrom }) => forkedFrom?.id);
    const parents = new Set([...found, ...lost]);
    return all.flatMap(({ id, forkedFrom }) =>
      parents.has(id) || (forkedFrom !== undefined && moved.has(forkedFrom.id)) ? [id] : [],
    );
  }

  #read(id: RunId, known: ReadonlySet<RunId>): void {
    const stamp = takeStamp(this.#store.pathsOf(id));
    const summary = summarizeRun(this.#store, id, known);
    if (summary === null) this.#kept.delete(id);
    else this.#kept.set(id, { stamp, summary });
  }
}
