import { type Dirent, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { renderCount } from '@ramet/core';
import * as z from 'zod';
import { answerText, makeTool } from './definition.ts';
import { kindOf, locate, ToolProblem } from './file-access.ts';
import { renderName } from './text.ts';
import type { Tool, ToolContext } from './types.ts';

const DEFAULT_DEPTH = 2;
const MAX_DEPTH = 20;
const MAX_ENTRIES = 2_000;
/** Listed by name; their content only when asked for by path. */
const CLOSED_FOLDERS = new Set(['.git', 'node_modules', '.venv']);

type Entry = Dirent<Buffer>;

interface Listing {
  readonly lines: string[];
  bytes: number;
  full: boolean;
  readonly limitBytes: number;
}

/** `list_files`: what a folder holds. */
export const listFilesTool: Tool = makeTool({
  name: 'list_files',
  description: `List a folder, ${DEFAULT_DEPTH} levels deep unless \`depth\` says otherwise. Folders end in /, links show their target. ${[...CLOSED_FOLDERS].join(', ')} are not entered unless named as \`path\`.`,
  input: z.object({ path: z.string().optional(), depth: z.int().min(1).max(MAX_DEPTH).optional() }),
  effect: 'read',
  subject: ({ path }) => path ?? '.',
  run: ({ path = '.', depth = DEFAULT_DEPTH }, context) => answerText(listFolder(path, depth, context)),
});

function listFolder(path: string, depth: number, context: ToolContext): string {
  const resolved = locate(path, context);
  if (resolved.kind === 'missing') throw new ToolProblem(`${JSON.stringify(path)} does not exist.`);
  if (!resolved.stat.isDirectory())
    throw new ToolProblem(`${JSON.stringify(path)} is ${kindOf(resolved.stat)}, not a folder.`);
  const listing: Listing = { lines: [], bytes: 0, full: false, limitBytes: context.outputLimitBytes };
  addFolder(listing, { folder: Buffer.from(resolved.hostPath), shown: '', depth });
  if (listing.full) listing.lines.push(`[there is more: list a folder of it, or use a smaller depth]`);
  return listing.lines.length === 0 ? '[the folder is empty]' : listing.lines.join('\n');
}

interface Level {
  readonly folder: Buffer;
  /** What its names are prefixed with. */
  readonly shown: string;
  readonly depth: number;
}

function addFolder(listing: Listing, level: Level): void {
  const entries = readdirSync(level.folder, { withFileTypes: true, encoding: 'buffer' }) as Entry[];
  for (const entry of entries.sort((one, other) => Buffer.compare(one.name, other.name))) {
    const host = Buffer.concat([level.folder, Buffer.from('/'), entry.name]);
    const shown = level.shown + renderName(entry.name);
    if (!addLine(listing, shown + describe(entry, host))) return;
    if (!entry.isDirectory() || level.depth <= 1 || CLOSED_FOLDERS.has(entry.name.toString())) continue;
    try {
      addFolder(listing, { folder: host, shown: `${shown}/`, depth: level.depth - 1 });
    } catch (error) {
      if (!addLine(listing, `${shown}/ [not readable: ${(error as NodeJS.ErrnoException).code}]`)) return;
    }
    if (listing.full) return;
  }
}

function addLine(listing: Listing, line: string): boolean {
  listing.bytes += Buffer.byteLength(line) + 1;
  listing.full = listing.bytes > listing.limitBytes || listing.lines.length >= MAX_ENTRIES;
  if (!listing.full) listing.lines.push(line);
  return !listing.full;
}

function describe(entry: Entry, host: Buffer): string {
  if (entry.isDirectory()) return '/';
  if (entry.isSymbolicLink()) return ` -> ${renderName(readlinkSync(host, { encoding: 'buffer' }))}`;
  if (!entry.isFile()) return ` [${kindOf(entry)}]`;
  const { size } = lstatSync(host);
  return `  ${renderCount(size, 'byte')}`;
}
