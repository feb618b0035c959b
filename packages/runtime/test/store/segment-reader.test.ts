import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LINE_LIMIT_BYTES } from '@ramet/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeNearReader, readLines, type SegmentEnd } from '../../src/store/segment-reader.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ramet-reader-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Read {
  readonly lines: readonly { readonly text: string; readonly position: number }[];
  readonly end: SegmentEnd;
}

/** Reads a file that holds these bytes; each line is taken before the next is asked for. */
function readAll(bytes: Buffer): Read {
  const reader = readLines(writeSegment(bytes));
  const lines: Read['lines'][number][] = [];
  for (;;) {
    const item = reader.next();
    if (item.done === true) return { lines, end: item.value };
    lines.push({ text: item.value.bytes.toString('latin1'), position: item.value.position });
  }
}

let count = 0;
function writeSegment(bytes: Buffer): string {
  count += 1;
  const path = join(folder, `${count}.jsonl`);
  writeFileSync(path, bytes);
  return path;
}

/** A line of this many bytes that is like no other. */
function lineOf(length: number, index: number): string {
  return `${index}:`.padEnd(length, String.fromCharCode(97 + (index % 26))).slice(0, length);
}

const MIB = 1024 * 1024;

describe('the lines of a segment', () => {
  it.each([
    ['no line at all', []],
    ['empty lines', [0, 0, 5, 0]],
    ['many short lines over several chunks', Array.from({ length: 9000 }, (_, index) => (index * 37) % 900)],
    ['lines as long as a line may be', [LINE_LIMIT_BYTES, 3, LINE_LIMIT_BYTES, LINE_LIMIT_BYTES, 0]],
    ['newlines at the ends of chunks', [MIB - 1, MIB - 1, MIB, MIB - 2, 1, 0]],
  ])('come back with their places: %s', (_, lengths) => {
    const texts = lengths.map(lineOf);
    const { lines, end } = readAll(Buffer.from(texts.map((text) => `${text}\n`).join('')));
    let position = 0;
    const expected = texts.map((text) => {
      const line = { text, position };
      position += text.length + 1;
      return line;
    });
    expect(lines).toEqual(expected);
    expect(end).toEqual({ tornBytes: 0, overlong: null });
  });

  it.each([
    ['a torn tail', 10, '', { tornBytes: 10, overlong: null }],
    ['a torn tail longer than any line', 3 * MIB, '', { tornBytes: 3 * MIB, overlong: null }],
    ['a line that is too long', LINE_LIMIT_BYTES + 1, '\nmore\n', { tornBytes: 0, overlong: 6 }],
    ['one that is far too long', 5 * MIB, '\n', { tornBytes: 0, overlong: 6 }],
  ])('end at %s', (_, length, rest, expected) => {
    const { lines, end } = readAll(Buffer.from(`first\n${lineOf(length, 1)}${rest}`));
    expect({ texts: lines.map(({ text }) => text), end }).toEqual({ texts: ['first'], end: expected });
  });

  it('are not disturbed by another reader in between', () => {
    const [left, right] = ['left', 'right'].map((name) =>
      readLines(
        writeSegment(
          Buffer.from(Array.from({ length: 3000 }, (_, index) => `${name} ${index} ${'x'.repeat(800)}\n`).join('')),
        ),
      ),
    );
    for (let index = 0; index < 3000; index += 1) {
      const [one, other] = [left?.next().value, right?.next().value];
      const heads = [one, other].map((line) =>
        line !== undefined && 'bytes' in line ? line.bytes.toString('latin1', 0, 12) : '',
      );
      expect(heads.map((head) => head.split(' ').slice(0, 2).join(' '))).toEqual([`left ${index}`, `right ${index}`]);
    }
  });
});

describe('spans that are read one near the other', () => {
  it('are what lies there, wherever the next one is and in whichever file', () => {
    const files = [7, 11].map((step) => {
      const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * step) % 251));
      return { path: writeSegment(bytes), bytes };
    });
    const readNear = makeNearReader();
    for (let span = 0; span < 200; span += 1) {
      const position = span % 3 === 0 ? (span * 7_919) % 290_000 : span * 400;
      const length = span % 50 === 0 ? 100_000 : 1 + ((span * 37) % 900);
      for (const { path, bytes } of span % 10 === 0 ? files : files.slice(0, 1)) {
        const expected = bytes.subarray(position, position + length);
        expect(Buffer.from(readNear(path, position, length)).equals(expected)).toBe(true);
      }
    }
  });
});
