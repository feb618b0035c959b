import { closeSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { makeScratchArea } from '@ramet/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import { tryLockSpan } from '../../src/store/os-lock.ts';

const area = makeScratchArea();
const path = join(area.folder, 'lock');
const open: number[] = [];
const openFile = (): number => {
  const fd = openSync(path, 'a+');
  open.push(fd);
  return fd;
};
afterAll(() => {
  for (const fd of open) closeSync(fd);
  area.remove();
});

const FIRST = { offset: 0, length: 1 };
const SECOND = { offset: 1, length: 1 };

describe('a lock on a span of a file', () => {
  it('is exclusive, or shared with others that share it, span by span', () => {
    const [one, two, three] = [openFile(), openFile(), openFile()];
    expect(tryLockSpan(one, FIRST, 'exclusive')).toBe(true);
    expect(tryLockSpan(two, FIRST, 'exclusive')).toBe(false);
    expect(tryLockSpan(two, FIRST, 'shared')).toBe(false);
    expect(tryLockSpan(two, SECOND, 'shared')).toBe(true);
    expect(tryLockSpan(three, SECOND, 'shared')).toBe(true);
    expect(tryLockSpan(one, { offset: 0, length: 0 }, 'exclusive')).toBe(false);
  });

  it('is the one the library itself takes', () => {
    const library = createRequire(import.meta.url)('fs-native-extensions') as {
      tryLock(fd: number, options?: object): boolean;
    };
    const [ours, theirs] = [openFile(), openFile()];
    const span = { offset: 10, length: 5 };
    expect(tryLockSpan(ours, span, 'exclusive')).toBe(true);
    expect(library.tryLock(theirs)).toBe(false);
  });

  it('fails loudly for what is no open file', () => {
    expect(() => tryLockSpan(999_999, FIRST, 'exclusive')).toThrow();
  });
});
