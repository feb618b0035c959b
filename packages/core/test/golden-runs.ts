/** The golden logs of test/golden/log-v1, and what to derive from them; the same code runs in Node and in the bundle. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const GOLDEN = join(import.meta.dirname, '../../../test/golden/log-v1');

/** One run as plain data, so that it can cross into another realm. */
export interface GoldenRun {
  readonly name: string;
  /** Text of each segment, in order. */
  readonly segments: readonly string[];
  /** Payload text by digest. */
  readonly payloads: Readonly<Record<string, string>>;
}

/** Reads the golden runs, by name. */
export function readGoldenRuns(): readonly GoldenRun[] {
  const runs = join(GOLDEN, 'runs');
  return readdirSync(runs)
    .sort()
    .map((name) => {
      const log = join(runs, name, 'log');
      const segments = readdirSync(log).filter((file) => file.endsWith('.jsonl'));
      return {
        name,
        segments: segments.sort().map((file) => readFileSync(join(log, file), 'utf8')),
        payloads: readPayloads(join(runs, name, 'blobs')),
      };
    });
}

function readPayloads(folder: string): Record<string, string> {
  try {
    return Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
  } catch {
    return {};
  }
}
