/** Requests that nobody should send: each is answered with a 4xx, and none changes a byte. */
import { Agent, request } from 'node:http';
import type { RunId } from '@ramet/core';
import { auditStore, cel, readTree } from '@ramet/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeDocument } from '../../src/contract/index.ts';
import { openDaemon } from '../../src/daemon/index.ts';
import { sendRaw } from '../support/raw.ts';
import { type ServerHarness, startServer, TOKEN } from '../support/server.ts';

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly hasBody: boolean;
}

const { paths } = makeDocument('') as { readonly paths: Record<string, Record<string, { requestBody?: object }>> };
const operations: readonly Operation[] = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { requestBody }]) => ({
    method: method.toUpperCase(),
    path,
    hasBody: requestBody !== undefined,
  })),
);
const agent = new Agent({ keepAlive: true, maxSockets: 16 });

let server: ServerHarness;
let session: RunId;
let run: RunId;
let before: ReturnType<typeof readTree>;
let sent = 0;

beforeAll(async () => {
  server = await startServer({
    openDaemon: (services) => openDaemon({ services, cwd: services.store.layout.home, publish: () => {} }),
  });
  session = (await server.h.turn(null, 'echo one > one.txt')).session;
  await server.h.fork(session, 1);
  const nodes = {
    ask: { kind: 'gate', question: 'Go?', answer: { type: 'boolean' } },
    mail: { kind: 'tool', exec: { command: ['true'], sandbox: false } },
  } as const;
  run = (await server.h.start({ nodes, edges: [{ from: 'mail', to: 'ask' }] })).run;
  before = readTree(server.h.home);
});

afterAll(async () => {
  agent.destroy();
  expect(sent).toBeGreaterThan(2000);
  expect(server.faults).toEqual([]);
  expect(auditStore(server.h.home)).toEqual([]);
  await server.close();
});

function send({ method, path, headers = {}, body }: Sent): Promise<{ readonly status: number; readonly text: string }> {
  sent += 1;
  const { hostname, port } = new URL(server.url);
  const given = {
    authorization: `Bearer ${TOKEN}`,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const outgoing = request({ agent, hostname, port, method, path, headers: given }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      response.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** Sends all of them, some at once; answers those that were not answered with a problem of a 4xx. */
async function findTaken(requests: readonly Sent[]): Promise<readonly unknown[]> {
  const taken: unknown[] = [];
  const queue = [...requests];
  const work = async () => {
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      const { status, text } = await send(next);
      if (status < 400 || status >= 500 || !isProblem(text, status)) {
        taken.push([next.method, next.path, String(next.body ?? '').slice(0, 100), status, text.slice(0, 300)]);
      }
    }
  };
  await Promise.all(Array.from({ length: 16 }, work));
  return taken;
}

function isProblem(text: string, status: number): boolean {
  const problem = JSON.parse(text);
  const { code, detail, type } = problem;
  return (
    problem.status === status && typeof detail === 'string' && type === `/docs#${code}` && !text.includes('    at ')
  );
}

const IDS = [
  'x',
  '0',
  '-1',
  'null',
  'undefined',
  '..',
  '%2e%2e',
  '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
  '..%5c..%5cwindows',
  '%00',
  'a%00b',
  '%0d%0aset-cookie:%20a=b',
  '%zz',
  '%',
  '%ff%fe',
  '%F0%9F%92%A9',
  '%E2%80%AE',
  '%C0%AE%C0%AE',
  encodeURIComponent('<script>alert(1)</script>'),
  encodeURIComponent("' OR 1=1 --"),
  '%24%7Bjndi:ldap://x%7D',
  encodeURIComponent('{{7*7}}'),
  '__proto__',
  'constructor',
  'toString',
  '01932C07-7B1A-7C44-B1C6-0D5F2B9A1E77',
  '01932c07-7b1a-7c44-b1c6-0d5f2b9a1e77',
  '00000000-0000-0000-0000-000000000000',
  '01932c07-7b1a-7c44-b1c6-0d5f2b9a1e77%20',
  '.keys',
  '.staging',
  'a'.repeat(64),
  'a'.repeat(65),
  'a'.repeat(5000),
  '9'.repeat(40),
  ' '.repeat(3).replaceAll(' ', '%20'),
];

const DEEP = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;

const BODIES: readonly (string | Uint8Array)[] = [
  '{',
  'null',
  'true',
  '0',
  '"text"',
  '[]',
  '[{}]',
  '{"a":1}',
  '{"__proto__":{"dryRun":true}}',
  '{"constructor":{"prototype":{}}}',
  "{'a':1}",
  '{"a":NaN}',
  '{"a":1e999}',
  '\ufeff{}',
  '{"prompt":"\\ud800"}',
  '{"\\udfff":1}',
  DEEP,
  `{"input":${DEEP}}`,
  `{"answer":${DEEP}}`,
  new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]),
  new Uint8Array(1000),
  `{"a":"${'x'.repeat(100_000)}"}`,
  '<xml/>',
  'a=1&b=2',
];

const METHODS = ['PUT', 'OPTIONS', 'TRACE', 'PROPFIND', 'PATCH', 'DELETE', 'POST', 'GET'];

const fill = (path: string, id: string): string =>
  path
    .replace('{id}', id)
    .replace('{other}', id)
    .replace('{callId}', 'call')
    .replace(/\{(digest|hash)\}/, '0'.repeat(64));

describe('nothing is taken', () => {
  it('of ids that are none', async () => {
    const named = operations.filter(({ path }) => path.includes('{id}'));
    const requests = named.flatMap(({ method, path, hasBody }) =>
      IDS.map((id) => ({ method, path: fill(path, id), ...(hasBody ? { body: '{}' } : {}) })),
    );
    expect(await findTaken(requests)).toEqual([]);
  });

  it('of bodies that are none', async () => {
    const taking = operations.filter(({ hasBody }) => hasBody);
    const requests = taking.flatMap(({ method, path }) =>
      [session, run].flatMap((id) => BODIES.map((body) => ({ method, path: fill(path, id), body }))),
    );
    expect(await findTaken(requests.filter(({ path }) => path !== '/v1/graphs/validate'))).toEqual([]);
  });

  it('of media types that are none of ours', async () => {
    const taking = operations.filter(({ hasBody }) => hasBody);
    const types = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'application/jsonp',
      'a/b\u00e9',
    ];
    const requests = taking.flatMap(({ method, path }) =>
      types.map((type) => ({
        method,
        path: fill(path, session),
        headers: { 'content-type': type },
        body: '{"title":"x"}',
      })),
    );
    expect(await findTaken(requests)).toEqual([]);
  });

  it('of bodies that are too large, whether or not they say so', async () => {
    const body = `{"title":"${'x'.repeat(1024 * 1024)}"}`;
    const requests = [
      { method: 'PATCH', path: `/v1/runs/${session}`, body },
      { method: 'PATCH', path: `/v1/runs/${session}`, body, headers: { 'transfer-encoding': 'chunked' } },
    ];
    for (const wanted of requests) {
      const { status, text } = await send(wanted);
      expect([status, JSON.parse(text).code]).toEqual([413, 'too_large']);
    }
  });

  it('of methods that a path does not have, and each says which it has', async () => {
    const all = Object.entries(paths).flatMap(([path, known]) =>
      METHODS.filter((method) => !(method.toLowerCase() in known)).map((method) => ({
        method,
        path: fill(path, session),
      })),
    );
    expect(await findTaken(all)).toEqual([]);
    const response = await server.fetch('/v1/sessions', { method: 'DELETE' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
  });

  it('of queries that say nothing', async () => {
    const values = ['-1', '1.5', '1e3', '0x10', '%20', 'NaN', '9'.repeat(30), '%00', '..', '[]', "'", ''];
    const named = [
      ...['limit', 'cursor', 'nonsense', '__proto__'].flatMap((name) => [`/v1/sessions?${name}=`, `/v1/runs?${name}=`]),
      ...['from', 'limit', 'nonsense'].map((name) => `/v1/runs/${session}/log?${name}=`),
      ...['at', 'nonsense'].flatMap((name) => [
        `/v1/runs/${session}/folder?${name}=`,
        `/v1/runs/${session}/file?path=one.txt&${name}=`,
      ]),
      ...['at', 'from', 'other', 'patch', 'ignored'].map((name) => `/v1/runs/${session}/diff?${name}=`),
      ...['loseWork'].map((name) => `/v1/runs/${session}?${name}=`),
    ];
    const requests = named.flatMap((start) =>
      values.map((value) => ({ method: start.includes('loseWork') ? 'DELETE' : 'GET', path: `${start}${value}` })),
    );
    expect(await findTaken(requests)).toEqual([]);
  });

  it('of paths that lead elsewhere', async () => {
    const ways = [
      '../../etc/passwd',
      '%2e%2e/%2e%2e/etc/passwd',
      '..%2f..%2fetc%2fpasswd',
      '....//etc',
      '%00',
      '.git/config',
      '~/.ssh/id_rsa',
    ];
    const roots = ['/', '/assets/', '/v1/', '/docs/', '/s/', '/v1/graphs/', '//', '/v1/runs/'];
    const requests = roots.flatMap((root) => ways.map((way) => ({ method: 'GET', path: `${root}${way}` })));
    expect(await findTaken(requests)).toEqual([]);
  });

  it('of who has no token, a wrong one, or comes from elsewhere', async () => {
    const headers = [
      { authorization: '' },
      { authorization: 'Bearer ' },
      { authorization: `Bearer ${TOKEN.slice(1)}` },
      { authorization: `bearer${TOKEN}` },
      { authorization: `Basic ${btoa(`x:${TOKEN}`)}` },
      { authorization: `Bearer ${'x'.repeat(10_000)}` },
      { host: 'evil.example' },
      { host: '127.0.0.1.evil.example' },
      { host: 'localhost@evil.example' },
      { host: '[::1' },
      { origin: 'http://evil.example' },
      { origin: 'null' },
      { origin: 'http://localhost' },
      { origin: 'javascript:alert(1)' },
    ];
    const requests = operations.flatMap(({ method, path, hasBody }) =>
      headers.map((given) => ({
        method,
        path: fill(path, session),
        headers: given,
        ...(hasBody ? { body: '{}' } : {}),
      })),
    );
    expect(await findTaken(requests)).toEqual([]);
  });

  it('of words that say what cannot be done', async () => {
    const { repository: cwd } = server.h;
    const settings = [
      { model: 'nobody/nothing' },
      { model: '../../etc/passwd' },
      { model: 'scripted:/etc/passwd' },
      { model: 'scripted:/nowhere' },
      { model: `scripted:${'x'.repeat(5000)}` },
      { model: 'openai-compatible/x', baseUrl: 'file:///etc/passwd' },
      { model: 'a\u0000b' },
      { allowNet: ['*'] },
      { allowNet: ['http://x/'] },
      { rules: [{ tool: 'no such tool', do: 'allow' }] },
      { limits: { maxRequests: -1 } },
      { limits: { maxCost: 1 } },
      { onAsk: 'shrug' },
    ];
    const places = ['/nowhere', '/etc/passwd', '/', '/proc/self/mem', `/${'x'.repeat(300)}`, '/a\u0000b', 'relative'];
    const bodies = [
      ...settings.map((given) => ({ cwd, prompt: 'x', ...given })),
      ...places.map((place) => ({ cwd: place, prompt: 'x' })),
      { cwd, prompt: '' },
      { cwd, prompt: 'x', attachments: [{ mediaType: 'x', filename: 'x', data: '!' }] },
    ];
    const documents = [
      '0'.repeat(64),
      'x',
      '../x',
      {},
      { schema: 1, nodes: { a: { kind: 'agent', prompt: cel('1 /') } } },
    ];
    const requests = [
      ...bodies.map((body) => ({ path: '/v1/sessions', body })),
      ...settings.map((given) => ({ path: `/v1/sessions/${session}/messages`, body: { prompt: 'x', ...given } })),
      ...settings.map((given) => ({ path: `/v1/sessions/${session}/continue`, body: given })),
      ...documents.map((graph) => ({ path: '/v1/runs', body: { cwd, graph } })),
      ...documents.map((graph) => ({ path: `/v1/runs/${run}/fork`, body: { fromNode: 'ask', graph } })),
      ...[{}, { answer: 'x' }, { answer: true, gate: 99 }, { answer: true, gate: '../x' }].map((body) => ({
        path: `/v1/runs/${run}/answer`,
        body,
      })),
      ...['x', 'allow', null].map((answer) => ({ path: `/v1/runs/${session}/approvals/call`, body: { answer } })),
      ...[0, 5, 999_999].map((offset) => ({ path: `/v1/runs/${session}/fork`, body: { at: offset } })),
      ...[0, 999_999].map((at) => ({ path: `/v1/sessions/${session}/fork`, body: { at } })),
      ...['/nowhere', '/', '/etc/passwd'].map((checkout) => ({
        path: `/v1/runs/${session}/apply`,
        body: { checkout, toCheckout: true },
      })),
      ...['a b', '-x', 'x..y', 'x\u0000', '/', '@{', 'x'.repeat(5000)].map((branch) => ({
        path: `/v1/runs/${session}/apply`,
        body: { checkout: cwd, branch },
      })),
      { path: `/v1/runs/${session}/interrupt`, body: undefined },
    ];
    const sent = requests.map(({ path, body }) => ({
      method: 'POST',
      path,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }));
    expect(await findTaken(sent)).toEqual([]);
  });

  it('of idempotency keys and event ids that are none', async () => {
    const path = `/v1/sessions/${session}/fork`;
    const keys = ['', 'x'.repeat(256)].map((key) => ({
      method: 'POST',
      path,
      headers: { 'idempotency-key': key },
      body: '{}',
    }));
    const events = ['-1', 'abc', '1.5', '9'.repeat(20), ''].map((id) => ({
      method: 'GET',
      path: `/v1/runs/${session}/events`,
      headers: { 'last-event-id': id },
    }));
    expect(await findTaken([...keys, ...events])).toEqual([]);
  });

  it('of titles that fit into no event', async () => {
    const title = 'x'.repeat(1_040_000);
    const requests = [
      { path: `/v1/sessions/${session}/fork`, body: { title } },
      { path: `/v1/runs/${run}/fork`, body: { fromNode: 'ask', start: false, title } },
    ];
    const sent = requests.map(({ path, body }) => ({ method: 'POST', path, body: JSON.stringify(body) }));
    expect(await findTaken(sent)).toEqual([]);
  });

  it('of bytes that are no request', async () => {
    const auth = `Host: localhost\r\nAuthorization: Bearer ${TOKEN}\r\n`;
    const requests = [
      '\0\0\0\0\r\n\r\n',
      'GET /\r\n\r\n',
      'GET / HTTP/9.9\r\n\r\n',
      `GET /v1/ sessions HTTP/1.1\r\n${auth}\r\n`,
      `GET /v1/sessions\x01 HTTP/1.1\r\n${auth}\r\n`,
      `GET /v1/sessions HTTP/1.1\r\n${auth}X: a\r\n b: folded\r\nHost: evil.example\r\nOrigin: x\r\n\r\n`,
      `GET http://evil.example/v1/sessions HTTP/1.1\r\nHost: evil.example\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`,
      `CONNECT evil.example:443 HTTP/1.1\r\n${auth}\r\n`,
      `POST /v1/graphs HTTP/1.1\r\n${auth}Content-Length: -1\r\n\r\n`,
      `POST /v1/graphs HTTP/1.1\r\n${auth}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`,
      `POST /v1/graphs HTTP/1.1\r\n${auth}Transfer-Encoding: chunked\r\n\r\nZZ\r\n`,
      `POST /v1/graphs HTTP/1.1\r\n${auth}Expect: nonsense\r\nContent-Length: 2\r\n\r\n{}`,
    ];
    for (const bytes of requests) {
      const { status } = await sendRaw(server.url, bytes);
      // 0: the connection was closed without a word.
      expect([bytes, status === 0 || (status >= 400 && status < 500)]).toEqual([bytes, true]);
    }
  });
});

it('leaves the state folder as it was, byte for byte', () => {
  expect(readTree(server.h.home)).toEqual(before);
});
