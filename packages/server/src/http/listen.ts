/**
 * Listens: on TCP, and on a unix socket where there can be one.
 *
 * 1. Only this machine reaches it, unless whoever starts it says otherwise.
 * 2. Who sends slowly, or connects and sends nothing, is cut off in time and costs one connection.
 */
import { createServer, type Server, type ServerOptions } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { isRefusal, type Refusal, refuse } from '@ramet/core';
import type { App } from './app.ts';
import { type Entrance, isLoopback, makeSocketEntrance, makeTcpEntrance, renderHost } from './entrance.ts';
import { SECURITY_HEADERS } from './headers.ts';
import { describeProblemDocument, PROBLEM_TYPE, type Problem, respondProblem, statusOf } from './problem.ts';
import { closeToOthers, prepareSocket } from './unix-socket.ts';

export interface ListenOptions {
  readonly app: App;
  readonly token: string;
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** A host that other machines reach is meant. */
  readonly allowRemote: boolean;
  /** Names it is reached by besides its host (a proxy's). */
  readonly names?: readonly string[];
  /** Null: none. */
  readonly socket: string | null;
  readonly limits?: Partial<ConnectionLimits>;
}

/** What one connection may cost. */
export interface ConnectionLimits {
  /** For all headers of a request to come in, and for the whole request. */
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** How often slow senders are looked for. */
  readonly checkEveryMs: number;
  readonly connections: number;
}

const DEFAULT_LIMITS: ConnectionLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 120_000,
  checkEveryMs: 1_000,
  connections: 1_024,
};

const MAX_HEADER_BYTES = 16 * 1024;
const KEEP_ALIVE_MS = 5_000;
/** How long whoever was dismissed may take to read why. */
const DISMISSAL_MS = 500;

export interface Listening {
  /** Like `http://127.0.0.1:18473`. */
  readonly url: string;
  readonly socket: string | null;
  /** Takes no more connections, and ends those there are: idle ones at once, the others after at most so long. */
  close(graceMs: number): Promise<void>;
}

/** Listens; refuses a host that other machines reach unless that is allowed, and what is in use. */
export async function listen(options: ListenOptions): Promise<Listening | Refusal> {
  const { app, token, host, port, allowRemote, names = [], socket } = options;
  if (!isLoopback(host) && !allowRemote) {
    const message = `${host} is reached from other machines: whoever has the token acts as you; allow that by name, or bind 127.0.0.1`;
    return refuse('bad_usage', message, { host });
  }
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const occupied = socket === null ? null : await prepareSocket(socket);
  if (occupied !== null) return occupied;
  const tcp = openServer(app, makeTcpEntrance({ token, host, names }), limits);
  const failed = await bind(tcp, { host, port });
  if (isRefusal(failed)) return failed;
  const servers = [tcp];
  if (socket !== null) {
    const local = openServer(app, makeSocketEntrance(), limits);
    const unbound = await bind(local, { path: socket });
    if (isRefusal(unbound)) {
      tcp.close();
      return unbound;
    }
    closeToOthers(socket);
    servers.push(local);
  }
  const { port: bound } = tcp.address() as AddressInfo;
  return {
    url: `http://${renderHost(host)}:${bound}`,
    socket,
    close: async (graceMs) => void (await Promise.all(servers.map((server) => closeServer(server, graceMs)))),
  };
}

function openServer(app: App, entrance: Entrance, limits: ConnectionLimits): Server {
  const { headersTimeoutMs, requestTimeoutMs, checkEveryMs, connections } = limits;
  const options: ServerOptions = {
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: checkEveryMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
  };
  const respond = getRequestListener((request) => app.fetch(request, { entrance }), {
    // Of requests that are none: a target that is no URL, a host that is no name.
    errorHandler: (error) => respondProblem(explainError(error)),
  });
  const server = createServer(options, (incoming, outgoing) => void respond(incoming, outgoing));
  server.maxConnections = connections;
  server.on('clientError', (error: NodeJS.ErrnoException, connection: Socket) => dismiss(connection, error.code ?? ''));
  return server;
}

function explainError(error: unknown): Problem {
  const isTheirs = error instanceof Error && error.name === 'RequestError';
  return isTheirs
    ? { code: 'bad_usage', message: `this is no request: ${error.message}` }
    : { code: 'internal_error', message: 'unexpected: the request could not be answered' };
}

/** What the parser cannot read never becomes a request: it is answered here, and the connection ends. */
function dismiss(connection: Socket, code: string): void {
  if (!connection.writable || code === 'ECONNRESET') {
    connection.destroy();
    return;
  }
  const problem = DISMISSALS[code] ?? { code: 'bad_usage', message: 'this is no HTTP request' };
  const body = JSON.stringify(describeProblemDocument(problem));
  const headers = {
    ...SECURITY_HEADERS,
    'content-type': PROBLEM_TYPE,
    connection: 'close',
    'content-length': String(Buffer.byteLength(body)),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  connection.end(`HTTP/1.1 ${statusOf(problem.code)} ${problem.code}\r\n${lines.join('')}\r\n${body}`);
  // Who does not close its own side would keep the connection for ever. At once would be before the answer is read.
  setTimeout(() => connection.destroy(), DISMISSAL_MS).unref();
}

const DISMISSALS: Readonly<Record<string, Problem>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { code: 'request_timeout', message: 'the request did not come in in time' },
  HPE_HEADER_OVERFLOW: {
    code: 'headers_too_large',
    message: `the headers may have at most ${MAX_HEADER_BYTES} bytes`,
    data: { limitBytes: MAX_HEADER_BYTES },
  },
};

function bind(
  server: Server,
  where: { readonly host: string; readonly port: number } | { readonly path: string },
): Promise<Refusal | null> {
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => resolve(refuseBinding(where, error)));
    server.listen(where, () => resolve(null));
  });
}

function refuseBinding(where: object, { code = '', message }: NodeJS.ErrnoException): Refusal {
  const place = 'path' in where ? String(where.path) : Object.values(where).join(':');
  if (code === 'EADDRINUSE')
    return refuse(
      'owned_elsewhere',
      `${place} is in use by another program${'port' in where ? '; take another port: --port <n>, or --port 0 for any free one' : ''}`,
      { place },
    );
  return refuse('bad_usage', `cannot listen on ${place}: ${message}`, { place });
}

async function closeServer(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(timer);
}
