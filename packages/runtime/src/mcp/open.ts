/**
 * The tools of all configured MCP servers, for one turn.
 *
 * 1. Servers are connected at once, each within a time limit. One that fails is told and has no tools; nothing here
 *    rejects because of a server.
 * 2. `close` ends every connection and every program.
 */
import { escapeLine, renderCount } from '@ramet/core/text';
import type { Tool } from '../tools/types.ts';
import type { Connection } from './connection.ts';
import type { McpServerConfig } from './types.ts';

const CONNECT_TIMEOUT_MS = 30_000;
/** Most tools of all servers together: each is named in the log at every turn. */
const MAX_TOOLS = 1_000;

export interface McpToolsRequest {
  readonly servers: readonly McpServerConfig[];
  /** The person's environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** A sentence for a person; what servers said in it is escaped. */
  readonly onNotice: (text: string) => void;
  /** Folders an agent can write: no program is started from them. */
  readonly writable?: readonly string[];
  /** How long a server may take until its tools are listed; absent: 30 s. */
  readonly connectTimeoutMs?: number;
}

export interface McpTools {
  readonly tools: readonly Tool[];
  close(): Promise<void>;
}

/** Connects the servers and answers their tools. */
export async function openMcpTools(request: McpToolsRequest): Promise<McpTools> {
  const { servers, onNotice } = request;
  if (servers.length === 0) return { tools: [], close: async () => {} };
  // The library takes a while to load, and most turns have no server.
  const { connectServer } = await import('./connection.ts');
  const { env, signal, writable = [], connectTimeoutMs: timeoutMs = CONNECT_TIMEOUT_MS } = request;
  const opened = await Promise.all(
    servers.map(async (config) => ({
      config,
      answer: await connectServer(config, { env, signal, writable, timeoutMs }),
    })),
  );
  const connections: Connection[] = [];
  const tools: Tool[] = [];
  for (const { config, answer } of opened) {
    const say = (text: string): void => onNotice(escapeLine(`MCP server ${config.name}: ${text}`));
    if (typeof answer === 'string') {
      if (!signal.aborted) say(`not available: ${answer}`);
      continue;
    }
    connections.push(answer);
    const offered = await offerTools(config, answer, say);
    const room = MAX_TOOLS - tools.length;
    if (offered.length > room)
      say(`all servers together have more than ${MAX_TOOLS} tools: ${offered.length - room} left out`);
    tools.push(...offered.slice(0, room));
  }
  return {
    tools,
    close: async () => {
      await Promise.all(connections.map((connection) => connection.close()));
    },
  };
}

async function offerTools(
  config: McpServerConfig,
  connection: Connection,
  say: (text: string) => void,
): Promise<readonly Tool[]> {
  const [{ makeDefinitions }, { makeMcpTool }] = await Promise.all([import('./definitions.ts'), import('./tool.ts')]);
  const { tools, problems } = makeDefinitions(config, connection.listed);
  for (const problem of problems) say(problem);
  if (connection.malformed > 0)
    say(
      `${renderCount(connection.malformed, 'entry', 'entries')} of its list left out: no tools, or nested too deeply`,
    );
  const { name: server, timeoutMs } = config;
  return tools.map((definition) => makeMcpTool({ definition, server, connection, timeoutMs }));
}
