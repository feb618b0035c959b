import { describe, expect, it } from 'vitest';
import { type Followed, followRun, makeClient } from '../src/index.ts';

const REFUSED = { type: 'about:blank', title: 'Not Found', status: 404, detail: 'no such run', code: 'unknown_run' };

/** Answers each connection with the next of some streams; null: none can be made. */
async function follow(answers: readonly (string | Response | null)[], from = 0) {
  const asked: string[] = [];
  const stop = new AbortController();
  const client = makeClient({
    baseUrl: 'http://daemon',
    fetch: async (url, init) => {
      const answer = answers[asked.length];
      asked.push(new Headers(init.headers).get('last-event-id') ?? new URL(url).search);
      if (answer === undefined || answer === null) throw new TypeError('no connection');
      return answer instanceof Response ? answer : new Response(answer);
    },
  });
  const sleep = async () => (asked.length >= answers.length ? stop.abort() : undefined);
  const followed: Followed[] = [];
  for await (const item of followRun(client, { id: 'a', from, signal: stop.signal, sleep })) followed.push(item);
  return { asked, followed };
}

const line = (offset: number) => `id: ${offset}\ndata: {"seq":${offset}}\n\n`;
const offsetsOf = (followed: readonly Followed[]) =>
  followed.flatMap((item) => (item.kind === 'line' ? [item.offset] : []));

describe('following a run', () => {
  it('gives each line once over several connections, and an event the stream broke off in by the next', async () => {
    const { asked, followed } = await follow([`${line(0)}${line(1)}id: 2\ndata: {"se`, null, line(2)]);
    expect(offsetsOf(followed)).toEqual([0, 1, 2]);
    expect(asked).toEqual(['?from=0', '1', '1']);
  });

  it('says when the connection is gone, for how long it waits, and when it is back', async () => {
    const { followed } = await follow([line(0), null, line(1)]);
    const kinds = followed.map((item) => (item.kind === 'offline' ? item.waitMs : item.kind));
    expect(kinds).toEqual(['online', 'line', 250, 500, 'online', 'line', 250]);
  });

  it('begins again where a rewind says', async () => {
    const { asked, followed } = await follow([`${line(0)}${line(1)}event: rewind\ndata: {"offset":1}\n\n`, line(1)]);
    expect(followed).toContainEqual({ kind: 'rewind', offset: 1 });
    expect(asked).toEqual(['?from=0', '0']);
  });

  it('goes on when it was refused by a daemon that was about to end, or by a gateway', async () => {
    const ending = Response.json({ ...REFUSED, code: 'interrupted', status: 499 }, { status: 499 });
    const { asked, followed } = await follow([line(0), ending, new Response('', { status: 502 }), line(1)]);
    expect(offsetsOf(followed)).toEqual([0, 1]);
    expect(asked).toEqual(['?from=0', '0', '0', '0']);
  });

  it('ends with the run, and throws what another try would not mend', async () => {
    const { followed } = await follow(['event: end\ndata: {"reason":"removed"}\n\n', line(0)]);
    expect(followed.at(-1)).toEqual({ kind: 'end', data: '{"reason":"removed"}' });
    const refused = Response.json(REFUSED, { status: 404 });
    await expect(follow([refused])).rejects.toMatchObject({ code: 'unknown_run', status: 404 });
  });
});
