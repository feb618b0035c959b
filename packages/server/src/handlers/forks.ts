/** Forks of sessions and of graph runs, and who was forked from whom. */
import { type GraphDocument, isRefusal, parseDigest, type Refusal, type RunId } from '@ramet/core';
import { describeConversation, describeFork, describeIdle, describeRunFork } from '@ramet/runtime/answers';
import { forkSession } from '@ramet/runtime/fork';
import { forkConversation, listForkWrites, type RunForkOptions } from '@ramet/runtime/graph';
import { isGraphSummary } from '@ramet/runtime/inspect';
import type { RunForkBody } from '../contract/bodies.ts';
import { listForks } from '../contract/routes/either.ts';
import * as runs from '../contract/routes/runs.ts';
import * as sessions from '../contract/routes/sessions.ts';
import { given } from '../daemon/given.ts';
import { type Endpoint, makeEndpoint, reply } from '../http/endpoint.ts';
import type { Problem } from '../http/problem.ts';
import { refuseMisfits } from '../http/validate.ts';
import { type Api, findNamed, findNamedRun, makeId, mapAnswer, type Served } from './api.ts';
import { findGraphDocument, refuseUnknownGraph } from './graphs.ts';
import { VALUE_BYTES } from './runs.ts';

/** The endpoints that fork. */
export function listForkEndpoints(api: Served): readonly Endpoint[] {
  const { daemon } = api;
  const { store } = api.services;
  return [
    makeEndpoint(sessions.forkSession, async ({ path, body, headers }) => {
      const source = findNamed(api, path.id);
      if (isRefusal(source)) return source;
      const options = given({ ...body, idempotencyKey: headers['idempotency-key'] });
      const result = await forkSession({ store, makeId: () => makeId(api) }, source, options);
      if (isRefusal(result)) return result;
      const described = describeFork(store, source, result);
      return result.session === null ? reply(200, described) : reply(201, described);
    }),
    makeEndpoint(listForks, ({ path }) => {
      const id = findNamed(api, path.id);
      return mapAnswer(id, (source) => reply(200, { id: source, forks: listForksOf(api, source) }));
    }),
    makeEndpoint(runs.forkConversation, async ({ path, body, headers }) => {
      const source = findNamedRun(api, path.id);
      if (isRefusal(source)) return source;
      const misuse = findPlaceMisuse(body, 'node');
      if (misuse !== null) return misuse;
      const options = given({ ...body, idempotencyKey: headers['idempotency-key'] });
      const session = await forkConversation(api.services, source, options);
      if (isRefusal(session)) return session;
      const described = describeConversation(store, session);
      return session.session === null ? reply(200, described) : reply(201, described);
    }),
    makeEndpoint(
      runs.forkRun,
      async ({ path, body, headers }) => {
        const source = findNamedRun(api, path.id);
        if (isRefusal(source)) return source;
        const { options, isDry, settings } = splitRequest(body, headers['idempotency-key']);
        const problem = findMisuse(body);
        if (problem !== null) return problem;
        const asked = await completeOptions(api, { source, options, body });
        if ('code' in asked) return asked;
        const made = await daemon.forkRun(source, asked, settings);
        if (isRefusal(made)) return made;
        const described = describeRunFork(store, made);
        if (isDry) return reply(200, described);
        if (settings === null || made.repeated) return reply(201, describeIdle(described));
        return reply(201, { ...described, status: 'running' });
      },
      { limitBytes: VALUE_BYTES },
    ),
  ];
}

/** A run that was forked from another. */
export interface ListedFork {
  readonly id: RunId;
  readonly kind: 'session' | 'run';
  readonly offset: number;
  readonly title: string;
}

/** The runs that were forked from one, the one that was active last first. */
export function listForksOf({ rows }: Served, id: RunId): readonly ListedFork[] {
  return rows.all().flatMap((run) => {
    if (run.forkedFrom?.id !== id) return [];
    const kind = isGraphSummary(run) ? ('run' as const) : ('session' as const);
    return [{ id: run.id, kind, offset: run.forkedFrom.offset, title: run.title }];
  });
}

function splitRequest(body: RunForkBody, key: string | undefined) {
  const { fromNode, visit, item, at, acknowledgeWrites, dryRun, input, outputs, graph, title, start, ...settings } =
    body;
  const options: RunForkOptions = {
    ...given({ fromNode, visit, item, at, dryRun, outputs, title, idempotencyKey: key }),
    ...('input' in body ? { input } : {}),
  };
  const isDry = dryRun === true;
  return { options, isDry, settings: isDry || start === false ? null : settings };
}

function findMisuse(body: RunForkBody): Problem | null {
  const { dryRun, start } = body;
  const misuse = findPlaceMisuse({ ...body, node: body.fromNode }, 'fromNode');
  if (misuse !== null || dryRun !== true || start !== true) return misuse;
  return refuseMisfits([{ at: 'body.start', message: 'a dry run makes nothing that could start' }]);
}

interface Place {
  readonly node?: string | undefined;
  readonly at?: number | undefined;
  readonly visit?: number | undefined;
  readonly item?: number | undefined;
}

/** A place is a node, `named` so, or the offset of its entry. */
function findPlaceMisuse({ node, at, visit, item }: Place, named: string): Problem | null {
  const misfit = (name: string, message: string): Problem => refuseMisfits([{ at: `body.${name}`, message }]);
  if (at !== undefined && node !== undefined) return misfit('at', `goes not with \`${named}\``);
  if (at === undefined && node === undefined) {
    return misfit(named, 'is missing, and so is `at`: say which node, or the offset of its entry');
  }
  if (node === undefined && visit !== undefined) return misfit('visit', `goes with \`${named}\``);
  return node === undefined && item !== undefined ? misfit('item', `goes with \`${named}\``) : null;
}

/** The document that is named, and the offsets that `all` stands for. */
async function completeOptions(
  { services }: Api,
  request: { readonly source: RunId; readonly options: RunForkOptions; readonly body: RunForkBody },
): Promise<RunForkOptions | Refusal | Problem> {
  const { source, body } = request;
  const { graph, acknowledgeWrites } = body;
  const document = typeof graph === 'string' ? findGraphDocument(services.store, parseDigest(graph)) : graph;
  if (document === null) return refuseUnknownGraph(String(graph));
  const options: RunForkOptions = { ...request.options, ...given({ document: document as GraphDocument | undefined }) };
  if (acknowledgeWrites === undefined) return options;
  if (acknowledgeWrites !== 'all') return { ...options, acknowledge: acknowledgeWrites };
  const acknowledge = await listForkWrites(services, source, options);
  return isRefusal(acknowledge) ? acknowledge : { ...options, acknowledge };
}
