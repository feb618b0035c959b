/** Reads back from the store, as plain files, what the demonstration says. */
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface StoredEvent {
  readonly type: string;
  readonly seq: number;
  readonly [field: string]: unknown;
}

/** The lines of a run's log as bytes, each with its newline. */
export function readLines(home: string, run: string): readonly Buffer[] {
  const folder = join(home, 'runs', run, 'log');
  const names = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  const bytes = Buffer.concat(names.sort().map((name) => readFileSync(join(folder, name))));
  const lines: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0x0a, start) + 1;
    lines.push(bytes.subarray(start, end));
    start = end;
  }
  return lines;
}

/** The events of a run's log. */
export function readEvents(home: string, run: string): readonly StoredEvent[] {
  return readLines(home, run).map((line) => JSON.parse(line.toString('utf8')) as StoredEvent);
}

/** The digest of a log at a line: SHA-256 of the line without its newline. */
export function digestOf(line: Buffer): string {
  return createHash('sha256').update(line.subarray(0, -1)).digest('hex');
}

/** What the last test run of a log printed: `tests exit 0`. */
export function lastTestExit(events: readonly StoredEvent[]): number {
  const results = events.filter((event) => event.type === 'tool.result').map((event) => JSON.stringify(event.output));
  const found = results.findLast((output) => /tests exit \d+/.test(output)) ?? '';
  const code = /tests exit (\d+)/.exec(found)?.[1];
  if (code === undefined) throw new Error('no test run is recorded');
  return Number(code);
}

/** Bytes of a run's files that no other run holds: what its removal frees. */
export function ownBytes(home: string, run: string): number {
  const entries = readdirSync(join(home, 'runs', run), { recursive: true, withFileTypes: true });
  const stats = entries
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => lstatSync(join(parentPath, name)));
  return stats.filter(({ nlink }) => nlink === 1).reduce((sum, { size }) => sum + size, 0);
}
