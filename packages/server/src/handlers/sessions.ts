/** Sessions: listed, shown, made and gone on with. */
import { isRefusal, type RunId } from '@ramet/core';
import { describeSession, describeSessionView } from '@ramet/runtime/answers';
import { type RunSummary, type SessionSummary, viewSession } from '@ramet/runtime/inspect';
import * as routes from '../contract/routes/sessions.ts';
import { given } from '../daemon/given.ts';
import { type Endpoint, makeEndpoint, Rendered, reply } from '../http/endpoint.ts';
import { findNamed, mapAnswer, type Served } from './api.ts';

import { listForksOf } from './forks.ts';
import { isFound, type ListQuery, takePage } from './lists.ts';
import { keepDetails, keepPages } from './rows.ts';

/** Attachments of 32 MiB, as base64 in JSON, and the words beside them. */
const MESSAGE_BYTES = 48 * 1024 * 1024;

/** The endpoints of sessions. */
export function listSessionEndpoints(api: Served): readonly Endpoint[] {
  const { daemon, rows } = api;
  const pageOf = keepPages(rows.sessions, (query: ListQuery) => renderPage(rows.sessions(), query));
  const detailOf = keepDetails(({ id }: RunSummary) => viewDetail(api, id));
  return [
    makeEndpoint(routes.listSessions, ({ query }) => pageOf(query)),
    makeEndpoint(routes.readSession, ({ path }) => {
      const id = findNamed(api, path.id);
      if (isRefusal(id)) return id;
      const row = rows.find(id);
      const session = row === null ? viewDetail(api, id) : detailOf(row);
      return mapAnswer(session, (shown) =>
        reply(200, { ...shown, forks: listForksOf(api, id), live: daemon.liveOf(id) }),
      );
    }),
    makeEndpoint(
      routes.createSession,
      async ({ body, headers }) => {
        const made = await daemon.createSession({ body, ...given({ key: headers['idempotency-key'] }) });
        return mapAnswer(made, (value) => reply(201, value));
      },
      { limitBytes: MESSAGE_BYTES },
    ),
    makeEndpoint(
      routes.sendMessage,
      async ({ path, body, headers }) => {
        const id = findNamed(api, path.id);
        if (isRefusal(id)) return id;
        const begun = await daemon.sendMessage(id, { body, ...given({ key: headers['idempotency-key'] }) });
        return mapAnswer(begun, (value) => reply(202, value));
      },
      { limitBytes: MESSAGE_BYTES },
    ),
    makeEndpoint(routes.continueTurn, async ({ path, body }) => {
      const id = findNamed(api, path.id);
      if (isRefusal(id)) return id;
      return mapAnswer(await daemon.continueTurn(id, body), (value) => reply(202, value));
    }),
  ];
}

function renderPage(rows: readonly SessionSummary[], { limit, cursor, project, search }: ListQuery) {
  const matches = (row: SessionSummary): boolean =>
    (project === undefined || row.project === project) && isFound(search, [row.title, row.id]);
  return mapAnswer(takePage(rows, { limit, cursor, matches }), ({ rows: page, ...more }) =>
    reply(200, new Rendered({ sessions: page.map(describeSession), ...more })),
  );
}

/** Its transcript is not told here: its events are. */
function viewDetail({ services: { store } }: Served, id: RunId) {
  return mapAnswer(viewSession(store, id), (view) => {
    const { turns, ...rest } = describeSessionView(view);
    return { ...rest, turns: turns.map(({ transcript: _, ...turn }) => turn) };
  });
}
