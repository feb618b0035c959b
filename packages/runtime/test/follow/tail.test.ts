import { appendFileSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHAIN_START } from '@ramet/core';
import { expect, it } from 'vitest';
import { LogTail } from '../../src/follow/tail.ts';
import { FIRST, makeHome, makeSession, openTestStore, readLog, segmentsOf } from '../store/helpers.ts';

function makeEmptyLog(): string {
  const log = join(mkdtempSync(join(tmpdir(), 'ramet-tail-')), 'log');
  mkdirSync(log);
  writeFileSync(join(log, '000000000000.jsonl'), '');
  return log;
}

function openTail(log: string): LogTail {
  return new LogTail({ log, segment: '000000000000.jsonl', before: CHAIN_START, chain: CHAIN_START, position: 0 });
}

it.each([1, 7, 100, 4096])('reads a log that is written %i bytes at a time, line by line', async (size) => {
  const store = openTestStore(makeHome());
  await makeSession(store, 3, FIRST);
  const whole = readLog(store);
  expect(segmentsOf(store)).toHaveLength(1);
  const log = makeEmptyLog();
  const tail = openTail(log);
  const seen: Uint8Array[] = [];
  for (let at = 0; at < whole.length; at += size) {
    appendFileSync(join(log, '000000000000.jsonl'), whole.subarray(at, at + size));
    const read = tail.read();
    expect(read.kind).toBe('lines');
    for (const { bytes } of read.lines) seen.push(bytes, Buffer.from('\n'));
    // What is whole is there, what is not is not.
    const end = whole.subarray(0, at + size).lastIndexOf(0x0a) + 1;
    expect(seen.reduce((sum, { length }) => sum + length, 0)).toBe(end);
  }
  expect(Buffer.concat(seen)).toEqual(whole);
  tail.close();
});

it('passes over a tail that is longer than any line, and calls it damage once it has ended', () => {
  const log = makeEmptyLog();
  const tail = openTail(log);
  const path = join(log, '000000000000.jsonl');
  writeFileSync(path, Buffer.alloc(3 * 1024 * 1024, 'x'));
  expect(tail.read()).toEqual({ kind: 'lines', lines: [], more: false });
  writeFileSync(path, Buffer.concat([Buffer.alloc(1024 * 1024 + 1, 'x'), Buffer.from('\n')]));
  expect(tail.read()).toMatchObject({ kind: 'broken', damage: { expected: 'a line of at most 1 MiB' } });
  tail.close();
});

it('calls a sealed segment that does not end with a newline damaged', async () => {
  const store = openTestStore(makeHome());
  await makeSession(store, 1, FIRST);
  const whole = readLog(store);
  const log = makeEmptyLog();
  const tail = openTail(log);
  writeFileSync(join(log, '000000000000.jsonl'), Buffer.concat([whole, Buffer.from('{')]));
  expect(tail.read().kind).toBe('lines');
  writeFileSync(join(log, `${String(tail.next).padStart(12, '0')}.jsonl`), '');
  expect(tail.read()).toMatchObject({ kind: 'broken', damage: { byte: whole.length, expected: 'a newline' } });
  tail.close();
});
