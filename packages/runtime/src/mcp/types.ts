import type { Effect } from '../tools/types.ts';

interface ServerSettings {
  /** As in `mcp__<name>__<tool>`: lower case, digits, `-`, single `_`. */
  readonly name: string;
  /** Folder of the file that names it: where the program starts without a `cwd`, and what a relative one starts from. */
  readonly folder: string;
  /** The operator believes what the server says of its tools' effects. */
  readonly trusted: boolean;
  /** The operator's word on a tool's effect, by the server's own name of the tool. */
  readonly effects: Readonly<Record<string, Effect>>;
  /** Input fields that differ between two calls which are the same write, by the server's own name of the tool. */
  readonly volatile: Readonly<Record<string, readonly string[]>>;
  /** How long one call may take; absent: two minutes. */
  readonly timeoutMs?: number;
}

/** A server that is a program of the person's, talked to over its standard input and output. */
export interface StdioServerConfig extends ServerSettings {
  readonly kind: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  /** Values may hold `${NAME}`. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** A server at an address, talked to over streamable HTTP. */
export interface HttpServerConfig extends ServerSettings {
  readonly kind: 'http';
  readonly url: string;
  /** Values may hold `${NAME}`. */
  readonly headers: Readonly<Record<string, string>>;
}

/** One server as the configuration names it. */
export type McpServerConfig = StdioServerConfig | HttpServerConfig;
