/** Scanning segments ahead of the chain: whatever a log holds, its outline is the one that following the chain gives. */
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EncodedLine } from '@ramet/core';
import { isRefusal } from '@ramet/core';
import { runLog, sessionLog } from '@ramet/testkit';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { type FolderOutline, readFolderOutline } from '../../src/store/log-folder.ts';
import { type ScanWork, scanApart } from '../../src/store/scan/claims.ts';
import { type ScannedAhead, scanAhead } from '../../src/store/scan/index.ts';
import { startScan } from '../../src/store/scan/thread.ts';
import { THREAD_URL } from '../../src/store/scan/thread-entry.ts';
import { listSegments } from '../../src/store/segments.ts';
import { FIRST, idxOf, makeHome, makeSession, openTestStore, segmentsOf } from './helpers.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** Writes a log in segments that end after about so many bytes. */
function writeLog(lines: readonly EncodedLine[], segmentBytes: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'ramet-scan-'));
  folders.push(folder);
  let bytes: Uint8Array[] = [];
  let first = 0;
  lines.forEach((line, seq) => {
    bytes.push(line.bytes, Buffer.from('\n'));
    const alone = seq === 0 && line.event.type === 'graph.start';
    const full = bytes.reduce((sum, part) => sum + part.length, 0) > segmentBytes;
    if (!alone && !full && seq < lines.length - 1) return;
    writeFileSync(join(folder, `${String(first).padStart(12, '0')}.jsonl`), Buffer.concat(bytes));
    bytes = [];
    first = seq + 1;
  });
  return folder;
}

/** Everything an outline says. */
function describeOutline(outline: FolderOutline): unknown {
  const { heads, segments, trusted, chain, damage, tornBytes } = outline;
  const details = heads.map((_, index) => outline.readDetail(index));
  return { heads, details, segments: segments.map(({ name }) => name), trusted, chain, damage, tornBytes };
}

type Damage = (paths: readonly string[], at: number) => void;

/** What may have happened to a log; `at` is from 0 to 1. */
const DAMAGE: Readonly<Record<string, Damage>> = {
  none: () => {},
  'a byte is another one': (paths, at) =>
    editOne(paths, at, (bytes, place) => bytes.fill(bytes[place] === 32 ? 33 : 32, place, place + 1)),
  'a byte is missing': (paths, at) =>
    editOne(paths, at, (bytes, place) => Buffer.concat([bytes.subarray(0, place), bytes.subarray(place + 1)])),
  'a segment is cut off': (paths, at) => editOne(paths, at, (bytes, place) => bytes.subarray(0, place)),
  'a segment ends twice': (paths, at) => editOne(paths, at, (bytes) => Buffer.concat([bytes, lastLineOf(bytes)])),
  'a last line says another time': (paths, at) =>
    editOne(paths, at, (bytes) => {
      const last = lastLineOf(bytes);
      const other = last.toString().replace(/"time":"..../, '"time":"1999');
      return Buffer.concat([bytes.subarray(0, bytes.length - last.length), Buffer.from(other)]);
    }),
  'a line is missing': (paths, at) =>
    editOne(paths, at, (bytes) => bytes.subarray(0, bytes.length - lastLineOf(bytes).length)),
  'a segment is missing': (paths, at) => rmSync(pick(paths, at)),
  'two segments are exchanged': (paths, at) => {
    const [left, right] = [pick(paths, at), pick(paths, at / 2)];
    const bytes = readFileSync(left);
    writeFileSync(left, readFileSync(right));
    writeFileSync(right, bytes);
  },
  'a segment has another name': (paths, at) =>
    renameSync(pick(paths, at), pick(paths, at).replace(/\d\.jsonl$/, '7.jsonl')),
};

function pick(paths: readonly string[], at: number): string {
  return paths[Math.floor(at * paths.length)] ?? '';
}

function editOne(paths: readonly string[], at: number, edit: (bytes: Buffer, place: number) => Uint8Array): void {
  const path = pick(paths, at);
  const bytes = readFileSync(path);
  writeFileSync(path, edit(bytes, Math.floor(((at * paths.length) % 1) * bytes.length)));
}

function lastLineOf(bytes: Buffer): Buffer {
  return bytes.subarray(bytes.lastIndexOf(0x0a, bytes.length - 2) + 1);
}

/** The work of scanning all of a log whose event 0 says nothing of the lines after it. */
function makeWork(folder: string): ScanWork {
  const segments = listSegments(folder).slice(0, -1);
  return { segments, run: null, full: false, takers: new Int32Array(new SharedArrayBuffer(segments.length * 4)) };
}

describe('scanning ahead', () => {
  it('gives the outline that following the chain gives, of any log, whatever is damaged', async () => {
    const part = fc.double({ min: 0, max: 0.999, noNaN: true });
    const damage = fc.constantFrom(...Object.keys(DAMAGE));
    const options = fc.record({
      segmentBytes: fc.integer({ min: 1, max: 4000 }),
      damage,
      at: part,
      full: fc.boolean(),
      lost: part,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(sessionLog, runLog),
        options,
        async (lines, { segmentBytes, at, full, lost, ...how }) => {
          const folder = writeLog(lines, segmentBytes);
          DAMAGE[how.damage]?.(
            listSegments(folder).map(({ path }) => path),
            at,
          );
          const scans = new Map(await scanAhead(folder, { full, leastBytes: 0, threads: 1 }));
          const expected = describeOutline(readFolderOutline(folder, { full }));
          expect(describeOutline(readFolderOutline(folder, { full, ahead: scans }))).toEqual(expected);
          scans.delete([...scans.keys()][Math.floor(lost * scans.size)] ?? '');
          expect(describeOutline(readFolderOutline(folder, { full, ahead: scans }))).toEqual(expected);
        },
      ),
      { numRuns: 80 },
    );
  });

  it('scans every segment but the last, and none that an index vouches for', async () => {
    const store = openTestStore(makeHome(), 2_000);
    await makeSession(store, 12);
    const { log } = store.pathsOf(FIRST);
    const paths = segmentsOf(store);
    expect(await scanAhead(log, { leastBytes: 0, threads: 1 })).toEqual(new Map());
    rmSync(idxOf(paths[1] ?? ''));
    const some = await scanAhead(log, { leastBytes: 0, threads: 1 });
    expect([...some.keys()].map((name) => join(log, name))).toEqual([paths[1]]);
    const all = await scanAhead(log, { full: true, leastBytes: 0, threads: 1 });
    expect([...all.keys()].sort().map((name) => join(log, name))).toEqual(paths.slice(0, -1));
    expect(await scanAhead(log, { full: true })).toEqual(new Map());
    cpSync(log, `${log}-copied`, { recursive: true });
    const copied = await scanAhead(`${log}-copied`, { leastBytes: 0, threads: 1 });
    expect(copied.size).toBe(paths.length - 1);
  });

  it('believes no scan whose segment does not follow the one before it', async () => {
    const [left = [], right = []] = fc.sample(sessionLog, { numRuns: 40, seed: 7 }).filter((lines) => lines.length > 8);
    const [folder, other] = [writeLog(left, 1), writeLog(right, 1)];
    const scans = await scanAhead(other, { leastBytes: 0, threads: 1 });
    const expected = describeOutline(readFolderOutline(folder));
    expect(scans.size).toBeGreaterThan(7);
    expect(describeOutline(readFolderOutline(folder, { ahead: new Map([...scans].slice(1)) }))).toEqual(expected);
  });

  it('serves who shares a log, in full where that is asked for', async () => {
    const store = openTestStore(makeHome(), 2_000);
    await makeSession(store, 12);
    const [, second = ''] = segmentsOf(store);
    const bytes = readFileSync(second);
    const shared = await store.share(FIRST, { full: true });
    if (isRefusal(shared)) throw new Error(shared.message);
    expect(shared.readOutline({ full: true })).toBe(shared.readOutline());
    expect(shared.readOutline().damage).toBeNull();
    expect(readFileSync(second)).toEqual(bytes);
    shared.close();
  });
});

describe('a thread that scans', () => {
  it('takes every segment nobody took, says what this thread would say, and ends', async () => {
    const [lines = []] = fc.sample(sessionLog, { numRuns: 20, seed: 5 }).filter((log) => log.length > 10);
    const work = makeWork(writeLog(lines, 500));
    work.takers[0] = 1;
    const scans = new Map<string, ScannedAhead>();
    const thread = startScan(THREAD_URL, { work, taker: 2 }, scans);
    await until(() => work.takers.every((by) => by !== 0));
    await thread.answered();
    const [, ...rest] = work.segments;
    expect(rest.length).toBeGreaterThan(2);
    expect(scans).toEqual(new Map(rest.map((segment) => [segment.name, scanApart(segment, work)])));
    thread.end();
  });

  it('is not waited for when it died with segments in its hands', async () => {
    const [lines = []] = fc.sample(sessionLog, { numRuns: 1, seed: 3 });
    const work = makeWork(writeLog(lines, 500));
    work.takers.fill(2);
    const scans = new Map<string, ScannedAhead>();
    await startScan(new URL('dead-thread.mjs', import.meta.url).href, { work, taker: 2 }, scans).answered();
    expect(scans.size).toBe(0);
  });
});

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise(setImmediate);
}
