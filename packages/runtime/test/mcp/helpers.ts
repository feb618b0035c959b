/** MCP servers for tests: configurations, tools, and one call of a tool as a turn would make it. */
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type {
  HttpServerConfig,
  McpServerConfig,
  McpTools,
  McpToolsRequest,
  StdioServerConfig,
} from '../../src/mcp/index.ts';
import { openMcpTools } from '../../src/mcp/index.ts';
import type { ToolAnswer, ToolContext } from '../../src/tools/types.ts';

/** How long a busy machine may take until something is there. */
export const PATIENCE = { timeout: 30_000 };
export const SERVERS = join(import.meta.dirname, 'servers');

const SETTINGS = { name: 'mail', folder: SERVERS, trusted: false, effects: {}, volatile: {} } as const;

/** A reference to a variable, as a file has it. */
export function variable(name: string): string {
  return `\${${name}}`;
}

/** The mail server over its standard input and output. */
export function mailServer(outbox: string, more: Partial<StdioServerConfig> = {}): StdioServerConfig {
  const args = [join(SERVERS, 'mail.ts'), outbox];
  return { kind: 'stdio', ...SETTINGS, command: process.execPath, args, env: {}, ...more };
}

/** A hostile server. */
export function hostileServer(
  kind: string,
  file = '/dev/null',
  more: Partial<StdioServerConfig> = {},
): StdioServerConfig {
  const args = [join(SERVERS, 'hostile.ts'), kind, file];
  return { ...mailServer(file), name: kind, args, ...more };
}

/** A server at an address. */
export function httpServer(url: string, more: Partial<HttpServerConfig> = {}): HttpServerConfig {
  return { kind: 'http', ...SETTINGS, url, headers: {}, ...more };
}

export interface OpenedTools extends McpTools {
  readonly notices: readonly string[];
  /** Makes one call; the tool is named as its server does. */
  call(tool: string, input?: unknown, context?: Partial<ToolContext>): Promise<ToolAnswer>;
}

/** Connects one server. */
export async function openTools(server: McpServerConfig, options: Partial<McpToolsRequest> = {}): Promise<OpenedTools> {
  const notices: string[] = [];
  const { signal } = new AbortController();
  const onNotice = (text: string): void => {
    notices.push(text);
  };
  const opened = await openMcpTools({ servers: [server], env: process.env, signal, onNotice, ...options });
  const call = (name: string, input: unknown = {}, context: Partial<ToolContext> = {}): Promise<ToolAnswer> => {
    const tool = opened.tools.find((candidate) => candidate.name === `mcp__${server.name}__${name}`);
    if (tool === undefined) throw new Error(`no tool ${name}; there are ${opened.tools.map((one) => one.name)}`);
    // A server's tool looks at these parts of the context alone.
    return tool.run(input, { signal, outputLimitBytes: 64 * 1024, ...context } as ToolContext);
  };
  return { ...opened, notices, call };
}

/** The lines of a file, as JSON; none when there is no file. */
export function readLines(file: string): readonly unknown[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as unknown);
}

export interface HttpService {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves on loopback. */
export async function serveHttp(
  listener: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<HttpService> {
  const server: Server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}/mcp`, close };
}

/** Serves a handler of web-standard requests, as the server library has them. */
export function serveWeb(handle: (request: Request) => Promise<Response>): Promise<HttpService> {
  return serveHttp((incoming, outgoing) => {
    void answerWeb(handle, incoming, outgoing);
  });
}

async function answerWeb(
  handle: (request: Request) => Promise<Response>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const { method = 'GET', url = '/' } = incoming;
  const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)]);
  const body = chunks.length === 0 ? null : Buffer.concat(chunks);
  const response = await handle(new Request(`http://127.0.0.1${url}`, { method, headers, body }));
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  for await (const chunk of response.body ?? []) outgoing.write(chunk);
  outgoing.end();
}
