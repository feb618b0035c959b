import { hostname } from 'node:os';
import { type Refusal, type RunId, refuse } from '@ramet/core';

/** Refuses work in a run that this daemon is at work in. */
export function refuseDriven(id: RunId): Refusal {
  const message = `the daemon is at work in ${id}; wait for it to end or interrupt it, then try again`;
  return refuse('owned_elsewhere', message, { id, owner: { pid: process.pid, host: hostname(), self: true } });
}

/** To whoever asks a daemon, its own process is the daemon. */
export function explainOwned(id: RunId, refusal: Refusal): Refusal {
  return isOwnedHere(refusal) ? refuseDriven(id) : refusal;
}

/** Whether a run was refused because this very process owns it. */
export function isOwnedHere({ code, data }: Refusal): boolean {
  return code === 'owned_elsewhere' && (data.owner as { readonly self?: unknown } | undefined)?.self === true;
}
