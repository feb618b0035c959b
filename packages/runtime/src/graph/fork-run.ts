import { compileGraph, hashGraph, isRefusal, makeRunId, type Refusal, type RunId, refuse } from '@ramet/core';
import { forkRun as commitFork, type RunForkResult } from '../fork/index.ts';
import { refuseDamaged, sha256 } from '../store/index.ts';
import { refuseDocument } from './documents/check.ts';
import { keepDocument, readDocument } from './documents/documents.ts';
import type { RunForkOptions, RunServices } from './types.ts';

/** Offsets of the writes that a fork would make again as the run is now: all there is to acknowledge. */
export async function listForkWrites(
  services: RunServices,
  source: RunId,
  options: RunForkOptions,
): Promise<readonly number[] | Refusal> {
  const { idempotencyKey: _, ...alone } = options;
  const planned = await forkRun(services, source, { ...alone, dryRun: true });
  return isRefusal(planned) ? planned : (planned.plan?.writes ?? []).map(({ offset }) => offset);
}

/** Forks a run at the entry of a node; the child walks the source's document, or another one that is kept with it. */
export async function forkRun(
  services: RunServices,
  source: RunId,
  options: RunForkOptions,
): Promise<RunForkResult | Refusal> {
  const { store, now, randomBytes, functions = [] } = services;
  const log = store.read(source);
  if (log === null) return refuse('unknown_run', `there is no run ${source}`, { id: source });
  const outline = log.readOutline();
  if (outline.damage !== null) return refuseDamaged(source, outline);
  const start = outline.heads[0]?.graph;
  if (start === undefined) {
    return refuse('not_a_graph_run', `${source} is a session: fork it at a completed turn`, { id: source });
  }
  const { document, ...request } = options;
  const refusal = document === undefined ? null : await refuseDocument(document, functions);
  if (isRefusal(refusal)) return refusal;
  const graph = document === undefined ? undefined : compileGraph(document, hashGraph(document, sha256));
  const context = { store, makeId: () => makeRunId(now(), randomBytes(10)), now };
  return commitFork(context, source, {
    ...request,
    sourceGraph: readDocument(store, start.graph),
    ...(graph === undefined ? {} : { graph, beforeCommit: () => keepDocument(store, graph) }),
  });
}
