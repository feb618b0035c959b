/** The log of a session or run: a page of it, all of it as it grows, and the large values beside it. */
import { isRefusal, refuse } from '@ramet/core';
import * as routes from '../contract/routes/either.ts';
import { followChangeFrames, followRunFrames, respondStream, respondStreamHead } from '../events/index.ts';
import { type Endpoint, makeEndpoint } from '../http/endpoint.ts';
import { JSON_HEADERS, respond } from '../http/headers.ts';
import { findNamed, type Served } from './api.ts';
import { LogPages } from './log-pages.ts';

const KEEP_ALIVE_MS = 15_000;
const PAGE_EVENTS = 500;

/** The endpoints of logs. */
export function listLogEndpoints(api: Served): readonly Endpoint[] {
  const { daemon, feeds, rows, keepAliveMs = KEEP_ALIVE_MS } = api;
  const { store } = api.services;
  const pages = new LogPages();
  return [
    makeEndpoint(routes.readEvents, ({ path, query: { from = 0, limit = PAGE_EVENTS } }) => {
      const id = findNamed(api, path.id);
      if (isRefusal(id)) return id;
      const [row, reader] = [rows.find(id), store.read(id)];
      if (row === null || reader === null) return refuse('unknown_run', `${id} was removed meanwhile`, { id });
      return respond(pages.render(row, reader, { from, limit }), { headers: JSON_HEADERS });
    }),
    makeEndpoint(routes.followEvents, async ({ path, query, headers, isHead }) => {
      const id = findNamed(api, path.id);
      if (isRefusal(id)) return id;
      if (isHead) return respondStreamHead();
      const last = headers['last-event-id'];
      const leaving = new AbortController();
      const { signal } = leaving;
      const items = await feeds.follow(id, { from: last === undefined ? (query.from ?? 0) : last + 1, signal });
      if (isRefusal(items)) return items;
      return respondStream(followRunFrames({ id, items, daemon, keepAliveMs, signal }), () => leaving.abort());
    }),
    makeEndpoint(routes.followChanges, ({ isHead }) => {
      if (isHead) return respondStreamHead();
      const leaving = new AbortController();
      const { signal } = leaving;
      const items = feeds.changes(signal);
      return respondStream(followChangeFrames({ items, daemon, keepAliveMs, signal }), () => leaving.abort());
    }),
    makeEndpoint(routes.readPayload, ({ path }) => {
      const id = findNamed(api, path.id);
      if (isRefusal(id)) return id;
      const bytes = store.read(id)?.readPayload(path.digest) ?? null;
      if (bytes === null) return { code: 'not_found', message: `${id} has no payload ${path.digest}` };
      return respondBytes(bytes, path.digest);
    }),
  ];
}

/** Bytes that an agent wrote: to be saved, never to be shown as what they claim to be. */
export function respondBytes(bytes: Uint8Array, name: string): Response {
  const headers = {
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename="${name.replaceAll(/[^\w.-]/g, '_')}"`,
    'cache-control': 'no-store',
  };
  return respond(new Uint8Array(bytes), { headers });
}
