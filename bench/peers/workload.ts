/** What every system under measurement is given alike, and how its figures are put together. */
import { createHash } from 'node:crypto';
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** A text of this many bytes that no two steps share and that no database can pack. */
export function makeText(seed: number, bytes: number): string {
  let text = '';
  for (let part = 0; text.length < bytes; part += 1) {
    text += createHash('sha512').update(`${seed}:${part}`).digest('base64');
  }
  return text.slice(0, bytes);
}

/** Lines of a file that only ever grows by lines. */
export function countLines(text: string): number {
  return text.split('\n').length - 1;
}

/** What one fork cost. */
export interface ForkSample {
  /** From the call that forks to the start of the first step that runs again. */
  readonly firstStepMs: number;
  /** Growth of what is stored, up to that start. */
  readonly bytesAtFirstStep: number;
  /** The same, up to the end of the child. */
  readonly bytesAtEnd: number;
}

/** The least of the times, the means of the bytes. */
export function sumUpForks(samples: readonly ForkSample[]): ForkSample {
  return {
    firstStepMs: Math.min(...samples.map(({ firstStepMs }) => firstStepMs)),
    bytesAtFirstStep: mean(samples.map(({ bytesAtFirstStep }) => bytesAtFirstStep)),
    bytesAtEnd: mean(samples.map(({ bytesAtEnd }) => bytesAtEnd)),
  };
}

function mean(values: readonly number[]): number {
  return Math.round(values.reduce((sum, value) => sum + value, 0) / values.length);
}

/** What the disk takes, at the moment, for one write of a kilobyte and its sync: the middle of many, in milliseconds. */
export function measureSync(folder: string): number {
  const fd = openSync(join(folder, 'sync'), 'a', 0o600);
  const line = Buffer.alloc(1000, 'x');
  const times = Array.from({ length: 201 }, () => {
    const started = performance.now();
    writeSync(fd, line);
    fdatasyncSync(fd);
    return performance.now() - started;
  });
  closeSync(fd);
  return times.sort((left, right) => left - right)[100] ?? Number.NaN;
}
