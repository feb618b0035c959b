import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { readServerSentEvents } from '@ramet/client';
import { CODES } from '@ramet/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeDocument } from '../../src/contract/index.ts';
import { type ServerHarness, startServer } from '../support/server.ts';

const INDEX = '<!doctype html><title>Ramet</title>';
const SCRIPT = 'export {};';

let folder: string;
let server: ServerHarness;
let bare: ServerHarness;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ramet-site-'));
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), INDEX);
  writeFileSync(join(folder, 'assets/main-abc.js'), SCRIPT);
  writeFileSync(join(folder, 'assets/main-abc.js.gz'), gzipSync(SCRIPT));
  symlinkSync('/etc/passwd', join(folder, 'passwd.txt'));
  symlinkSync('/etc', join(folder, 'elsewhere'));
  server = await startServer({ web: folder });
  bare = await startServer();
});

afterAll(async () => {
  await Promise.all([server.close(), bare.close()]);
  rmSync(folder, { recursive: true });
});

describe('the browser interface', () => {
  it.each(['/', '/inbox', '/usage', '/s/01932c07', '/r/01932c07', '/compare/a/b'])(
    'is what %s answers',
    async (path) => {
      const response = await fetch(`${server.url}${path}`);
      expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
        200,
        'text/html; charset=utf-8',
        INDEX,
      ]);
      expect(response.headers.get('cache-control')).toBe('no-cache');
    },
  );

  it('is known again by its tag, and its hashed files are kept', async () => {
    const index = await fetch(`${server.url}/`);
    const again = await fetch(`${server.url}/`, { headers: { 'if-none-match': index.headers.get('etag') ?? '' } });
    expect(again.status).toBe(304);
    const script = await fetch(`${server.url}/assets/main-abc.js`);
    expect([script.headers.get('content-encoding'), await script.text()]).toEqual(['gzip', SCRIPT]);
    expect(script.headers.get('cache-control')).toContain('immutable');
    const plain = await fetch(`${server.url}/assets/main-abc.js`, { headers: { 'accept-encoding': 'identity' } });
    expect([plain.headers.get('content-encoding'), await plain.text()]).toEqual([null, SCRIPT]);
  });

  it.each([
    '/passwd.txt',
    '/elsewhere/passwd',
    '/assets/',
    '/assets',
    '/assets/../index.html.bak',
    '/s/',
    '/index.htm',
  ])('has no %s', async (path) => {
    expect((await fetch(`${server.url}${path}`)).status).toBe(404);
  });

  it.each(['/nonsense', '/s/', '/a/b/c', '/assets/old.js'])(
    'says itself that there is no %s to who went there',
    async (path) => {
      const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
      const first = await fetch(`${server.url}${path}`, { headers });
      expect([first.status, first.headers.get('content-type'), await first.text()]).toEqual([
        404,
        'text/html; charset=utf-8',
        INDEX,
      ]);
      const etag = first.headers.get('etag') ?? '';
      const again = await fetch(`${server.url}${path}`, { headers: { ...headers, 'if-none-match': etag } });
      expect([etag === '', again.status]).toEqual([false, 404]);
      expect((await fetch(`${server.url}${path}`)).headers.get('content-type')).toContain('application/problem+json');
    },
  );

  it('is not what the API has instead of a path it lacks', async () => {
    const response = await server.fetch('/v1/nonsense', { headers: { accept: 'text/html' } });
    expect([response.status, response.headers.get('content-type')]).toEqual([404, 'application/problem+json']);
  });

  it('says in words that it was not built', async () => {
    const response = await fetch(`${bare.url}/`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(await response.text()).toContain('was not built');
  });
});

describe('what a browser may do with an answer', () => {
  it.each(['/', '/docs', '/v1/sessions', '/healthz', '/nowhere', '/openapi.json', '/assets/main-abc.js'])(
    'is said by %s',
    async (path) => {
      for (const init of [{}, { headers: { origin: 'http://evil.example' } }, { method: 'DELETE' }]) {
        const { headers } = await fetch(`${server.url}${path}`, init);
        const policy = headers.get('content-security-policy') ?? '';
        expect(policy).toContain("default-src 'none'");
        expect(policy).toContain("frame-ancestors 'none'");
        expect(policy).not.toContain('unsafe');
        expect(headers.get('x-content-type-options')).toBe('nosniff');
        expect(headers.get('referrer-policy')).toBe('no-referrer');
        expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
        expect(headers.get('access-control-allow-origin')).toBeNull();
      }
    },
  );
});

describe('the page about the API', () => {
  it('has every operation and every code, and nothing that runs', async () => {
    const text = await (await fetch(`${server.url}/docs`)).text();
    const { paths } = makeDocument('') as { readonly paths: Record<string, Record<string, { operationId: string }>> };
    const names = Object.values(paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    const missing = [...names, ...Object.keys(CODES), 'unauthorized', 'too_large'].filter(
      (name) => !text.includes(`id="${name}"`),
    );
    expect(missing).toEqual([]);
    expect(text).not.toMatch(/<script|<style|\sstyle=|\son\w+=/i);
    const style = await fetch(`${server.url}/docs.css`);
    expect(style.headers.get('content-type')).toBe('text/css; charset=utf-8');
    const linked = [...text.matchAll(/href="#([^"]+)"/g)].map(([, name]) => name ?? '');
    expect(linked.filter((name) => !text.includes(`id="${name}"`))).toEqual([]);
  });

  it('is made from the document that /openapi.json answers', async () => {
    const document = await (await fetch(`${server.url}/openapi.json`)).json();
    expect(document).toEqual(JSON.parse(JSON.stringify(makeDocument('0.0.0-test'))));
  });
});

describe('what a model wrote', () => {
  const words = '<script>alert(1)</script> [x](javascript:alert(1)) \u001b]0;title\u0007 \u001b[2J';

  it('leaves as text in JSON, and its bytes to be saved', async () => {
    const long = `${words}${'y'.repeat(5 * 1024 * 1024)}`;
    const made = await server.h.run(null, [{ text: long }]);
    const id = 'session' in made ? made.session : '';
    const log = await server.fetch(`/v1/runs/${id}/log`);
    const text = await log.text();
    expect(log.headers.get('content-type')).toBe('application/json');
    const digest = /\{"\$blob":"([0-9a-f]{64})"/.exec(text)?.[1];
    const payload = await server.fetch(`/v1/runs/${id}/payloads/${digest}`);
    expect([payload.headers.get('content-type'), payload.headers.get('content-disposition')]).toEqual([
      'application/octet-stream',
      `attachment; filename="${digest}"`,
    ]);
    expect(await payload.text()).toBe(long);
    expect((await server.ask('GET', `/v1/runs/${id}/payloads/${'0'.repeat(64)}`)).json.code).toBe('not_found');
  });

  it('stays in its line of the stream', async () => {
    const made = await server.h.run(null, [{ text: `${words}\ndata: {"seq":0}\nid: 99\n\nevent: end\ndata: {}\n\n` }]);
    const id = 'session' in made ? made.session : '';
    const { body } = await server.fetch(`/v1/runs/${id}/events`);
    const seen: (string | undefined)[] = [];
    const { length } = server.h.eventsOf(id as never);
    for await (const event of readServerSentEvents(body as ReadableStream<Uint8Array>)) {
      if (event.event === 'message') seen.push(event.id);
      if (event.id === String(length - 1)) break;
    }
    expect(seen).toEqual(Array.from({ length }, (_, index) => String(index)));
  });
});
