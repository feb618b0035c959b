/**
 * What a server says its tools are: hostile text, kept within limits. What is left out is said.
 *
 * 1. Input schemas go to the model as they are, and are never compiled or run here.
 * 2. A hint about a tool's effect counts only where the operator trusts the server; the operator's own word stands
 *    above it, in both directions.
 */
import type { Tool as ListedTool } from '@modelcontextprotocol/client';
import { escapeLine, findNearest, renderCount } from '@ramet/core/text';
import type { Effect } from '../tools/types.ts';
import { nameTools } from './names.ts';
import type { McpServerConfig } from './types.ts';

/** Most tools of one server. */
export const MAX_SERVER_TOOLS = 256;
const MAX_SCHEMA_BYTES = 64 * 1024;
/** Of all schemas of a server. */
const MAX_SCHEMAS_BYTES = 1024 * 1024;
const MAX_DESCRIPTION = 8 * 1024;
const SHOWN_NAMES = 5;

/** A tool that can be offered to a model. */
export interface ToolDefinition {
  /** As models see it. */
  readonly name: string;
  /** As the server knows it. */
  readonly tool: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly effect: Effect;
  readonly volatile: readonly string[];
}

export interface Definitions {
  readonly tools: readonly ToolDefinition[];
  /** What a person should know, in sentences without the server's name. */
  readonly problems: readonly string[];
}

/** Makes definitions of what a server lists. */
export function makeDefinitions(config: McpServerConfig, listed: readonly ListedTool[]): Definitions {
  const byName = new Map<string, ListedTool>();
  for (const tool of listed) if (!byName.has(tool.name)) byName.set(tool.name, tool);
  const sifted = sift([...byName.values()]);
  const names = nameTools(
    config.name,
    sifted.kept.map(({ name }) => name),
  );
  const tools = sifted.kept.flatMap((tool): readonly ToolDefinition[] => {
    const name = names.get(tool.name);
    if (name === undefined || name === null) return [];
    return [
      {
        name,
        tool: tool.name,
        description: describe(tool),
        inputSchema: tool.inputSchema,
        effect: judgeEffect(config, tool),
        volatile: ownEntry(config.volatile, tool.name) ?? [],
      },
    ];
  });
  return { tools, problems: [...sifted.problems, ...findStrangers(config, [...byName.keys()])] };
}

function sift(listed: readonly ListedTool[]): { readonly kept: readonly ListedTool[]; readonly problems: string[] } {
  const unfit: string[] = [];
  const kept: ListedTool[] = [];
  let left = MAX_SCHEMAS_BYTES;
  for (const tool of listed.slice(0, MAX_SERVER_TOOLS)) {
    const bytes = measureSchema(tool.inputSchema);
    if (bytes === null || bytes > left) unfit.push(tool.name);
    else {
      left -= bytes;
      kept.push(tool);
    }
  }
  const problems: string[] = [];
  if (unfit.length > 0) problems.push(`left out because their input schemas are too large: ${renderNames(unfit)}`);
  const more = listed.length - MAX_SERVER_TOOLS;
  if (more > 0) problems.push(`lists more than ${MAX_SERVER_TOOLS} tools: ${renderCount(more, 'tool')} left out`);
  return { kept, problems };
}

/** Bytes of a schema; null when it is too large to pass on. */
function measureSchema(schema: unknown): number | null {
  const bytes = Buffer.byteLength(JSON.stringify(schema));
  return bytes > MAX_SCHEMA_BYTES ? null : bytes;
}

function describe({ name, title, description = title ?? name }: ListedTool): string {
  const text = description.toWellFormed();
  return text.length > MAX_DESCRIPTION ? `${text.slice(0, MAX_DESCRIPTION).toWellFormed()} [cut]` : text;
}

function judgeEffect({ effects, trusted }: McpServerConfig, { name, annotations }: ListedTool): Effect {
  const said = ownEntry(effects, name);
  if (said !== undefined) return said;
  if (!trusted) return 'write';
  if (annotations?.readOnlyHint === true) return 'read';
  return annotations?.idempotentHint === true ? 'idempotent' : 'write';
}

/** Entries of the configuration about tools there are not: a slip of the pen would leave a guard where none is wanted. */
function findStrangers({ effects, volatile }: McpServerConfig, names: readonly string[]): readonly string[] {
  return Object.entries({ effects, volatile }).flatMap(([key, entries]) =>
    Object.keys(entries)
      .filter((name) => !names.includes(name))
      .map((name) => {
        const near = findNearest(name, names);
        const hint = near === undefined ? '' : ` (did you mean ${escapeLine(near)}?)`;
        return `${key} names a tool it does not have: ${escapeLine(name)}${hint}`;
      }),
  );
}

/** An entry of its own: a tool may be called `constructor`. */
function ownEntry<T>(entries: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(entries, name) ? entries[name] : undefined;
}

function renderNames(names: readonly string[]): string {
  const shown = names.slice(0, SHOWN_NAMES).map((name) => escapeLine(name.slice(0, 80)));
  const more = names.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
}
