import { hostname } from 'node:os';
import type { Refusal, RunId } from '@ramet/core';
import { refuseAtWork } from '../endpoint/index.ts';

/** Refuses work in a run that this daemon is at work in. */
export function refuseDriven(id: RunId): Refusal {
  return refuseAtWork(id, { id, owner: { pid: process.pid, host: hostname(), self: true } });
}

/** To whoever asks a daemon, its own process is the daemon. */
export function explainOwned(id: RunId, refusal: Refusal): Refusal {
  return isOwnedHere(refusal) ? refuseDriven(id) : refusal;
}

/** Whether a run was refused because this very process owns it. */
export function isOwnedHere({ code, data }: Refusal): boolean {
  return code === 'owned_elsewhere' && (data.owner as { readonly self?: unknown } | undefined)?.self === true;
}
