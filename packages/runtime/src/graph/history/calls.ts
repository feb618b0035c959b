/**
 * What this run has called so far, as far as a forked run asks: which acknowledgements it has used, which keys it has
 * presented. Folded from the log, so that a crash forgets nothing.
 */
import { knownEvent, type LoggedEvent } from '@ramet/core';

export interface CallHistory {
  /** Offsets in the source of writes that were made again; each is used once. */
  readonly used: ReadonlySet<number>;
  readonly keys: ReadonlySet<string>;
  /** Takes an event of the run's own. */
  add(event: LoggedEvent): void;
}

/** The history of a run that has called nothing. */
export function createCallHistory(): CallHistory {
  const used = new Set<number>();
  const keys = new Set<string>();
  return {
    used,
    keys,
    add: (event) => {
      const known = event.type === 'tool.intent' ? knownEvent(event) : null;
      if (known?.type !== 'tool.intent') return;
      keys.add(known.key);
      if (known.acknowledged !== undefined) used.add(known.acknowledged);
    },
  };
}
