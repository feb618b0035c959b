import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { createMcpHandler, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { makeScratchArea, type ScratchArea } from '@ramet/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type HttpService, httpServer, openTools, PATIENCE, serveHttp, serveWeb, variable } from './helpers.ts';
import { makeMailServer } from './servers/mail-tools.ts';

let area: ScratchArea;
let outbox: string;
const services: HttpService[] = [];
beforeEach(() => {
  area = makeScratchArea();
  outbox = join(area.folder, 'outbox');
});
afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.close()));
  area.remove();
});

async function keep(service: Promise<HttpService>): Promise<HttpService> {
  services.push(await service);
  return service;
}

/** A server that speaks the protocol by hand, up to the call; `onCall` answers that. */
function speakByHand(onCall: (id: number, response: ServerResponse) => void): Promise<HttpService> {
  return keep(
    serveHttp(async (request: IncomingMessage, response: ServerResponse) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      if (request.method !== 'POST') return void response.writeHead(405).end();
      const message = JSON.parse(Buffer.concat(chunks).toString()) as { id?: number; method: string };
      if (message.id === undefined) return void response.writeHead(202).end();
      if (message.method === 'tools/call') return onCall(message.id, response);
      const serverInfo = { name: 'hand', version: '1' };
      const result =
        message.method === 'initialize'
          ? { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo }
          : { tools: [{ name: 'go', inputSchema: { type: 'object' } }] };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
    }),
  );
}

describe('a server at an address', () => {
  it('is called with its headers, whose variables are filled in, and answers', async () => {
    const handler = createMcpHandler(() => makeMailServer(outbox));
    const seen: (string | null)[] = [];
    const service = await keep(
      serveWeb((request) => {
        seen.push(request.headers.get('authorization'));
        return handler.fetch(request);
      }),
    );
    const config = httpServer(service.url, { headers: { Authorization: `Bearer ${variable('TOKEN')}` } });
    const mail = await openTools(config, { env: { TOKEN: 'secret' } });
    expect(await mail.call('send', { to: 'ada' })).toEqual({ output: { type: 'json', value: { receipt: 'r-ada' } } });
    expect(new Set(seen)).toEqual(new Set(['Bearer secret']));
    await mail.close();
    const unset = await openTools(config, { env: {} });
    expect(unset.notices).toEqual([expect.stringMatching(/its headers name \$\{TOKEN\}, which is not set/)]);
  });

  it('that keeps sessions is told when one is over', async () => {
    const ended: string[] = [];
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessionclosed: (id: string) => {
        ended.push(id);
      },
    });
    await makeMailServer(outbox).connect(transport);
    const service = await keep(serveWeb((request) => transport.handleRequest(request)));
    const mail = await openTools(httpServer(service.url));
    expect((await mail.call('send', { to: 'ada' })).output.type).toBe('json');
    await mail.close();
    expect(ended).toHaveLength(1);
  });

  it('that is not there is told, and has no tools', async () => {
    const service = await serveHttp(() => undefined);
    await service.close();
    const gone = await openTools(httpServer(service.url));
    expect(gone.tools).toEqual([]);
    expect(gone.notices).toEqual([expect.stringContaining('ECONNREFUSED')]);
  });

  it('that sends elsewhere is not followed with the headers', async () => {
    const reached: string[] = [];
    const other = await keep(
      serveHttp((request, response) => {
        reached.push(request.url ?? '');
        response.end();
      }),
    );
    const service = await keep(serveHttp((_, response) => response.writeHead(307, { location: other.url }).end()));
    const mail = await openTools(httpServer(service.url, { headers: { Authorization: 'secret' } }));
    expect(mail.tools).toEqual([]);
    expect(reached).toEqual([]);
  });
});

describe('a call over HTTP without an answer', () => {
  const unknown = { unknown: true, output: { type: 'error-text', value: expect.stringContaining('may have done it') } };

  it('is unknown when the connection breaks, before the answer or in it', async () => {
    const before = await speakByHand((_, response) => response.destroy());
    const within = await speakByHand((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '900' });
      response.write('{"jsonrpc":');
      setImmediate(() => response.destroy());
    });
    for (const { url } of [before, within]) {
      const hand = await openTools(httpServer(url));
      expect(await hand.call('go')).toMatchObject(unknown);
      await hand.close();
    }
  });

  it('is unknown at once when a stream ends without it', async () => {
    const service = await speakByHand((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(': nothing to say\n\n');
    });
    const hand = await openTools(httpServer(service.url));
    expect(await hand.call('go')).toMatchObject(unknown);
    await hand.close();
  });

  it.each([500, 502, 408])('is unknown when something on the way answers %d', async (status) => {
    const service = await speakByHand((_, response) => response.writeHead(status).end('<html>'));
    const hand = await openTools(httpServer(service.url));
    expect(await hand.call('go')).toMatchObject(unknown);
    await hand.close();
  });

  it.each([400, 401, 403, 404])('is an error when the server refuses it with %d', async (status) => {
    const service = await speakByHand((_, response) => response.writeHead(status).end('no'));
    const hand = await openTools(httpServer(service.url));
    const answer = await hand.call('go');
    expect(answer).toMatchObject({ output: { type: 'error-text', value: expect.stringContaining(`HTTP ${status}`) } });
    expect(answer.unknown).toBeUndefined();
    await hand.close();
  });

  it('is unknown when the answer is larger than the limit', async () => {
    const service = await speakByHand((id, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const text = 'x'.repeat(17 * 1024 * 1024);
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } }));
    });
    const hand = await openTools(httpServer(service.url));
    expect(await hand.call('go')).toMatchObject(unknown);
    await hand.close();
  });

  it('was not sent when nothing is there any more', async () => {
    const service = await speakByHand(() => undefined);
    const hand = await openTools(httpServer(service.url));
    await service.close();
    // Over a connection kept from before, a request may have been taken by whoever closed it.
    const call = async () => {
      const { output, unknown: isUnknown } = await hand.call('go');
      return [output.type, String(output.value).includes('was not called'), isUnknown];
    };
    await expect.poll(call, PATIENCE).toEqual(['error-text', true, undefined]);
    await hand.close();
  });
});
