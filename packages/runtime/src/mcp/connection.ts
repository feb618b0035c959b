/**
 * A connection to one server, from its start to its end.
 *
 * 1. It asks nothing of the server that could come back as a request: no sampling, no elicitation, no roots.
 * 2. Answers are checked for their form alone. A schema a server gives is never compiled: it could be made to run for
 *    ever.
 */
import {
  type CallToolResult,
  Client,
  isSpecType,
  type Tool as ListedTool,
  type Transport,
} from '@modelcontextprotocol/client';
import { Failure } from '@ramet/core';
import { z } from 'zod';
import { isDeeperThan } from '../tools/depth.ts';
import { MAX_SERVER_TOOLS } from './definitions.ts';
import { classifyFailure, UnsentError } from './transport/failure.ts';
import { HttpTransport } from './transport/http.ts';
import { type LaunchHost, planLaunch } from './transport/launch.ts';
import { StdioTransport } from './transport/stdio.ts';
import { expandVariables } from './transport/variables.ts';
import type { McpServerConfig } from './types.ts';

const CLIENT = { name: 'ramet', version: '0.1.0' };
const MAX_PAGES = 64;
/** Of a tool with its schemas; what looks at one goes as deep as it is. */
const MAX_TOOL_DEPTH = 64;
/** How long a server at an address may take to hear that its session is over. */
const GOODBYE_MS = 1_000;

/** Tools are looked at one by one: one that is malformed must not take the others with it. */
const TOOL_PAGE = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

export interface CallRequest {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly onProgress: (message: string) => void;
}

export interface Connection {
  /** What the server lists, in its order, and how many entries are no tools or nest too deeply. */
  readonly listed: readonly ListedTool[];
  readonly malformed: number;
  readonly isOpen: boolean;
  /** What its program said last, for the end of a sentence; empty where there is none. */
  lastWords(): string;
  /** Makes one call; what it throws is for `classifyFailure`. */
  call(request: CallRequest): Promise<CallToolResult>;
  /** Ends it, and its program. */
  close(): Promise<void>;
}

export interface ConnectRequest extends LaunchHost {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Connects and lists the tools; on a failure nothing is left behind, and a sentence says why. */
export async function connectServer(config: McpServerConfig, request: ConnectRequest): Promise<Connection | string> {
  const transport = makeTransport(config, request);
  if (typeof transport === 'string') return transport;
  const client = new Client(CLIENT, { capabilities: {} });
  const limit = AbortSignal.timeout(request.timeoutMs);
  const signal = AbortSignal.any([request.signal, limit]);
  try {
    const listed = await untilAborted(signal, openClient(client, transport, { signal, timeout: request.timeoutMs }));
    return makeConnection(client, transport, listed);
  } catch (error) {
    await closeQuietly(client, transport);
    if (request.signal.aborted) return 'the turn was interrupted';
    if (limit.aborted) return `it did not answer within ${request.timeoutMs / 1000} s${quoteLastWords(transport)}`;
    const text = error instanceof Failure ? error.message : classifyFailure(error).text;
    return `${text}${quoteLastWords(transport)}`;
  }
}

function makeTransport(config: McpServerConfig, host: LaunchHost): StdioTransport | HttpTransport | string {
  if (config.kind === 'stdio') {
    const launch = planLaunch(config, host);
    return typeof launch === 'string' ? launch : new StdioTransport(launch);
  }
  const headers = expandVariables(config.headers, host.env);
  if ('missing' in headers) return `its headers name \${${headers.missing}}, which is not set`;
  return new HttpTransport(config.url, headers.values);
}

type Listed = Pick<Connection, 'listed' | 'malformed'>;

async function openClient(
  client: Client,
  transport: Transport,
  options: { readonly signal: AbortSignal; readonly timeout: number },
): Promise<Listed> {
  await client.connect(transport, options);
  const listed: ListedTool[] = [];
  let malformed = 0;
  // The library would print a note on stdout where there are none.
  if (client.getServerCapabilities()?.tools === undefined) return { listed, malformed };
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && listed.length <= MAX_SERVER_TOOLS; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await client.request({ method: 'tools/list', params }, TOOL_PAGE, options);
    for (const tool of answer.tools) {
      if (!isDeeperThan(tool, MAX_TOOL_DEPTH) && isSpecType.Tool(tool)) listed.push(tool as ListedTool);
      else malformed += 1;
    }
    cursor = answer.nextCursor;
    if (cursor === undefined) break;
  }
  return { listed, malformed };
}

function makeConnection(client: Client, transport: StdioTransport | HttpTransport, listed: Listed): Connection {
  const isOpen = () => client.transport !== undefined;
  return {
    ...listed,
    get isOpen() {
      return isOpen();
    },
    lastWords: () => quoteLastWords(transport),
    call: ({ tool, input, meta, timeoutMs, signal, onProgress }) => {
      if (!isOpen()) return Promise.reject(new UnsentError('its connection has ended'));
      const params = { name: tool, arguments: input, ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }) };
      const onprogress = ({ message }: { readonly message?: string | undefined }): void => {
        if (message !== undefined) onProgress(message);
      };
      return client.request({ method: 'tools/call', params }, { timeout: timeoutMs, signal, onprogress });
    },
    close: () => closeQuietly(client, transport),
  };
}

async function closeQuietly(client: Client, transport: StdioTransport | HttpTransport): Promise<void> {
  if (transport instanceof HttpTransport) {
    const goodbye = transport.terminateSession().catch(() => undefined);
    await untilAborted(AbortSignal.timeout(GOODBYE_MS), goodbye).catch(() => undefined);
  }
  await client.close().catch(() => undefined);
  // A client that never connected does not know its transport.
  await transport.close().catch(() => undefined);
}

/** Rejects at the abort, whatever the promise does. */
function untilAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new Error('aborted'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** The end of what a program said on its standard error, for a sentence. */
function quoteLastWords(transport: Transport): string {
  if (!(transport instanceof StdioTransport)) return '';
  const lines = transport.lastWords().trim().split('\n').slice(-3);
  const text = lines.join(' | ').slice(-400).toWellFormed();
  return text === '' ? '' : `; it said: ${text}`;
}
