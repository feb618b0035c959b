import { escapeLine } from '@ramet/core/text';
import type { SessionSummary } from '@ramet/runtime/inspect';

/** Words for ends that are none of success. */
const ENDS: Readonly<Record<string, string>> = { interrupted: 'stopped' };

/** A session's state in words: an idle one says how its last turn ended, unless that was well. */
export function describeState({ state, lastEnd }: Pick<SessionSummary, 'state' | 'lastEnd'>): string {
  if (state !== 'idle' || lastEnd === undefined || lastEnd.reason === 'completed') return state;
  return `idle (${escapeLine(ENDS[lastEnd.reason] ?? lastEnd.reason)})`;
}
