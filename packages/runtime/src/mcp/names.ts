/**
 * Names of MCP tools as models see them: `mcp__<server>__<tool>`, in the alphabet and length every provider takes.
 *
 * 1. A tool whose name fits keeps it, whatever else its server lists.
 * 2. One that does not fit is shortened and marked with a digest of its name; no two tools share a name.
 */
import { sha256 } from '../store/index.ts';

const LONGEST = 64;
const UNFIT = /[^a-zA-Z0-9_-]/g;
/** Hexadecimal digits of the digest: more only where another tool took the shorter name. */
const MARK_LENGTHS = [8, 16, 24] as const;

/** A name for each of a server's tools, by the server's own name; null where none is left. */
export function nameTools(server: string, tools: readonly string[]): ReadonlyMap<string, string | null> {
  const prefix = `mcp__${server}__`;
  const names = new Map<string, string | null>();
  const taken = new Set<string>();
  const give = (tool: string, name: string | undefined): void => {
    names.set(tool, name ?? null);
    if (name !== undefined) taken.add(name);
  };
  const fits = (tool: string): boolean => tool !== '' && tool.search(UNFIT) === -1 && fitsIn(prefix, tool);
  for (const tool of tools) if (fits(tool)) give(tool, prefix + tool);
  for (const tool of tools) {
    if (names.has(tool)) continue;
    give(
      tool,
      MARK_LENGTHS.map((length) => shorten(prefix, tool, length)).find((name) => !taken.has(name)),
    );
  }
  return names;
}

function fitsIn(prefix: string, tool: string): boolean {
  return prefix.length + tool.length <= LONGEST;
}

function shorten(prefix: string, tool: string, markLength: number): string {
  const mark = sha256(tool.toWellFormed()).slice(0, markLength);
  const room = LONGEST - prefix.length - mark.length - 1;
  const start = tool.slice(0, Math.max(0, room)).replaceAll(UNFIT, '_');
  return start === '' ? `${prefix}${mark}` : `${prefix}${start}_${mark}`;
}
