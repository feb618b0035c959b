/** Tells those who listen what this process did to the runs of a store: what other processes do is theirs to find. */
import type { RunId } from '@ramet/core';

/**
 * What became of a run. `owned` and `released`: of its log, by an owner in this process. `placed`: it is there now.
 * `appended` comes after the bytes are written and, where that was asked for, durable.
 */
export interface StoreChange {
  readonly kind: 'owned' | 'appended' | 'released' | 'placed' | 'removed';
  readonly id: RunId;
}

/** Hears of a change in the middle of what made it: it must be quick, and must not throw. */
export type StoreListener = (change: StoreChange) => void;

export interface Announcer {
  announce(kind: StoreChange['kind'], id: RunId): void;
  /** Returns what ends the subscription. */
  subscribe(listener: StoreListener): () => void;
}

/** Makes one without listeners. */
export function makeAnnouncer(): Announcer {
  const listeners = new Set<StoreListener>();
  return {
    announce: (kind, id) => {
      for (const listener of listeners) listener({ kind, id });
    },
    subscribe: (listener) => {
      // A listener of its own for each subscription, so that one function may subscribe twice.
      const own: StoreListener = (change) => listener(change);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
  };
}
