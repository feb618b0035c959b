/** The log of a session or run: a page of it, all of it as it grows, and the large values beside it. */
import { isRefusal, type Refusal, type RunId, refuse } from '@ramet/core';
import * as routes from '../contract/routes/either.ts';
import { followChangeFrames, followRunFrames, respondStream, respondStreamHead } from '../events/index.ts';
import { type Endpoint, makeEndpoint } from '../http/endpoint.ts';
import { JSON_HEADERS, respond } from '../http/headers.ts';
import { findNamed, type Served } from './api.ts';

const KEEP_ALIVE_MS = 15_000;
const PAGE_EVENTS = 500;
/** A page ends after the line that fills it. */
const PAGE_BYTES = 8 * 1024 * 1024;

/** The endpoints of logs. */
export function listLogEndpoints(api: Served): readonly Endpoint[] {
  const { daemon, feeds, keepAliveMs = KEEP_ALIVE_MS } = api;
  const { store } = api.services;
  return [
    makeEndpoint(routes.readEvents, ({ path, query: { from = 0, limit = PAGE_EVENTS } }) => {
      const id = findNamed(api, path.id);
      return isRefusal(id) ? id : respondPage(api, id, { from, limit });
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

/** Lines go out as they are: their numbers and their order of members are what was recorded. */
function respondPage(
  { services: { store }, rows }: Served,
  id: RunId,
  { from, limit }: { readonly from: number; readonly limit: number },
): Response | Refusal {
  const row = rows.find(id);
  const reader = store.read(id);
  if (row === null || reader === null) return refuse('unknown_run', `${id} was removed meanwhile`, { id });
  const { events: total, damage } = row;
  const to = Math.min(from + limit, total) - 1;
  const lines: string[] = [];
  let bytes = 0;
  for (const line of from > to ? [] : reader.readBytes({ from, to })) {
    lines.push(Buffer.from(line.subarray(0, -1)).toString('utf8'));
    bytes += line.length;
    if (bytes >= PAGE_BYTES) break;
  }
  const next = from + lines.length < total ? from + lines.length : null;
  const more = JSON.stringify({ next, total, ...(damage === undefined ? {} : { damage }) });
  const text = `{"id":"${id}","events":[${lines.join(',')}],${more.slice(1)}`;
  return respond(text, { headers: JSON_HEADERS });
}
