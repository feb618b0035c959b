/** Graph runs: listed, shown, started, answered, gone on with and ended. */
import { isRefusal, type RunId } from '@ramet/core';
import { describeRun, describeRunView } from '@ramet/runtime/answers';
import { abandonRun } from '@ramet/runtime/graph';
import type { RunSummary } from '@ramet/runtime/inspect';
import { viewGraphRun } from '@ramet/runtime/inspect/runs';
import * as routes from '../contract/routes/runs.ts';
import { given } from '../daemon/given.ts';
import { type Endpoint, makeEndpoint, reply } from '../http/endpoint.ts';
import { findNamed, findNamedRun, mapAnswer, type Served } from './api.ts';
import { listForksOf } from './forks.ts';
import { isFound, takePage } from './lists.ts';
import { keepDetails } from './rows.ts';

/** A document, or an input: what a log can hold of either is less. */
export const VALUE_BYTES = 8 * 1024 * 1024;

/** The endpoints of graph runs. */
export function listRunEndpoints(api: Served): readonly Endpoint[] {
  const { daemon, services, rows } = api;
  const detailOf = keepDetails(({ id }: RunSummary) => viewDetail(api, id));
  return [
    makeEndpoint(routes.listRuns, ({ query: { limit, cursor, project, search } }) => {
      const page = takePage(rows.runs(), {
        limit,
        cursor,
        matches: (row) =>
          (project === undefined || row.project === project) && isFound(search, [row.title, row.id, row.graphName]),
      });
      return mapAnswer(page, ({ rows, ...more }) => reply(200, { runs: rows.map(describeRun), ...more }));
    }),
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

function viewDetail({ services: { store } }: Served, id: RunId) {
  return mapAnswer(viewGraphRun(store, id), ({ view }) => describeRunView(view));
}
