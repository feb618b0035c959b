/** Names of the tools every session has: what reads rules needs them, and none of the tools. */
import { findNearest } from '@ramet/core/text';

export const TOOL_NAMES = ['read_file', 'write_file', 'edit_file', 'list_files', 'search', 'shell'] as const;

/** Why no rule can be about a tool of this name; null for a tool there is, and for `*`. */
export function findToolProblem(name: string): string | null {
  const names: readonly string[] = TOOL_NAMES;
  if (name === '*' || names.includes(name)) return null;
  const near = findNearest(name, names);
  const hint = near === undefined ? '' : ` (did you mean ${near}?)`;
  return `there is no tool '${name}'${hint}; the tools are ${names.join(', ')}, and * for all`;
}
