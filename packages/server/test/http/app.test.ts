import { Failure, refuse } from '@ramet/core';
import { openFeeds } from '@ramet/runtime/follow';
import { type GraphHarness, makeGraphHarness } from '@ramet/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeDocument } from '../../src/contract/index.ts';
import type { Daemon } from '../../src/daemon/types.ts';
import { listEndpoints } from '../../src/handlers/index.ts';
import { makeApp } from '../../src/http/index.ts';
import { makeFakeDaemon } from '../support/fake-daemon.ts';

let h: GraphHarness;
const faults: unknown[] = [];
const refused: number[] = [];

beforeEach(() => {
  h = makeGraphHarness();
  faults.length = 0;
  refused.length = 0;
});

afterEach(() => h.remove());

function makeParts(daemon: Partial<Daemon> = {}) {
  const services = h.servicesOf();
  const feeds = openFeeds(h.store);
  return { services, feeds, daemon: { ...makeFakeDaemon(services), ...daemon }, version: 'test', cwd: h.repository };
}

/** Asks through an entrance that lets everybody in. */
async function ask(daemon: Partial<Daemon>, path: string) {
  const app = makeApp({
    ...makeParts(daemon),
    web: null,
    onFault: (error) => faults.push(error),
    onRefused: (status) => refused.push(status),
  });
  const response = await app.request(path, { method: 'POST' }, { entrance: { judge: () => null } });
  return { status: response.status, text: await response.text() };
}

describe('the application', () => {
  it('answers every route of the contract, and nothing else', () => {
    const { paths } = makeDocument('') as { readonly paths: Record<string, object> };
    const promised = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((name) => `${name} ${path}`),
    );
    const served = listEndpoints(makeParts()).map(({ route: { method, path } }) => `${method} ${path}`);
    expect(served.sort()).toEqual(promised.sort());
  });

  it('tells of a bug in one line without its stack, and whoever runs it of all', async () => {
    const { session } = await h.turn(null, 'true');
    const bug = new Error('it broke\n    at secret (/place.ts:1:1)');
    const interrupt = () => {
      throw bug;
    };
    const { status, text } = await ask({ interrupt }, `/v1/runs/${session}/interrupt`);
    expect([status, JSON.parse(text)]).toEqual([
      500,
      {
        type: '/docs#internal_error',
        title: 'Internal error',
        status: 500,
        detail: 'unexpected: it broke',
        code: 'internal_error',
      },
    ]);
    expect(faults).toEqual([bug]);
  });

  it('tells of what broke underneath by its code', async () => {
    const { session } = await h.turn(null, 'true');
    const interrupt = () => {
      throw new Failure('disk_failed', 'the disk is full', { data: { path: '/x' } });
    };
    const { status, text } = await ask({ interrupt }, `/v1/runs/${session}/interrupt`);
    expect([status, JSON.parse(text)]).toMatchObject([
      507,
      { code: 'disk_failed', detail: 'the disk is full', path: '/x' },
    ]);
    expect(faults).toHaveLength(1);
  });

  it('lets no data of a refusal hide what a problem document is', async () => {
    const { session } = await h.turn(null, 'true');
    const interrupt = () =>
      refuse('turn_open', 'no', { status: 'idle', type: 'x', title: 'y', code: 'z', id: session });
    const { status, text } = await ask({ interrupt }, `/v1/runs/${session}/interrupt`);
    expect([status, JSON.parse(text)]).toEqual([
      409,
      { type: '/docs#turn_open', title: 'Turn open', status: 409, detail: 'no', code: 'turn_open', id: session },
    ]);
    expect(faults).toEqual([]);
  });

  it('counts what it refuses, and not what was interrupted by its caller or by its end', async () => {
    const { session } = await h.turn(null, 'true');
    const answer = async (code: 'turn_open' | 'interrupted') =>
      (await ask({ interrupt: () => refuse(code, 'no', {}) }, `/v1/runs/${session}/interrupt`)).status;
    expect([await answer('turn_open'), await answer('interrupted')]).toEqual([409, 499]);
    expect(refused).toEqual([409]);
  });
});
