import { readdirSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { callShell, cutRunLog } from '@ramet/testkit';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type ServerHarness, startServer } from '../support/server.ts';

let server: ServerHarness;
/** Runs that an earlier test left waiting. */
let known: ReadonlySet<string>;

beforeAll(async () => {
  server = await startServer();
});

beforeEach(async () => {
  known = new Set((await readItems()).map(({ id }) => id));
});

afterAll(() => server.close());

async function readItems(): Promise<readonly { readonly id: string }[]> {
  return (await server.ask('GET', '/v1/inbox')).json.items;
}

/** What waits now and did not before. */
async function readNew() {
  return (await readItems()).filter(({ id }) => !known.has(id));
}

it('holds a turn whose call nobody allowed, until it is gone on with', async () => {
  const settings = { rules: [{ tool: 'shell', do: 'ask' }], onAsk: 'park' } as const;
  const parked = await server.h.run(null, [callShell('true'), { text: 'done' }], { settings });
  const id = 'session' in parked ? parked.session : '';
  expect(await readNew()).toMatchObject([
    { waits: 'resume', id, kind: 'session', reason: 'a call of shell is asked about: going on asks again' },
  ]);
});

it('holds a turn that was cut off', async () => {
  const { session } = await server.h.turn(null, 'true');
  cutBefore(session, '"type":"session.end"');
  expect(await readNew()).toMatchObject([{ waits: 'resume', id: session, reason: 'its turn was cut off' }]);
});

it('holds a call of a session whose outcome nobody knows, until a person says it', async () => {
  const settings = { sandbox: 'none', rules: [{ tool: 'shell', do: 'allow' }] } as const;
  const { session } = await server.h.turn(null, 'true', { settings });
  const [intent] = server.h.eventsOfType(session, 'tool.intent');
  cutBefore(session, '"type":"tool.result"');
  expect(await readNew()).toMatchObject([{ waits: 'outcome', id: session, tool: 'shell', offset: intent?.seq }]);
  const body = { offset: intent?.seq, resolution: 'happened', result: 'it did' };
  const { status, json } = await server.ask('POST', `/v1/runs/${session}/resolve`, { body });
  expect([status, json.tool, json.resolution]).toEqual([200, 'shell', 'happened']);
  expect(await readNew()).toMatchObject([{ waits: 'resume', id: session }]);
});

it('holds calls of a graph run whose outcome nobody knows, and says where they are', async () => {
  const nodes = { mail: { kind: 'tool', exec: { command: ['true'], sandbox: false } } } as const;
  const { run } = await server.h.start({ nodes });
  const [intent] = server.h.eventsOfType(run, 'tool.intent');
  cutRunLog(server.h.store.pathsOf(run).log, (intent?.seq ?? 0) + 1);
  expect(await readNew()).toMatchObject([
    { waits: 'outcome', id: run, kind: 'run', node: 'mail', offset: intent?.seq },
  ]);
});

it('holds what is asked from the moment it is asked until it is answered, however often it is looked at', async () => {
  const { session } = await server.h.turn(null, 'true', { prompt: 'ask me' });
  const ask = { callId: 'c', tool: 'shell', input: {}, reason: 'a rule', outstanding: [], matches: false };
  for (const _ of [1, 2]) {
    expect(await readNew()).toEqual([]);
    server.daemon.setLive(session, { owner: 'daemon', asks: [ask] });
    for (const __ of [1, 2])
      expect(await readNew()).toMatchObject([{ waits: 'approval', id: session, title: 'ask me', ask }]);
    server.daemon.setLive(session, { owner: 'none', asks: [] });
  }
});

/** Cuts the one segment of a session's log before the first line that holds a text. */
function cutBefore(id: string, text: string): void {
  const { log } = server.h.store.pathsOf(id as never);
  const [segment = ''] = readdirSync(log).filter((name) => name.endsWith('.jsonl'));
  const path = join(log, segment);
  const lines = readFileSync(path, 'latin1');
  truncateSync(path, lines.lastIndexOf('\n', lines.indexOf(text)) + 1);
}
