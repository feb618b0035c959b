import { expect, test } from 'vitest';
import { check, readStatus } from './facts.ts';

test('the first thing that does not hold ends the demonstration', () => {
  expect(() => check(true, 'all is well')).not.toThrow();
  expect(() => check(1 + 1 === 3, 'the sum is right')).toThrow('this does not hold: the sum is right');
});

test('tells staged from untracked files', () => {
  const oid = '0'.repeat(40);
  const status = `1 A. N... 000000 100644 100644 ${oid} ${oid} a b.md\x001 .M N... 100644 100644 100644 ${oid} ${oid} c\0? d.txt\0`;
  expect(readStatus(status)).toEqual({ staged: ['a b.md'], untracked: ['d.txt'] });
});
