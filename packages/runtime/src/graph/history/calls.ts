/**
 * What this run has called so far, as far as a forked run asks: which acknowledgements it has used, which keys it has
 * presented. Folded from the log, so that a crash forgets nothing.
 */
import { knownEvent, type LoggedEvent } from '@ramet/core';

export interface CallHistory {
  /** Offsets in the source of writes that were made again; each is used once. */
  readonly used: ReadonlySet<number>;
  /** Those of them whose call did not answer. */
  readonly failed: ReadonlySet<number>;
  readonly keys: ReadonlySet<string>;
  /** Takes an event of the run's own. */
  add(event: LoggedEvent): void;
}

/** The history of a run that has called nothing. */
export function createCallHistory(): CallHistory {
  const used = new Set<number>();
  const keys = new Set<string>();
  const failed = new Set<number>();
  const acknowledged = new Map<string, number>();
  return {
    used,
    failed,
    keys,
    add: (event) => {
      const known = event.type === 'tool.intent' || event.type === 'tool.result' ? knownEvent(event) : null;
      if (known?.type !== 'tool.intent' && known?.type !== 'tool.result') return;
      const call = `${known.node} ${known.callId}`;
      if (known.type === 'tool.result') {
        const offset = acknowledged.get(call);
        if (offset !== undefined && known.outcome !== 'ok') failed.add(offset);
        return;
      }
      keys.add(known.key);
      if (known.acknowledged === undefined) return;
      used.add(known.acknowledged);
      acknowledged.set(call, known.acknowledged);
    },
  };
}
