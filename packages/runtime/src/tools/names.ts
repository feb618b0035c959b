/** Names of the tools every session has: what reads rules needs them, and none of the tools. */
import type { FileTools } from '@ramet/core';
import { findNearest } from '@ramet/core/text';

export const TOOL_NAMES = ['read_file', 'write_file', 'edit_file', 'list_files', 'search', 'shell'] as const;

const FILE_USE: Readonly<Record<(typeof TOOL_NAMES)[number], 'read' | 'write'>> = {
  read_file: 'read',
  write_file: 'write',
  edit_file: 'write',
  list_files: 'read',
  /** It runs in the sandbox, whose mount points stand in the files while it does. */
  search: 'write',
  shell: 'write',
};

/** What each of them does with files. */
export const FILE_TOOLS: FileTools = new Map(Object.entries(FILE_USE));

/** What rules may be about besides: the program of a graph's node. */
const EXEC = 'exec';

const MCP_PREFIX = 'mcp__';
/** One tool of an MCP server, or `*`: all of that server. */
const MCP_RULE = /^mcp__[a-z0-9_-]{1,32}?__(?:\*|[a-zA-Z0-9_-]{1,57})$/;

/** Whether a tool's name is one of an MCP server's tools. */
export function isMcpToolName(name: string): boolean {
  return name.startsWith(MCP_PREFIX);
}

/** Whether a rule about `wanted` is one about `tool`: by its name, as one of all, or as one of its MCP server's. */
export function coversTool(wanted: string, tool: string): boolean {
  if (wanted === '*' || wanted === tool) return true;
  return isMcpToolName(wanted) && wanted.endsWith('__*') && tool.startsWith(wanted.slice(0, -1));
}

/**
 * Why no rule can be about a tool of this name; null for a tool there is, and for `*`. Of an MCP server's tool only the
 * form is judged: which there are is known when the server runs.
 */
export function findToolProblem(name: string): string | null {
  const names: readonly string[] = [...TOOL_NAMES, EXEC];
  if (isMcpToolName(name)) {
    const isWellFormed = MCP_RULE.test(name) && name.length <= 64;
    return isWellFormed ? null : 'a tool of an MCP server is named mcp__<server>__<tool>, all of them mcp__<server>__*';
  }
  if (name === '*' || names.includes(name)) return null;
  const near = findNearest(name, names);
  const hint = near === undefined ? '' : ` (did you mean ${near}?)`;
  return `there is no tool '${name}'${hint}; the tools are ${names.join(', ')}, and * for all`;
}
