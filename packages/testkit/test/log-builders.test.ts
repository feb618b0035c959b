import { linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EncodedLine, RunId } from '@ramet/core';
import {
  auditStore,
  boundariesOf,
  buildSession,
  cutLog,
  encodeLog,
  makeTestId,
  runLog,
  writeLogFolder,
} from '@ramet/testkit';
import fc from 'fast-check';
import { expect, it } from 'vitest';

function withHome(use: (runs: string) => void): void {
  const home = mkdtempSync(join(tmpdir(), 'log-builders-'));
  try {
    mkdirSync(join(home, 'runs'), { mode: 0o700 });
    use(join(home, 'runs'));
  } finally {
    rmSync(home, { recursive: true });
  }
}

function problemsOf(runs: string): readonly string[] {
  return auditStore(join(runs, '..')).map(({ rule, message }) => `${rule} ${message}`);
}

const NAMES_RUN = /^(session\.(start|fork)|graph\.start)$/;

function writeRun(runs: string, lines: readonly EncodedLine[], segmentBytes?: number): readonly string[] {
  const ids = lines.flatMap(({ event }) => (NAMES_RUN.test(event.type) ? [event.id as RunId] : []));
  const folder = join(runs, ids.at(-1) ?? '');
  mkdirSync(folder, { mode: 0o700 });
  return writeLogFolder(folder, lines, segmentBytes === undefined ? {} : { segmentBytes });
}

it('the auditor finds nothing in any built log, in segments of any size', () => {
  fc.assert(
    fc.property(cutLog, fc.integer({ min: 1, max: 5000 }), ({ lines }, segmentBytes) => {
      withHome((runs) => {
        writeRun(runs, lines, segmentBytes);
        expect(problemsOf(runs)).toEqual([]);
      });
    }),
    { numRuns: 60 },
  );
});

it('the auditor finds nothing in any built log of a graph run, in segments of any size', () => {
  fc.assert(
    fc.property(runLog, fc.integer({ min: 1, max: 5000 }), (lines, segmentBytes) => {
      withHome((runs) => {
        const names = writeRun(runs, lines, segmentBytes);
        expect(names.slice(0, 2)).toEqual(['000000000000.jsonl', '000000000001.jsonl']);
        expect(problemsOf(runs)).toEqual([]);
      });
    }),
    { numRuns: 60 },
  );
});

it('a built log lies in its segments byte for byte', () => {
  const lines = encodeLog(buildSession({ turns: [{}, {}, { prompt: 'p'.repeat(300_000) }] }));
  withHome((runs) => {
    const names = writeRun(runs, lines, 1000);
    const folder = join(runs, makeTestId(1));
    expect(names.length).toBeGreaterThan(2);
    expect(readdirSync(join(folder, 'log')).sort()).toEqual(names);
    const bytes = Buffer.concat(names.map((name) => readFileSync(join(folder, 'log', name))));
    expect(bytes.equals(Buffer.concat(lines.flatMap((line) => [line.bytes, Buffer.from('\n')])))).toBe(true);
    expect(readdirSync(join(folder, 'blobs'))).toEqual(
      lines.flatMap((line) => line.payloads.map(({ digest }) => digest)),
    );
    expect(problemsOf(runs)).toEqual([]);
  });
});

it('the auditor sees when a segment is linked to a run that is no relative', () => {
  const [one, two] = [1, 2].map((number) => encodeLog(buildSession({ id: makeTestId(number), turns: [{}, {}] })));
  withHome((runs) => {
    const [first = ''] = writeRun(runs, one ?? [], 1000);
    writeRun(runs, two ?? [], 1000);
    expect(problemsOf(runs)).toEqual([]);
    rmSync(join(runs, makeTestId(2), 'log', first));
    linkSync(join(runs, makeTestId(1), 'log', first), join(runs, makeTestId(2), 'log', first));
    expect(problemsOf(runs).some((problem) => problem.startsWith('L15'))).toBe(true);
  });
});

it('the same plan gives the same bytes', () => {
  const build = () => encodeLog(buildSession({ turns: [{ replies: [{ calls: [{ cutOff: 'retry' }] }, {}] }] }));
  expect(build().at(-1)?.digest).toBe(build().at(-1)?.digest);
  expect(boundariesOf(build())).toHaveLength(1);
});
