import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRefusal } from '@ramet/core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { makeTcpEntrance } from '../../src/http/entrance.ts';
import { listen, socketPathOf } from '../../src/http/index.ts';
import { open, sendRaw } from '../support/raw.ts';
import { type ServerHarness, startServer, TOKEN } from '../support/server.ts';

let folder: string;
let server: ServerHarness;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ramet-http-'));
  const limits = { headersTimeoutMs: 300, requestTimeoutMs: 600, checkEveryMs: 50 };
  server = await startServer({ socket: join(folder, 'daemon', 'socket'), limits });
});

afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

describe('over TCP', () => {
  it('says without a token only that it is there', async () => {
    const response = await fetch(`${server.url}/healthz`);
    expect([response.status, await response.json()]).toEqual([200, { ok: true }]);
  });

  it.each(['', 'Bearer wrong', 'Basic abc', 'Bearer', `Bearer ${TOKEN} x`, `Bearer ${TOKEN}x`])(
    'answers 401 to the authorization %j',
    async (authorization) => {
      const { status, headers, json } = await server.ask('GET', '/v1/sessions', { headers: { authorization } });
      expect([status, json.code]).toEqual([401, 'unauthorized']);
      expect(headers.get('www-authenticate')).toContain('Bearer');
    },
  );

  it.each([
    '/v1',
    '/v1/sessions',
    '/%76%31/sessions',
    '/v1//sessions',
    '//v1/sessions',
    '/x/../v1/sessions',
    '/V1/sessions',
  ])('shows nothing at %s without a token', async (path) => {
    const { status } = await sendRaw(server.url, `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    expect([401, 404]).toContain(status);
  });

  it('answers 403 to pages of other sites, and lets its own in', async () => {
    const foreign = ['http://evil.example', 'null', 'file://', 'http://localhost:1', `${server.url}.evil.example`];
    for (const origin of foreign) {
      const { status, json } = await server.ask('GET', '/v1/sessions', { headers: { origin } });
      expect([origin, status, json.code]).toEqual([origin, 403, 'forbidden']);
    }
    expect((await server.ask('GET', '/v1/sessions', { headers: { origin: server.url } })).status).toBe(200);
  });

  it('answers 403 to a name it was not bound by, whatever needs a token', async () => {
    for (const path of ['/', '/healthz', '/docs', '/v1/sessions']) {
      const head = `GET ${path} HTTP/1.1\r\nHost: evil.example\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`;
      expect([path, (await sendRaw(server.url, head)).status]).toEqual([path, 403]);
    }
  });

  it('knows itself by the names of this machine, and on every address by addresses', () => {
    const judge = (host: string, name: string) =>
      makeTcpEntrance({ token: TOKEN, host }).judge(new Headers({ host: name }), true) === null;
    expect(['localhost:1', '127.0.0.1', '[::1]:80', 'LOCALHOST'].map((name) => judge('127.0.0.1', name))).toEqual(
      Array(4).fill(true),
    );
    expect(['', 'localhost.evil.example', 'a b', '[::1', 'localhost:x'].map((name) => judge('::1', name))).toEqual(
      Array(5).fill(false),
    );
    expect([judge('0.0.0.0', '192.0.2.1:80'), judge('0.0.0.0', 'evil.example')]).toEqual([true, false]);
  });

  it('refuses to be reached from other machines unless that is allowed', async () => {
    const options = { app: null as never, token: TOKEN, host: '0.0.0.0', port: 0, allowRemote: false, socket: null };
    const refused = await listen(options);
    expect(isRefusal(refused) && refused.code).toBe('bad_usage');
  });

  it('says that a port is in use', async () => {
    const { port, hostname: host } = new URL(server.url);
    const wanted = { app: null as never, token: TOKEN, host, port: Number(port), allowRemote: false, socket: null };
    const refused = await listen(wanted);
    expect(isRefusal(refused) && refused.code).toBe('owned_elsewhere');
  });
});

describe('over the unix socket', () => {
  const askSocket = (headers: Record<string, string> = {}): Promise<number> =>
    new Promise((resolve, reject) => {
      const socketPath = server.listening.socket ?? '';
      const sent = request({ socketPath, path: '/v1/sessions', headers }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      sent.on('error', reject).end();
    });

  it('needs no token, and nobody else can open it', async () => {
    expect(await askSocket()).toBe(200);
    expect(statSync(server.listening.socket ?? '').mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'daemon')).mode & 0o777).toBe(0o700);
  });

  it('lets no page in', async () => {
    expect(await askSocket({ origin: 'http://evil.example' })).toBe(403);
  });

  it('refuses a place where another daemon listens', async () => {
    const socket = server.listening.socket;
    const refused = await listen({
      app: null as never,
      token: TOKEN,
      host: '127.0.0.1',
      port: 0,
      allowRemote: false,
      socket,
    });
    expect(isRefusal(refused) && refused.code).toBe('owned_elsewhere');
  });

  it('takes a short path where the state folder has a long one, or none', () => {
    const home = `/${'long/'.repeat(30)}state`;
    expect(socketPathOf({ home: '/s', env: {} })).toBe('/s/daemon/socket');
    expect(socketPathOf({ home, env: {} })).toBeNull();
    expect(socketPathOf({ home, env: { XDG_RUNTIME_DIR: '/run/user/1000' } })).toMatch(
      /^\/run\/user\/1000\/ramet\/\w{16}$/,
    );
  });
});

describe('slow and broken senders', () => {
  it('cuts off who sends headers without end, with 408', async () => {
    expect((await sendRaw(server.url, 'GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ')).status).toBe(408);
  });

  it('cuts off who sends nothing at all', async () => {
    expect([0, 408]).toContain((await sendRaw(server.url, '')).status);
  });

  it('gives the place of who was cut off to others, though it keeps its own side open', async () => {
    const limits = { headersTimeoutMs: 200, checkEveryMs: 50, connections: 1 };
    const narrow = await startServer({ limits });
    const { hostname: host, port } = new URL(narrow.url);
    const socket = connect({ host, port: Number(port), allowHalfOpen: true });
    const [told] = await once(socket, 'data');
    expect(String(told)).toContain('408');
    await vi.waitFor(async () => expect((await narrow.fetch('/healthz')).status).toBe(200), { timeout: 5_000 });
    socket.destroy();
    await narrow.close();
  });

  it('cuts off who sends a body without end, with 408', async () => {
    const head = `POST /v1/graphs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`;
    expect((await sendRaw(server.url, head)).status).toBe(408);
  });

  it('takes a sender that goes away in the middle of a body for no fault of the daemon', async () => {
    const before = server.refused.length;
    const head = `POST /v1/graphs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\n`;
    const socket = open(server.url);
    socket.write(`${head}Expect: 100-continue\r\nContent-Length: 100\r\n\r\n`);
    const [told] = await once(socket, 'data');
    expect(String(told)).toContain('100 Continue');
    socket.destroy();
    await vi.waitFor(() => expect(server.refused.slice(before)).toEqual([400]));
    expect(server.faults).toEqual([]);
  });

  it('serves others while two hundred connections send nothing', async () => {
    const idle = Array.from({ length: 200 }, () => open(server.url).on('error', () => {}));
    expect((await server.ask('GET', '/v1/sessions')).status).toBe(200);
    for (const socket of idle) socket.destroy();
  });

  it.each([
    ['GARBAGE\r\n\r\n', 400],
    [`GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['GET / HTTP/1.1\r\n\r\n', 400],
    ['GET / HTTP/1.1\r\nHost: localhost\r\nBad Header: x\r\n\r\n', 400],
    ['GET / HTTP/1.1\r\nHost: localhost\r\nX: a\0b\r\n\r\n', 400],
    ['POST /v1/graphs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n', 400],
    ['GET \\\\evil HTTP/1.1\r\nHost: localhost\r\n\r\n', 400],
  ])('answers %j with %d', async (bytes, status) => {
    expect((await sendRaw(server.url, bytes)).status).toBe(status);
  });
});
