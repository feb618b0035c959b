import { isRefusal, type Refusal, type RunId } from '@ramet/core';
import { foldRun, refuseEnded } from './history/fold-run.ts';
import type { RunServices } from './types.ts';

/** Ends a run for good: it is never gone on with, and stays to be looked at and forked. */
export async function abandonRun(
  services: RunServices,
  { id, reason }: { readonly id: RunId; readonly reason?: string },
): Promise<Refusal | null> {
  const log = await services.store.own(id);
  if (isRefusal(log)) return log;
  try {
    const folded = foldRun(services.store, log);
    if (isRefusal(folded)) return folded;
    const ended = refuseEnded(folded.fold);
    if (ended !== null) return ended;
    await log.append([{ type: 'run.abandon', ...(reason === undefined ? {} : { reason }) }], { durable: true });
    return null;
  } finally {
    log.close();
  }
}
