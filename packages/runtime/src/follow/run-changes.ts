/**
 * Which runs of a store appear, change or vanish, for lists that are kept up to date.
 *
 * 1. What this process does is heard from the store; noting it costs the same however many listen.
 * 2. What other processes do is looked for, and only while somebody listens: the folder of runs is watched, and from time
 *    to time each run's lock tells whether somebody has taken it since. The log of a run that another process owns is
 *    watched until it lets go.
 * 3. A listener that does not take what it is told holds each id once.
 */
import { lstatSync } from 'node:fs';
import { Failure, parseRunId, type RunId } from '@ramet/core';
import { codeOf, type FileStore } from '../store/index.ts';
import { hasRun } from '../store/run-reader.ts';
import { listSegments } from '../store/segments.ts';
import { ChangeListener } from './change-listener.ts';
import type { FeedSettings, RunChange } from './types.ts';
import { watchFolder } from './watch.ts';

/** Changes are gathered for so long before they are told. */
const GATHER_MS = 50;
/** Runs looked at before other work of this thread has its turn. */
const RUNS_AT_ONCE = 200;

type Watch = ReturnType<typeof watchFolder>;

export class RunChanges {
  readonly #store: FileStore;
  readonly #settings: FeedSettings;
  readonly #listeners = new Set<ChangeListener>();
  readonly #changed = new Set<RunId>();
  /** When the lock of each known run was last written. */
  readonly #locks = new Map<RunId, number>();
  /** Logs of runs that another process owns. */
  readonly #owned = new Map<RunId, Watch>();
  #folder: Watch | null = null;
  #timer: NodeJS.Timeout | undefined;
  #sweeping = false;

  constructor(store: FileStore, settings: FeedSettings) {
    this.#store = store;
    this.#settings = settings;
  }

  /** A listener from now on. */
  open(signal?: AbortSignal): ChangeListener {
    const listener = new ChangeListener(signal, () => this.#leave(listener));
    if (signal?.aborted) return listener;
    if (this.#folder === null) this.#start();
    this.#listeners.add(listener);
    return listener;
  }

  /** Notes that something became of a run. */
  heed(id: RunId): void {
    if (this.#listeners.size === 0) return;
    this.#changed.add(id);
    this.#timer ??= setTimeout(this.#tell, GATHER_MS);
  }

  close(): void {
    for (const listener of [...this.#listeners]) void listener.return();
  }

  readonly #tell = (): void => {
    this.#timer = undefined;
    const changes = [...this.#changed].map(
      (id): RunChange => ({ kind: this.#isThere(id) ? 'changed' : 'removed', id }),
    );
    this.#changed.clear();
    for (const listener of this.#listeners) listener.add(changes);
  };

  #leave(listener: ChangeListener): void {
    if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#changed.clear();
    this.#folder?.stop();
    this.#folder = null;
    for (const watch of this.#owned.values()) watch.stop();
    this.#owned.clear();
    this.#locks.clear();
  }

  #start(): void {
    for (const id of this.#store.listRuns()) this.#locks.set(id, this.#lockTimeOf(id));
    this.#folder = watchFolder(this.#store.layout.runs, this.#settings, (name) => {
      const id = name === null ? null : parseRunId(name);
      if (name === null) void this.#sweep((run) => this.#lookAt(run));
      else if (id !== null) this.heed(id);
    });
    void this.#sweep((id) => this.#watchOwned(id));
  }

  /** Looks at every run for what no watch told of. */
  async #sweep(look: (id: RunId) => void): Promise<void> {
    if (this.#sweeping) return;
    this.#sweeping = true;
    try {
      const ids = new Set(this.#store.listRuns());
      for (const id of this.#locks.keys()) if (!ids.has(id)) this.#forget(id);
      let looked = 0;
      for (const id of ids) {
        if (this.#folder === null) return;
        look(id);
        looked += 1;
        if (looked % RUNS_AT_ONCE === 0) await new Promise(setImmediate);
      }
    } catch (error) {
      // What cannot be read now is read again by the next sweep; a bug is not swallowed.
      if (!(error instanceof Failure) && codeOf(error) === '') throw error;
    } finally {
      this.#sweeping = false;
    }
  }

  #lookAt(id: RunId): void {
    const time = this.#lockTimeOf(id);
    const isKnown = this.#locks.get(id) === time;
    this.#locks.set(id, time);
    if (!isKnown) {
      this.heed(id);
      this.#watchOwned(id);
    } else if (this.#owned.has(id) && !this.#isOwnedElsewhere(id)) {
      this.#owned.get(id)?.stop();
      this.#owned.delete(id);
      this.heed(id);
    }
  }

  #forget(id: RunId): void {
    this.#locks.delete(id);
    this.#owned.get(id)?.stop();
    this.#owned.delete(id);
    this.heed(id);
  }

  #watchOwned(id: RunId): void {
    if (this.#owned.has(id) || !this.#isOwnedElsewhere(id)) return;
    const { log } = this.#store.pathsOf(id);
    let known = stampOf(log);
    const look = (): void => {
      const stamp = stampOf(log);
      if (stamp !== known) this.heed(id);
      known = stamp;
    };
    this.#owned.set(id, watchFolder(log, this.#settings, look));
  }

  /** One that cannot be looked at is not gone. */
  #isThere(id: RunId): boolean {
    try {
      return hasRun(id, this.#store.pathsOf(id));
    } catch {
      return true;
    }
  }

  #isOwnedElsewhere(id: RunId): boolean {
    return this.#store.ownerOf(id)?.self === false;
  }

  /** An owner writes its name into the lock when it takes it. */
  #lockTimeOf(id: RunId): number {
    return lstatSync(this.#store.pathsOf(id).lock, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  }
}

/** Another one when something was appended; of a log that cannot be read now, none. */
function stampOf(log: string): string {
  try {
    const last = listSegments(log).at(-1);
    return last === undefined ? '' : `${last.name} ${lstatSync(last.path).size}`;
  } catch {
    return '';
  }
}
