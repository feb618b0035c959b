import { appendFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readServerSentEvents, type ServerSentEvent } from '@ramet/client';
import { isRefusal, type RunId } from '@ramet/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NOBODY } from '../support/fake-daemon.ts';
import { open } from '../support/raw.ts';
import { type ServerHarness, startServer, TOKEN } from '../support/server.ts';

let server: ServerHarness;
let session: RunId;

beforeAll(async () => {
  server = await startServer({ keepAliveMs: 50 });
  session = (await server.h.turn(null, 'echo one > one.txt')).session;
});

afterAll(() => server.close());

/** Reads events of a stream until one is the last that is wanted. */
async function readUntil(
  path: string,
  isLast: (event: ServerSentEvent) => boolean,
  headers: Record<string, string> = {},
): Promise<readonly ServerSentEvent[]> {
  const leaving = new AbortController();
  const { body } = await server.fetch(path, { headers, signal: leaving.signal });
  const events: ServerSentEvent[] = [];
  for await (const event of readServerSentEvents(body as ReadableStream<Uint8Array>)) {
    events.push(event);
    if (isLast(event)) break;
  }
  leaving.abort();
  return events;
}

const linesOf = (events: readonly ServerSentEvent[]) =>
  events.filter(({ id }) => id !== undefined).map(({ id, data }) => [Number(id), data]);

function recorded(id: RunId): (readonly [number, string])[] {
  const lines = server.h.logOf(id).toString('utf8').trimEnd().split('\n');
  return lines.map((line, offset) => [offset, line] as const);
}

describe('a run that is followed', () => {
  it('says who works on it, then sends each line with its offset as it was recorded', async () => {
    const lines = recorded(session);
    const last = String(lines.length - 1);
    const events = await readUntil(`/v1/runs/${session}/events`, ({ id }) => id === last);
    expect(events[0]).toMatchObject({ event: 'state', data: JSON.stringify(NOBODY) });
    expect(linesOf(events)).toEqual(lines);
  });

  it('begins at 3 after 2, at the offset that is named, and sends nothing twice', async () => {
    const lines = recorded(session);
    const last = String(lines.length - 1);
    const resumed = await readUntil(`/v1/runs/${session}/events`, ({ id }) => id === last, { 'last-event-id': '2' });
    expect(linesOf(resumed)).toEqual(lines.slice(3));
    const from = await readUntil(`/v1/runs/${session}/events?from=5`, ({ id }) => id === last);
    expect(linesOf(from)).toEqual(lines.slice(5));
    const both = await readUntil(`/v1/runs/${session}/events?from=0`, ({ id }) => id === last, {
      'last-event-id': '5',
    });
    expect(linesOf(both)).toEqual(lines.slice(6));
  });

  it('sends what is appended, in no event and asked, as it happens', async () => {
    const { session: id } = await server.h.turn(null, 'true');
    const end = recorded(id).length;
    const reading = readUntil(`/v1/runs/${id}/events?from=${end}`, ({ data }) => data.includes('session.end'));
    await server.h.turn(id, 'echo two > two.txt', {
      observer: {
        delta: () => server.feeds.publish(id, { text: 'streams' }),
        session: () => server.daemon.setLive(id, { owner: 'daemon', asks: [] }),
      },
    });
    const events = await reading;
    expect(linesOf(events)).toEqual(recorded(id).slice(end));
    expect(events.filter(({ event }) => event === 'live').map(({ data }) => data)).toContain('{"text":"streams"}');
    expect(events.filter(({ event }) => event === 'state').map(({ data }) => JSON.parse(data).owner)).toContain(
      'daemon',
    );
  });

  it('goes back where it stood beyond the end of the log', async () => {
    const { length } = recorded(session);
    const events = await readUntil(`/v1/runs/${session}/events?from=${length + 5}`, ({ event }) => event === 'rewind');
    expect(events.at(-1)).toMatchObject({ event: 'rewind', data: JSON.stringify({ offset: length }) });
  });

  it('ends with the reason when it is removed', async () => {
    const { session: id } = await server.h.turn(null, 'true');
    const reading = readUntil(`/v1/runs/${id}/events`, ({ event }) => event === 'end');
    await server.ask('DELETE', `/v1/runs/${id}?loseWork=true`);
    expect((await reading).at(-1)?.data).toBe('{"reason":"removed"}');
  });

  it('ends before damage, and names it', async () => {
    const { session: id } = await server.h.turn(null, 'true');
    const { log } = server.h.store.pathsOf(id);
    appendFileSync(
      join(
        log,
        readdirSync(log)
          .filter((name) => name.endsWith('.jsonl'))
          .at(-1) ?? '',
      ),
      'no line\n',
    );
    const lines = (await readUntil(`/v1/runs/${id}/events`, ({ event }) => event === 'end')) as ServerSentEvent[];
    expect(JSON.parse(lines.at(-1)?.data ?? '')).toMatchObject({
      reason: 'damaged',
      damage: { offset: linesOf(lines).length },
    });
    const page = await server.ask('GET', `/v1/runs/${id}/log`);
    expect([page.status, page.json.events.length, page.json.damage.offset]).toEqual([
      200,
      page.json.total,
      page.json.total,
    ]);
    await server.h.store.remove(id);
  });

  it('is refused where there is none, and for an id that is no number', async () => {
    const gone = await server.ask('GET', '/v1/runs/01932c07-7b1a-7c44-b1c6-0d5f2b9a1e77/events');
    expect([gone.status, gone.json.code]).toEqual([404, 'unknown_run']);
    const wrong = await server.ask('GET', `/v1/runs/${session}/events`, { headers: { 'last-event-id': '-1' } });
    expect([wrong.status, wrong.json.code]).toEqual([400, 'bad_usage']);
  });

  it('answers who asks for the headers alone', async () => {
    const response = await server.fetch(`/v1/runs/${session}/events`, { method: 'HEAD' });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  });

  it('shows that it lives while nothing happens', async () => {
    const { body } = await server.fetch(`/v1/runs/${session}/events?from=${recorded(session).length}`);
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    let text = '';
    while (!text.includes(': alive\n\n')) text += Buffer.from((await reader.read()).value ?? []).toString();
    await reader.cancel();
  });

  it('reaches who reads slowly whole, from the disk where it fell behind', async () => {
    const log = await server.h.store.own(session);
    if (isRefusal(log)) throw new Error(log.message);
    const title = 'x'.repeat(200_000);
    const from = log.next;
    const socket = open(server.url);
    const target = `/v1/runs/${session}/events?from=${from}`;
    socket.write(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`);
    await new Promise((resolve) => socket.once('readable', resolve));
    for (let count = 0; count < LINES; count += 1)
      await log.append([{ type: 'session.title', title }], { durable: false });
    log.close();
    const ids: string[] = [];
    let rest = '';
    for await (const chunk of socket) {
      rest += (chunk as Buffer).toString('latin1');
      const found = [...rest.matchAll(/^id: (\d+)$/gm)];
      ids.push(...found.map(([, id]) => id ?? ''));
      rest = rest.slice((found.at(-1)?.index ?? -1) + 1 || Math.max(0, rest.length - 30));
      if (ids.length === LINES) break;
    }
    socket.destroy();
    expect(ids).toEqual(Array.from({ length: LINES }, (_, index) => String(from + index)));
  });
});

/** More than a feed holds in memory, and than a socket takes. */
const LINES = 60;

describe('changes', () => {
  it('are told by id, of runs that appear, change and vanish, and of who works on them', async () => {
    const seen: ServerSentEvent[] = [];
    const leaving = new AbortController();
    const { body } = await server.fetch('/v1/changes', { signal: leaving.signal });
    const reading = (async () => {
      for await (const event of readServerSentEvents(body as ReadableStream<Uint8Array>)) {
        seen.push(event);
        if (event.event === 'removed') return;
      }
    })();
    const child = await server.h.fork(session, 1);
    server.daemon.setLive(session, { owner: 'daemon', asks: [] });
    await server.h.store.remove(child);
    await reading;
    leaving.abort();
    const told = seen.map(({ event, data }) => [event, JSON.parse(data).id]);
    expect(told).toContainEqual(['changed', session]);
    expect(told.at(-1)).toEqual(['removed', child]);
  });
});
