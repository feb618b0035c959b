import { type Refusal, type RunId, refuse } from '@ramet/core';

/** Refuses what would need a run that the daemon of the state folder is at work in; `data` says whose it is. */
export function refuseAtWork(id: RunId, data: Refusal['data']): Refusal {
  const message =
    `the daemon is at work in ${id}; wait for it to end or interrupt it, then try again: on its page, ` +
    `by Ctrl-C in \`ramet run --session ${id}\` (of a graph run, \`ramet resume ${id}\`), or by POST /v1/runs/${id}/interrupt`;
  return refuse('owned_elsewhere', message, data);
}
