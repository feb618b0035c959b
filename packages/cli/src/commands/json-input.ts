/** Reads JSON that a person gives: on the command line, in a file, on standard input. */
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { isRefusal, type Refusal, refuse } from '@ramet/core/codes';
import { escapeLine, renderJson, truncateText } from '@ramet/core/text';
import type { CliContext } from '../context.ts';

/** A value that was read; a box, because JSON may look like anything, a refusal too. */
export interface ReadJson {
  readonly value: unknown;
}

const LIMIT_BYTES = 64 * 1024 * 1024;

/** Reads `<json>`, `@<file>` or `-`; `name` is the flag or argument, for messages. */
export async function readJson(context: CliContext, name: string, text: string): Promise<ReadJson | Refusal> {
  if (text === '-') return parseJson(`${name} (standard input)`, decode(await context.stdin.read()));
  if (!text.startsWith('@')) return parseJson(name, text);
  const read = readText(context, text.slice(1));
  return isRefusal(read) ? read : parseJson(`${name} (${text.slice(1)})`, read.text);
}

/** Reads a file that a person names. */
export function readText(context: CliContext, file: string): { readonly text: string } | Refusal {
  const path = resolve(context.cwd, file);
  try {
    const stats = statSync(path);
    if (!stats.isFile()) return refuse('bad_usage', `cannot read ${path}: it is not a file`);
    if (stats.size > LIMIT_BYTES) return refuse('bad_usage', `cannot read ${path}: it is larger than 64 MiB`);
    return { text: decode(readFileSync(path)) };
  } catch (error) {
    return refuse('bad_usage', `cannot read ${path}: ${(error as NodeJS.ErrnoException).code ?? 'unreadable'}`);
  }
}

function decode(bytes: Uint8Array): string {
  // Also takes a mark of the byte order off.
  return new TextDecoder('utf-8').decode(bytes);
}

function parseJson(name: string, text: string): ReadJson | Refusal {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    const shown = text.trim() === '' ? 'it is empty' : `it begins ${renderJson(text.slice(0, 60))}`;
    return refuse('bad_usage', `${name} is not JSON: ${truncateText(escapeLine(shown), 200)}`);
  }
}
