/** A run's files, read as anybody could. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** An event as the log has it. */
export interface StoredEvent {
  readonly seq: number;
  readonly type: string;
  readonly [field: string]: unknown;
}

/** The whole log, as `cat log/*.jsonl` gives it. */
export function readLog(home: string, run: string): Buffer {
  const folder = join(home, 'runs', run, 'log');
  const names = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  return Buffer.concat(names.sort().map((name) => readFileSync(join(folder, name))));
}

export function readEvents(home: string, run: string): readonly StoredEvent[] {
  const lines = readLog(home, run).toString('utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as StoredEvent);
}

/** The runs of a store. */
export function listRuns(home: string): readonly string[] {
  return readdirSync(join(home, 'runs')).filter((name) => !name.startsWith('.'));
}
