/** How files differ: since a session or run began, since an earlier turn of it, beside another one. */
import { isRefusal, type Refusal, type RunId } from '@ramet/core';
import { describeDiff, describeUsage } from '@ramet/runtime/answers';
import { compareSessions, type SessionComparison, type SessionSide } from '@ramet/runtime/compare';
import { compareWork, findHeldWork, type WorkDiff } from '@ramet/runtime/upkeep';
import { diffTurns, findTurnCheckpoint, readFilePatches } from '@ramet/runtime/workspace/browse';
import { diffCheckpoint } from '@ramet/runtime/workspace/diff';
import * as routes from '../contract/routes/either.ts';
import { given } from '../daemon/given.ts';
import { type Endpoint, makeEndpoint, reply } from '../http/endpoint.ts';
import type { Problem } from '../http/problem.ts';
import { refuseMisfits } from '../http/validate.ts';
import { type Api, findNamed, mapAnswer } from './api.ts';

/** The endpoints that compare. */
export function listDiffEndpoints(api: Api): readonly Endpoint[] {
  const { store } = api.services;
  return [
    makeEndpoint(routes.readDiff, async ({ path, query }) => {
      const id = findNamed(api, path.id);
      if (isRefusal(id)) return id;
      const found = await findDiff(api, id, query);
      if ('code' in found) return found;
      return reply(200, await describeWithPatches(found, query.patch === 'true'));
    }),
    makeEndpoint(routes.compare, async ({ path }) => {
      const left = findNamed(api, path.id);
      if (isRefusal(left)) return left;
      const right = findNamed(api, path.other);
      if (isRefusal(right)) return right;
      const compared = await compareSessions(store, left, right);
      return mapAnswer(compared, (comparison) => reply(200, describeComparison(comparison)));
    }),
  ];
}

interface DiffQuery {
  readonly at?: number | undefined;
  readonly from?: number | undefined;
  readonly other?: string | undefined;
  readonly ignored?: 'true' | undefined;
}

/** Since another turn of it, beside another session or run, or since it began. */
async function findDiff(api: Api, id: RunId, query: DiffQuery): Promise<WorkDiff | Refusal | Problem> {
  const { store } = api.services;
  const { at, from } = query;
  const ignored = query.ignored === 'true';
  const other = query.other === undefined ? null : findNamed(api, query.other);
  if (isRefusal(other)) return other;
  if (from !== undefined && other !== null)
    return refuseMisfits([{ at: 'query.from', message: 'goes not with `other`' }]);
  if (from !== undefined) return nameDiff(await diffTurns(store, { id, at: from }, { id, ...given({ at }) }));
  if (at === undefined) return compareWork(store, { id, ignored, ...(other === null ? {} : { other }) });
  return other === null
    ? diffSinceBegin(api, { id, at, ignored })
    : nameDiff(await diffTurns(store, { id, at }, { id: other }));
}

type TurnsDiff = Awaited<ReturnType<typeof diffTurns>>;

function nameDiff(found: TurnsDiff): WorkDiff | Refusal {
  return mapAnswer(found, (compared) => {
    const { from, to } = compared;
    return { id: to.id, from: { kind: 'checkpoint' as const, id: from.checkpoint }, to: to.checkpoint, compared };
  });
}

async function diffSinceBegin(
  { services: { store } }: Api,
  { id, at, ignored }: { readonly id: RunId; readonly at: number; readonly ignored: boolean },
): Promise<WorkDiff | Refusal> {
  const turn = await findTurnCheckpoint(store, { id, at });
  if (isRefusal(turn)) return turn;
  const held = await findHeldWork(store, id);
  if (isRefusal(held)) return held;
  const from = held.base === null ? null : { kind: 'commit' as const, id: held.base };
  const { project, checkpoint: to } = turn;
  return { id, from, to, compared: await diffCheckpoint({ project, from, opening: held.opening, to, ignored }) };
}

async function describeWithPatches(found: WorkDiff, hasPatches: boolean) {
  const described = describeDiff(found);
  if (!hasPatches) return described;
  const patches = await readFilePatches(found.compared);
  const files = described.files.map((file, index) => {
    const { patch, truncated } = patches[index] ?? { patch: Buffer.alloc(0), truncated: true };
    return { ...file, patch: patch.toString('utf8'), truncated };
  });
  return { ...described, files };
}

function describeComparison({ relation, parting, left, right, files }: SessionComparison) {
  const sides = { relation, common: parting, left: describeSide(left), right: describeSide(right) };
  if (files.kind === 'not_compared') return { ...sides, diff: null, reason: files.reason };
  const { from, to, diff: compared } = files;
  const named = {
    id: right.id,
    from: { kind: 'checkpoint' as const, id: from.checkpoint },
    to: to.checkpoint,
    compared,
  };
  return { ...sides, diff: describeDiff(named) };
}

function describeSide({ usage, workedMs: durationMs, ...side }: SessionSide) {
  return { ...side, durationMs, own: { usage: describeUsage(usage) } };
}
