/**
 * The only way out of a sandbox with `--allow-net`: an HTTP proxy (CONNECT and absolute URLs) on a private socket, made
 * for one call.
 *
 * 1. A destination is recorded before the first packet for it leaves, the look-up of its name included: a name can
 *    carry data out too.
 * 2. Names are resolved here, and the connection goes to the address that was judged: no second look-up.
 * 3. What the rules do not name is answered with 403 and a sentence, and recorded as refused.
 *
 * Not covered: inside a CONNECT tunnel to an allowed host, what is said is not looked at.
 */
import { lookup } from 'node:dns/promises';
import { closeSync, openSync, rmSync } from 'node:fs';
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  request as sendRequest,
} from 'node:http';
import { connect, isIP, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { Failure } from '@ramet/core/codes';
import {
  type Destination,
  type HostRule,
  isAddressAllowed,
  isAllowed,
  parseDestination,
  parseHostRule,
  renderDestination,
} from './host-rules.ts';
import { makeTemporaryFolder } from './temporary.ts';

export interface NetworkProxy {
  /** Host path of the socket. */
  readonly socketPath: string;
  /** `host:port` of everything connected to, in order, each once. */
  egress(): readonly string[];
  /** `host:port` of everything refused. */
  refused(): readonly string[];
  /** Ends every connection and removes the socket. */
  close(): Promise<void>;
}

interface ProxyState {
  readonly rules: readonly HostRule[];
  readonly reached: Set<string>;
  readonly refused: Set<string>;
  readonly onRefused: (sentence: string) => void;
  readonly sockets: Set<Duplex>;
}

const CONNECT_TIMEOUT_MS = 30_000;
/** Meant for one connection only (RFC 9110, 7.6.1). */
const HOP_HEADERS = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];
const REFUSED_REMEMBERED = 1_000;

/** Opens a proxy that lets these hosts through; throws `Failure('bad_config')` for a rule that cannot be read. */
export async function openNetworkProxy(
  hosts: readonly string[],
  onRefused: (sentence: string) => void = () => {},
): Promise<NetworkProxy> {
  const state: ProxyState = {
    rules: hosts.map(readRule),
    reached: new Set(),
    refused: new Set(),
    onRefused,
    sockets: new Set(),
  };
  const folder = makeTemporaryFolder('net');
  const server = createServer(
    (request, response) => void forward(state, request, response).catch(() => response.destroy()),
  );
  server.on(
    'connect',
    (request: IncomingMessage, socket: Duplex, head: Buffer) =>
      void tunnel(state, { authority: request.url ?? '', client: socket, head }),
  );
  server.on('upgrade', (_request, socket: Duplex) =>
    answer(socket, 501, 'Upgrading a plain connection is not supported; use https.'),
  );
  server.on('connection', (socket: Socket) => track(state, socket));
  server.on('clientError', (_error, socket: Duplex) => answer(socket, 400, 'The request could not be read.'));
  try {
    await listenIn(server, folder);
  } catch (cause) {
    rmSync(folder, { recursive: true, force: true });
    throw new Failure(
      'process_failed',
      `Could not open the network proxy in ${JSON.stringify(folder)}: ${(cause as Error).message}.`,
      { cause },
    );
  }
  return {
    socketPath: join(folder, 'socket'),
    egress: () => [...state.reached],
    refused: () => [...state.refused],
    close: () => closeProxy(server, state, folder),
  };
}

function readRule(text: string): HostRule {
  const rule = parseHostRule(text);
  if (rule !== null) return rule;
  throw new Failure(
    'bad_config',
    `${JSON.stringify(text)} is no host to allow: write example.org, *.example.org or host:port.`,
  );
}

/** Binds through an open folder: a socket's own path may hold 107 bytes only, and TMPDIR may be longer. */
async function listenIn(server: Server, folder: string): Promise<void> {
  const descriptor = openSync(folder, 'r');
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(`/proc/self/fd/${descriptor}/socket`, resolve);
    });
  } finally {
    closeSync(descriptor);
  }
}

async function closeProxy(server: Server, state: ProxyState, folder: string): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  for (const socket of state.sockets) socket.destroy();
  await closed;
  rmSync(folder, { recursive: true, force: true });
}

interface Tunnel {
  readonly authority: string;
  readonly client: Duplex;
  /** What the client sent behind its request, without waiting for an answer. */
  readonly head: Buffer;
}

async function tunnel(state: ProxyState, { authority, client, head }: Tunnel): Promise<void> {
  client.on('error', () => client.destroy());
  const target = await judge(state, parseDestination(authority, 443));
  if (target.kind === 'refused') return answer(client, target.status, target.reason);
  const upstream = connect({ host: target.address, port: target.port });
  track(state, upstream);
  upstream.setTimeout(CONNECT_TIMEOUT_MS, () => upstream.destroy(new Error('no answer in time')));
  upstream.once('error', (error) => answer(client, 502, `Could not connect to ${target.name}: ${error.message}.`));
  upstream.once('connect', () => {
    upstream.setTimeout(0);
    upstream.removeAllListeners('error');
    upstream.on('error', () => client.destroy());
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    if (head.length > 0) upstream.write(head);
    client.pipe(upstream).pipe(client);
  });
  client.on('close', () => upstream.destroy());
  upstream.on('close', () => client.destroy());
}

async function forward(state: ProxyState, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = URL.canParse(request.url ?? '') ? new URL(request.url ?? '') : null;
  if (url?.protocol !== 'http:')
    return reply(response, 400, 'This is a proxy: ask it for an absolute http: URL, or CONNECT.');
  const target = await judge(state, parseDestination(url.host, 80));
  if (target.kind === 'refused') return reply(response, target.status, target.reason);
  const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !HOP_HEADERS.includes(name)));
  const upstream = sendRequest({
    host: target.address,
    port: target.port,
    method: request.method ?? 'GET',
    path: `${url.pathname}${url.search}`,
    // The judged name, whatever the client put into Host.
    headers: { ...headers, host: url.host },
    agent: false,
    timeout: CONNECT_TIMEOUT_MS,
  });
  upstream.on('socket', (socket) => track(state, socket));
  upstream.on('timeout', () => upstream.destroy(new Error('no answer in time')));
  upstream.on('error', (error) => reply(response, 502, `Could not reach ${target.name}: ${error.message}.`));
  upstream.on('response', (answered) => passOn(answered, response));
  response.on('close', () => upstream.destroy());
  request.pipe(upstream);
}

function passOn(answered: IncomingMessage, response: ServerResponse): void {
  const kept = Object.entries(answered.headers).filter(([name]) => !HOP_HEADERS.includes(name));
  try {
    response.writeHead(answered.statusCode ?? 502, Object.fromEntries(kept));
  } catch {
    // A status or header Node takes from a server and gives to nobody (status 099).
    response.destroy();
    answered.destroy();
    return;
  }
  answered.on('error', () => response.destroy());
  answered.pipe(response);
}

type Judgement =
  | { readonly kind: 'allowed'; readonly name: string; readonly address: string; readonly port: number }
  | { readonly kind: 'refused'; readonly status: number; readonly reason: string };

async function judge(state: ProxyState, destination: Destination | null): Promise<Judgement> {
  if (destination === null) return { kind: 'refused', status: 400, reason: 'The destination could not be read.' };
  const name = renderDestination(destination);
  const refuse = (why: string): Judgement => {
    const reason = `Ramet does not let this command reach ${name}: ${why}.`;
    if (state.refused.size < REFUSED_REMEMBERED && !state.refused.has(name)) {
      state.refused.add(name);
      state.onRefused(reason);
    }
    return { kind: 'refused', status: 403, reason };
  };
  if (!isAllowed(destination, state.rules)) return refuse('it is not in the allowed hosts (--allow-net)');
  if (isIP(destination.host) === 0) state.reached.add(name);
  const addresses = await resolve(destination.host);
  if (addresses.length === 0)
    return { kind: 'refused', status: 502, reason: `The name ${destination.host} could not be resolved.` };
  const address = addresses.find((candidate) => isAddressAllowed(candidate, destination, state.rules));
  if (address === undefined)
    return refuse(`it leads to the private address ${addresses[0]}, which must be allowed by itself`);
  state.reached.add(name);
  return { kind: 'allowed', name, address, port: destination.port };
}

async function resolve(host: string): Promise<string[]> {
  if (isIP(host) !== 0) return [host];
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch {
    return [];
  }
}

function track(state: ProxyState, socket: Duplex): void {
  state.sockets.add(socket);
  // A reset must not end Ramet, whoever else listens; the sockets' other handlers say what it means.
  socket.on('error', () => undefined);
  socket.once('close', () => state.sockets.delete(socket));
}

function reply(response: ServerResponse, status: number, text: string): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
  response.end(`${text}\n`);
}

function answer(socket: Duplex, status: number, text: string): void {
  if (socket.destroyed) return;
  const body = `${text}\n`;
  socket.end(
    `HTTP/1.1 ${status} ${text.replace(/[^\x20-\x7e]/g, '?')}\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}
