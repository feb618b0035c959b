/** Graph runs: listed, shown, started, answered, gone on with and ended. */
import { isRefusal, type RunId } from '@ramet/core';
import { describeRun, describeRunView } from '@ramet/runtime/answers';
import { abandonRun } from '@ramet/runtime/graph';
import type { RunSummary } from '@ramet/runtime/inspect';
import { type GraphRunListing, viewGraphRun } from '@ramet/runtime/inspect/runs';
import * as routes from '../contract/routes/runs.ts';
import { given } from '../daemon/given.ts';
import { type Endpoint, makeEndpoint, Rendered, reply } from '../http/endpoint.ts';
import { findNamed, findNamedRun, mapAnswer, type Served } from './api.ts';
import { listForksOf } from './forks.ts';
import { isFound, type ListQuery, takePage } from './lists.ts';
import { keepDetails, keepPages } from './rows.ts';

/** A document, or an input: what a log can hold of either is less. */
export const VALUE_BYTES = 8 * 1024 * 1024;

/** The endpoints of graph runs. */
export function listRunEndpoints(api: Served): readonly Endpoint[] {
  const { daemon, services, rows } = api;
  const pageOf = keepPages(rows.runs, (query: ListQuery) => renderPage(rows.runs(), query));
  const detailOf = keepDetails(({ id }: RunSummary) => viewDetail(api, id));
  return [
    makeEndpoint(routes.listRuns, ({ query }) => pageOf(query)),
    makeEndpoint(routes.readRun, ({ path }) => {
      const id = findNamed(api, path.id);
      if (isRefusal(id)) return id;
      const row = rows.find(id);
      const run = row === null ? viewDetail(api, id) : detailOf(row);
      return mapAnswer(run, (shown) => reply(200, { ...shown, forks: listForksOf(api, id), live: daemon.liveOf(id) }));
    }),
    makeEndpoint(
      routes.createRun,
      async ({ body, headers }) => {
        const made = await daemon.createRun({ body, ...given({ key: headers['idempotency-key'] }) });
        return mapAnswer(made, (value) => reply(201, value));
      },
      { limitBytes: VALUE_BYTES },
    ),
    makeEndpoint(
      routes.answerGate,
      async ({ path, body }) => {
        const id = findNamedRun(api, path.id);
        if (isRefusal(id)) return id;
        return mapAnswer(await daemon.answerGate(id, body), (value) => reply(200, value));
      },
      { limitBytes: VALUE_BYTES },
    ),
    makeEndpoint(routes.resumeRun, async ({ path, body }) => {
      const id = findNamedRun(api, path.id);
      if (isRefusal(id)) return id;
      return mapAnswer(await daemon.resumeRun(id, body), (value) => reply(202, value));
    }),
    makeEndpoint(routes.abandonRun, async ({ path, body }) => {
      const id = findNamedRun(api, path.id);
      if (isRefusal(id)) return id;
      const said = given({ reason: body.reason });
      const refusal = await abandonRun(services, { id, ...said });
      return refusal ?? reply(200, { run: id, status: 'abandoned', ...said });
    }),
  ];
}

function renderPage(rows: readonly GraphRunListing[], { limit, cursor, project, search }: ListQuery) {
  const matches = (row: GraphRunListing): boolean =>
    (project === undefined || row.project === project) && isFound(search, [row.title, row.id, row.graphName]);
  return mapAnswer(takePage(rows, { limit, cursor, matches }), ({ rows: page, ...more }) =>
    reply(200, new Rendered({ runs: page.map(describeRun), ...more })),
  );
}

function viewDetail({ services: { store } }: Served, id: RunId) {
  return mapAnswer(viewGraphRun(store, id), ({ view }) => describeRunView(view));
}
