import type { McpServerConfig } from '../mcp/types.ts';
import type { PermissionRule } from '../session/types.ts';

/** What the person's and the project's `ramet.json` amount to. */
export interface Configuration {
  readonly rules: readonly PermissionRule[];
  readonly model?: string;
  readonly carry: readonly string[];
  /** Each name once. */
  readonly mcpServers: readonly McpServerConfig[];
  readonly captureIgnored: boolean;
  /** The command that checks the files of a session: a line for the shell. */
  readonly check?: string;
  /** The project's file was confirmed, or is by this very command, or there is none. */
  readonly trusted: boolean;
  /** It was confirmed as it is now, whatever this command says. */
  readonly confirmed: boolean;
  /** What was not used because the file is not confirmed; for a warning. */
  readonly ignored: readonly string[];
  /** The project's file and its digest, when there is one. */
  readonly project?: { readonly path: string; readonly digest: string };
}
