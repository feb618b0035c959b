import { dirname } from 'node:path';
import type { Configuration } from '../config/index.ts';
import { isBelow, type McpServerConfig, type McpTools, openMcpTools } from '../mcp/index.ts';
import type { SessionServices, TurnObserver } from './types.ts';

export interface SessionMcpRequest {
  readonly configuration: Configuration;
  readonly request: { readonly settings: { readonly observer: Pick<TurnObserver, 'notice'> } };
  readonly signal: AbortSignal;
  /** Where the agent works: no server's program comes from there. */
  readonly workspace: string;
}

/** Connects the MCP servers of a session for a turn, and says which are passed over. */
export function openSessionMcp(services: SessionServices, open: SessionMcpRequest): Promise<McpTools> {
  const { configuration, signal, workspace } = open;
  const say = (text: string): void => open.request.settings.observer.notice?.(text);
  if (configuration.ignored.includes('mcpServers')) {
    say("the MCP servers of the project's ramet.json are not used until you confirm it: ramet trust");
  }
  const writable = [workspace, services.store.layout.runs];
  const servers = dropUnseen(configuration, writable);
  if (servers.length < configuration.mcpServers.length) {
    say(
      'the agent can write the ramet.json of this folder: its MCP servers need ramet trust, --trust-project is not enough',
    );
  }
  return openMcpTools({ servers, env: services.env, signal, onNotice: say, writable });
}

/** A flag that is given each time confirms a file nobody looked at; where an agent can write it, it may be the agent's. */
function dropUnseen({ project, confirmed, mcpServers }: Configuration, writable: readonly string[]) {
  const folder = project === undefined ? null : dirname(project.path);
  if (folder === null || confirmed || !isBelow(folder, writable)) return mcpServers;
  return mcpServers.filter((server: McpServerConfig) => server.folder !== folder);
}
