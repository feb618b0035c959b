import { writeFiles } from '@ramet/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ServerHarness, startServer } from '../support/server.ts';

let server: ServerHarness;
let path: string;

beforeAll(async () => {
  server = await startServer();
  const { session } = await server.h.turn(null, 'echo one > one.txt');
  await server.h.turn(session, 'rm one.txt');
  path = `/v1/sessions/${session}/check`;
});

afterAll(() => server.close());

it('refuses where no command is configured, and one that nobody confirmed', async () => {
  const none = await server.ask('POST', path);
  expect([none.status, none.json.code]).toEqual([400, 'bad_config']);
  writeFiles(server.h.repository, { 'ramet.json': JSON.stringify({ check: 'echo looking; test -f one.txt' }) });
  const unconfirmed = await server.ask('POST', path);
  expect([unconfirmed.status, unconfirmed.json.code]).toEqual([409, 'not_confirmed']);
});

it('runs the command in the files of a turn', async () => {
  const { turns } = (await server.ask('GET', path.replace('/check', ''))).json;
  const check = async (at: number) => (await server.ask('POST', path, { body: { at, trustProject: true } })).json;
  const first = await check(turns[0].end.offset);
  expect(first).toMatchObject({ exitCode: 0, timedOut: false, stdout: { text: 'looking\n', dropped: 0 } });
  expect(await check(turns[1].end.offset)).toMatchObject({ exitCode: 1 });
});
