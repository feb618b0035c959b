import { makeClient } from '@ramet/client';
import { describe, expect, it } from 'vitest';
import { type LogView, RunLog } from '../../src/log/run-log.ts';

interface Asked {
  readonly path: string;
  readonly last: string | null;
}

/** A daemon with one log, of which lines are said on open streams by `say`. */
function openDaemon(total: number) {
  const asked: Asked[] = [];
  const streams: ReadableStreamDefaultController<Uint8Array>[] = [];
  let end = total;
  const line = (seq: number) => `id: ${seq}\ndata: {"seq":${seq},"type":"now","value":"${seq}"}\n\n`;
  const say = (text: string) => streams.at(-1)?.enqueue(new TextEncoder().encode(text));
  const client = makeClient({
    baseUrl: 'http://daemon',
    fetch: async (url, { headers }) => {
      const { pathname, searchParams } = new URL(url);
      const last = new Headers(headers).get('last-event-id');
      asked.push({ path: pathname, last });
      if (pathname.endsWith('/log')) {
        const from = Number(searchParams.get('from'));
        const count = Math.min(Number(searchParams.get('limit')), end - from);
        const events = Array.from({ length: count }, (_, index) => ({ seq: from + index, type: 'now' }));
        return Response.json({ id: 'a', events, next: null, total: end });
      }
      const body = new ReadableStream<Uint8Array>({ start: (controller) => void streams.push(controller) });
      const from = last === null ? Number(searchParams.get('from')) : Number(last) + 1;
      for (let seq = from; seq < end; seq += 1) say(line(seq));
      return new Response(body);
    },
  });
  return {
    client,
    asked,
    say,
    append: () => {
      end += 1;
      say(line(end - 1));
    },
    cut: () => streams.pop()?.error(new Error('cut')),
  };
}

/** Opens a page's log; `until` waits for a view of which something holds. */
function openLog(daemon: ReturnType<typeof openDaemon>, tail?: number) {
  const heard: number[] = [];
  const log = new RunLog({
    client: daemon.client,
    id: 'a',
    onEvent: ({ seq }) => heard.push(seq),
    ...(tail === undefined ? {} : { tail }),
  });
  const stop = new AbortController();
  void log.open(stop.signal);
  const until = (holds: (view: LogView) => boolean) =>
    new Promise<LogView>((resolve) => {
      const look = () => {
        if (!holds(log.view())) return;
        leave();
        resolve(log.view());
      };
      const leave = log.subscribe(look);
      look();
    });
  return { log, heard, until, stop };
}

const offsetsOf = ({ events }: LogView) => events.map(({ seq }) => seq);
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

describe('the log of a page', () => {
  it('begins with its end, and loads what is earlier when that is wanted', async () => {
    const daemon = openDaemon(1_000);
    const { log, until, stop } = openLog(daemon);
    const tail = await until(({ isLoaded }) => isLoaded);
    expect(tail.first).toBe(600);
    expect(offsetsOf(tail)).toEqual(range(600, 1_000));
    void log.loadEarlier();
    const whole = await until(({ first }) => first === 0);
    expect(offsetsOf(whole)).toEqual(range(0, 1_000));
    expect(whole.generation).toBeGreaterThan(tail.generation);
    expect(offsetsOf(tail)).toEqual(range(600, 1_000));
    stop.abort();
  });

  it('holds all of a long log where that is wanted, and follows it from its end', async () => {
    const daemon = openDaemon(12_000);
    const { heard, until, stop } = openLog(daemon, Number.POSITIVE_INFINITY);
    const whole = await until(({ isLoaded }) => isLoaded);
    expect(whole.first).toBe(0);
    expect(offsetsOf(whole)).toEqual(range(0, 12_000));
    daemon.append();
    const view = await until(({ events }) => events.length === 12_001);
    expect(view.generation).toBe(whole.generation);
    expect(heard).toEqual([12_000]);
    stop.abort();
  });

  it('adds what comes, says so, and has neither a gap nor a repeat over a broken connection', async () => {
    const daemon = openDaemon(3);
    const { heard, until, stop } = openLog(daemon);
    await until(({ isLoaded }) => isLoaded);
    daemon.append();
    await until(({ events }) => events.length === 4);
    daemon.cut();
    await until(({ connection }) => connection === 'offline');
    const back = await until(({ connection }) => connection === 'online');
    daemon.append();
    const view = await until(({ events }) => events.length === 5);
    expect(offsetsOf(view)).toEqual(range(0, 5));
    expect(view.generation).toBe(back.generation);
    expect(heard).toEqual([3, 4]);
    expect(daemon.asked.at(-1)?.last).toBe('3');
    stop.abort();
  });

  it('drops what a rewind takes back, and takes what follows in its place', async () => {
    const daemon = openDaemon(5);
    const { until, stop } = openLog(daemon);
    const before = await until(({ isLoaded }) => isLoaded);
    daemon.say('event: rewind\ndata: {"offset":3}\n\n');
    const after = await until(({ events }) => events.length === 3);
    expect(after.generation).not.toBe(before.generation);
    daemon.say('id: 3\ndata: {"seq":3,"type":"random","value":1}\n\n');
    const view = await until(({ events }) => events.length === 4);
    expect(view.events.at(-1)).toMatchObject({ seq: 3, type: 'random' });
    stop.abort();
  });

  it('shows what streams until the event that holds it is there', async () => {
    const daemon = openDaemon(1);
    const { until, stop } = openLog(daemon);
    await until(({ isLoaded }) => isLoaded);
    daemon.say('event: live\ndata: {"kind":"text","text":"Hel"}\n\nevent: live\ndata: {"kind":"text","text":"lo"}\n\n');
    const { live } = await until((view) => view.live[0]?.text === 'Hello');
    expect(live).toEqual([{ kind: 'text', text: 'Hello' }]);
    daemon.say('id: 1\ndata: {"seq":1,"type":"model.response"}\n\n');
    const view = await until(({ events }) => events.length === 2);
    expect(view.live).toEqual([]);
    stop.abort();
  });

  it('says who works on it, and why nothing more comes', async () => {
    const daemon = openDaemon(1);
    const { until, stop } = openLog(daemon);
    await until(({ isLoaded }) => isLoaded);
    daemon.say('event: state\ndata: {"owner":"daemon","asks":[]}\n\n');
    expect((await until(({ state }) => state !== null)).state).toEqual({ owner: 'daemon', asks: [] });
    daemon.say('event: end\ndata: {"reason":"removed"}\n\n');
    expect(await until(({ end }) => end !== undefined)).toMatchObject({
      connection: 'ended',
      end: { reason: 'removed' },
    });
    stop.abort();
  });

  it('says where the log is damaged', async () => {
    const daemon = openDaemon(1);
    const { until, stop } = openLog(daemon);
    await until(({ isLoaded }) => isLoaded);
    const damage = { segment: '000000000000.jsonl', line: 3, byte: 700, offset: 2, expected: 'ab', found: 'cd' };
    daemon.say(`event: end\ndata: ${JSON.stringify({ reason: 'damaged', damage })}\n\n`);
    const { end } = await until((view) => view.end !== undefined);
    expect(end).toEqual({ reason: 'damaged', detail: '000000000000.jsonl, line 3: expected ab, found cd' });
    stop.abort();
  });
});
