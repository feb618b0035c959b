/**
 * The effects that are at work: one for each node the walk says is active.
 *
 * 1. A node's effect begins once, after everything recorded before it; it ends before its exit is recorded.
 * 2. A node keeps its files until its exit is recorded, or, when it waits for a person, until the run is let go.
 * 3. An effect that is stopped is waited for: its end says what became of it.
 */
import { type ActiveNode, type EventDraft, invariant, type NodePath } from '@ramet/core';
import type { ParkedNode, WorkEnd } from '../nodes/types.ts';
import type { NodePlace } from '../places/types.ts';
import { type StartedWork, startWork } from './start-work.ts';
import type { OpenRun } from './types.ts';

/** An effect that ended, until its exit is recorded. */
export interface FinishedWork {
  readonly path: NodePath;
  readonly end: WorkEnd;
  /** Lets go of the node's files. */
  release(): void;
}

interface Effect {
  readonly work: StartedWork;
  parked: ParkedNode | null;
}

export interface Workshop {
  /** Begins the effects of nodes that have none yet. */
  start(active: readonly ActiveNode[]): void;
  /** Stops effects; one that waits for a person ends as interrupted. */
  stop(paths: readonly NodePath[]): void;
  /** What has ended since the last call, in the order in which it did. Throws what an effect threw. */
  takeFinished(): readonly FinishedWork[];
  /** Nothing ends by itself: what is left waits for a person, or for files that such a node holds. */
  readonly isIdle: boolean;
  readonly parked: readonly ParkedNode[];
  /** Stops all that is at work, waits for its end, and lets go of every file; what was not taken is not recorded. */
  close(): Promise<void>;
}

/** A workshop of a run; `wake` is called when an effect has ended. */
export function createWorkshop(run: OpenRun, wake: () => void): Workshop {
  return new EffectWorkshop(run, wake);
}

class EffectWorkshop implements Workshop {
  readonly #run: OpenRun;
  readonly #wake: () => void;
  readonly #effects = new Map<NodePath, Effect>();
  readonly #finished: FinishedWork[] = [];
  #failure: { readonly error: unknown } | null = null;

  constructor(run: OpenRun, wake: () => void) {
    this.#run = run;
    this.#wake = wake;
  }

  get isIdle(): boolean {
    return (
      this.#finished.length === 0 &&
      [...this.#effects.values()].every(({ parked, work }) => parked !== null || work.waitsForFiles())
    );
  }

  get parked(): readonly ParkedNode[] {
    return [...this.#effects.values()].flatMap(({ parked }) => parked ?? []);
  }

  start(active: readonly ActiveNode[]): void {
    for (const node of active) {
      if (this.#effects.has(node.path)) continue;
      const work = startWork(this.#run, node);
      const effect: Effect = { work, parked: null };
      this.#effects.set(node.path, effect);
      work.ended.then(
        (end) => this.#settle(node.path, effect, end),
        (error: unknown) => {
          this.#failure ??= { error };
          this.#wake();
        },
      );
    }
  }

  stop(paths: readonly NodePath[]): void {
    for (const path of paths) {
      const effect = this.#effects.get(path);
      if (effect?.parked === null) effect.work.stop();
      else if (effect !== undefined) this.#finish(path, effect, { kind: 'interrupted', drafts: [] });
    }
  }

  takeFinished(): readonly FinishedWork[] {
    if (this.#failure !== null) throw this.#failure.error;
    return this.#finished.splice(0);
  }

  async close(): Promise<void> {
    const works = [...this.#effects.values()].map(({ work }) => work);
    for (const work of works) work.stop();
    await Promise.allSettled(works.map(({ ended }) => ended));
    for (const work of works) work.place()?.release(false);
    this.#effects.clear();
  }

  #settle(path: NodePath, effect: Effect, end: WorkEnd): void {
    if (end.kind === 'parked') {
      effect.parked = { ...end, node: path };
      // The walk knows what an unknown outcome waits for; another question is this process's own.
      if (end.reason === 'outcome_unknown') this.#run.journal.letGo(path);
      this.#wake();
    } else this.#finish(path, effect, end);
  }

  #finish(path: NodePath, effect: Effect, end: WorkEnd): void {
    this.#effects.delete(path);
    const place: NodePlace | null = effect.work.place();
    this.#finished.push({ path, end, release: () => place?.release(end.kind !== 'interrupted') });
    this.#wake();
  }
}

/** What of an end is recorded together with the exit. */
export function draftsOf(end: WorkEnd): readonly EventDraft[] {
  invariant(end.kind !== 'parked', 'a node that waits has no exit');
  return end.drafts;
}
