/**
 * One turn or run at work in this process: how it is stopped, what it asks, what is seen of it.
 *
 * 1. It owns its run from its first event on: before that it may still be refused, and another may be at work.
 */
import type { LoggedEvent, RunId } from '@ramet/core';
import type { DrivenRun, RunObserver } from '@ramet/runtime/graph';
import { SUSPEND, type TurnObserver } from '@ramet/runtime/session';
import type { LiveText } from '../types.ts';
import { type Asks, makeAsks } from './asks.ts';

/** What a supervisor hears of it. */
export interface DrivenHooks {
  readonly now: () => number;
  /** Its run is known from here on. */
  readonly named: (driven: Driven) => void;
  /** Its first event is recorded: the run is its own. */
  readonly owned: (driven: Driven) => void;
  /** Its questions changed. */
  readonly changed: (driven: Driven) => void;
  readonly publish: (id: RunId, live: LiveText) => void;
}

/** What the work of a turn or a run ends with. */
const ENDS: ReadonlySet<string> = new Set(['session.end', 'run.complete', 'run.fail']);

export class Driven {
  /** RFC 3339. */
  readonly startedAt: string;
  readonly asks: Asks;
  readonly observer: Required<TurnObserver> & Required<RunObserver>;
  /** Settles when something that says so is recorded. */
  readonly begun: Promise<void>;
  /** Settles with what can be said to a graph run, once it is driven. */
  readonly driving: Promise<DrivenRun>;
  readonly setDriving: (run: DrivenRun) => void;
  /** Settles when it is over, however. */
  readonly ended: Promise<void>;
  /** Says that it is over. */
  readonly end: () => void;
  readonly #stop = new AbortController();
  #id: RunId | null = null;
  #isOwner = false;
  #isEnding = false;

  /** `isBegun` says of an event whether the work has begun with it. */
  constructor(hooks: DrivenHooks, isBegun: (event: LoggedEvent) => boolean) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.begun = promise;
    ({ promise: this.driving, resolve: this.setDriving } = Promise.withResolvers<DrivenRun>());
    ({ promise: this.ended, resolve: this.end } = Promise.withResolvers<void>());
    this.startedAt = new Date(hooks.now()).toISOString();
    this.asks = makeAsks(hooks.now, () => hooks.changed(this));
    const name = (id: RunId): void => {
      this.#id = id;
      hooks.named(this);
    };
    const publish = (kind: LiveText['kind'], text: string): void => {
      if (this.#id !== null) hooks.publish(this.#id, { kind, text });
    };
    this.observer = {
      session: name,
      run: name,
      event: (event) => {
        if (!this.#isOwner) {
          this.#isOwner = true;
          hooks.owned(this);
        }
        // A new message may end an open turn first.
        this.#isEnding = ENDS.has(event.type) || (this.#isEnding && event.type !== 'message');
        if (isBegun(event)) resolve();
      },
      delta: ({ kind, text }) => publish(kind, text),
      toolOutput: (text) => publish('output', text),
      notice: (text) => publish('notice', text),
    };
  }

  /** Null until it is known: of a session that is being made. */
  get id(): RunId | null {
    return this.#id;
  }

  get isOwner(): boolean {
    return this.#isOwner;
  }

  /** Its end is recorded: in a moment it is over. */
  get isEnding(): boolean {
    return this.#isEnding;
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  get isSuspended(): boolean {
    return this.signal.reason === SUSPEND;
  }

  /** As the first Ctrl-C. */
  interrupt(): void {
    this.#stop.abort();
  }

  /** Stops it so that it is gone on with later. */
  suspend(): void {
    this.#stop.abort(SUSPEND);
  }
}
