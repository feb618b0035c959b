/** A run's files, read as anybody could. */
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
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

/**
 * Every file of a store with its mode, time and content: equal when nothing changed. Left out are who held a lock last,
 * and what is derived from a log.
 */
export function listStore(home: string): readonly string[] {
  const names = readdirSync(home, { recursive: true, encoding: 'utf8' }) as string[];
  return names
    .filter((name) => !/(^|\/)lock$|\.idx$/.test(name))
    .sort()
    .map((name) => {
      const path = join(home, name);
      const stats = lstatSync(path, { bigint: true });
      const mode = (stats.mode & 0o7777n).toString(8);
      if (!stats.isFile()) return `${name} ${mode}`;
      const digest = createHash('sha256').update(readFileSync(path)).digest('hex');
      return `${name} ${mode} ${stats.mtimeNs} ${digest}`;
    });
}
