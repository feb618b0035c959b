import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeFakeDaemon } from '../support/fake-daemon.ts';
import { type ServerHarness, startServer } from '../support/server.ts';

let server: ServerHarness;
/** What the daemon does before it fails. */
let meanwhile = async (): Promise<unknown> => undefined;

beforeAll(async () => {
  server = await startServer({
    openDaemon: (services) => ({
      ...makeFakeDaemon(services),
      sendMessage: async () => {
        await meanwhile();
        throw new Error('ENOENT: no such file or directory');
      },
    }),
  });
});

afterAll(() => server.close());

it('answers unknown_run where a run is removed in the middle of a request, and a fault where it is not', async () => {
  const { session } = await server.h.turn(null, 'echo one > one.txt', { prompt: 'make one' });
  const send = () => server.ask('POST', `/v1/sessions/${session.slice(-12)}/messages`, { body: { prompt: 'go on' } });
  expect((await send()).json).toMatchObject({ status: 500, code: 'internal_error' });
  meanwhile = () => server.h.store.remove(session);
  expect((await send()).json).toMatchObject({ status: 404, code: 'unknown_run' });
  expect(server.faults).toHaveLength(1);
});

it('answers many removals of one run at once, and what is asked of it beside them, without a fault', async () => {
  const { session } = await server.h.turn(null, 'mkdir a; echo one > a/one.txt', { prompt: 'make one' });
  const remove = () => server.ask('DELETE', `/v1/runs/${session}?loseWork=true`);
  const beside = [
    server.ask('POST', `/v1/sessions/${session}/fork`, { body: {} }),
    server.ask('POST', `/v1/runs/${session}/apply`, { body: {} }),
    server.ask('POST', `/v1/runs/${session}/verify`, { body: {} }),
  ];
  const removed = await Promise.all([remove(), remove(), remove(), remove()]);
  const statuses = [...removed, ...(await Promise.all(beside))].map(({ status }) => status);
  expect(statuses.filter((status) => ![200, 201, 404, 409, 423].includes(status))).toEqual([]);
});
