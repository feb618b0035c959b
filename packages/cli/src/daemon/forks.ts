/** Forks of what the daemon is at work in: it forks at what has ended while it goes on. */
import type { Client } from '@ramet/client';
import type { RunId } from '@ramet/core/events';
import type { RunForkPlan } from '@ramet/core/fork';
import type { DescribedFork } from '@ramet/runtime/answers';
import type { ForkOptions, RunForkResult } from '@ramet/runtime/fork';
import type { RunForkOptions } from '@ramet/runtime/graph';

/** Forks a session. */
export async function forkSessionThere(client: Client, id: RunId, options: ForkOptions): Promise<DescribedFork> {
  const { idempotencyKey, ...body } = options;
  const keyed = idempotencyKey === undefined ? {} : { key: idempotencyKey };
  const forked = await client.call('forkSession', { path: { id }, ...keyed, body });
  // One shape for the command line and HTTP.
  return forked as unknown as DescribedFork;
}

/** Forks a graph run; the child is not started. */
export async function forkRunThere(client: Client, id: RunId, options: RunForkOptions): Promise<RunForkResult> {
  const { idempotencyKey, acknowledge, document, ...asked } = options;
  const keyed = idempotencyKey === undefined ? {} : { key: idempotencyKey };
  const body = {
    ...asked,
    start: false,
    ...(acknowledge === undefined ? {} : { acknowledgeWrites: [...acknowledge] }),
    ...(document === undefined ? {} : { graph: { ...document } }),
  };
  const forked = await client.call('forkRun', { path: { id }, ...keyed, body });
  const { run, forkedFrom, boundary, wouldProceed = true, bytes, missingPayloads = [], repeated = false } = forked;
  const { prefix, writes, exempt, idempotent, workspaces } = forked;
  const plan = { boundary, prefix, writes, exempt, idempotent, workspaces, acknowledged: acknowledge ?? [] };
  return {
    run: run as RunId | null,
    forkedFrom: forkedFrom as unknown as RunForkResult['forkedFrom'],
    plan: boundary === undefined ? null : (plan as unknown as RunForkPlan),
    wouldProceed,
    bytes,
    missingPayloads,
    repeated,
  };
}

/** Offsets of the writes that a fork would make again as the run is now. */
export async function listForkWritesThere(
  client: Client,
  id: RunId,
  options: RunForkOptions,
): Promise<readonly number[]> {
  const { idempotencyKey: _, ...alone } = options;
  const { plan } = await forkRunThere(client, id, { ...alone, dryRun: true });
  return (plan?.writes ?? []).map(({ offset }) => offset);
}
