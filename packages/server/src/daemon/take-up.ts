/** Takes up what an earlier daemon of this state folder had begun and not ended. */
import { isRefusal, type RunId } from '@ramet/core';
import { isGraphRun } from '@ramet/runtime/inspect';
import type { Parts } from './parts.ts';
import { makeDrive } from './runs.ts';
import { makeContinuation } from './turns.ts';
import type { DaemonReport } from './types.ts';
import type { Intent, Intents } from './work/intents.ts';

/** How many are opened at the same time. */
const AT_ONCE = 8;

export interface TakeUp extends Parts {
  readonly intents: Intents;
  readonly report: (report: DaemonReport) => void;
}

/** Goes on with everything there is an intent for; settles when each has begun, or was found not to. */
export async function takeUpWork(takeUp: TakeUp): Promise<void> {
  const left = [...takeUp.intents.list()];
  const workers = Array.from({ length: AT_ONCE }, async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await takeUpOne(takeUp, next);
  });
  await Promise.all(workers);
}

/** One that cannot be gone on with is left to whoever looks at it: the log says how it stands. */
async function takeUpOne(
  { intents, report, ...parts }: TakeUp,
  { id, intent }: { readonly id: RunId; readonly intent: Intent | null },
): Promise<void> {
  const drop = (code: string): void => {
    intents.remove(id);
    report({ kind: 'dropped', id, code });
  };
  if (intent === null) return drop('bad_config');
  if (parts.services.store.read(id) === null) return drop('unknown_run');
  try {
    const begun = isGraphRun(parts.services.store, id)
      ? await parts.supervisor.begin(makeDrive(parts, id, intent))
      : await parts.supervisor.begin(makeContinuation(parts, id, intent));
    if (!isRefusal(begun)) return;
    if (!OVER.has(begun.code)) parts.supervisor.noteError(id, begun);
    drop(begun.code);
  } catch {
    // It is noted where it was thrown; the next start tries again.
  }
}

/** It ended before its intent went. */
const OVER: ReadonlySet<string> = new Set(['no_open_turn', 'run_ended', 'owned_elsewhere', 'unknown_run']);
