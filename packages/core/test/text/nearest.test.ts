import { findNearest } from '@ramet/core/text';
import { expect, it } from 'vitest';

const TOOLS = ['shell', 'search', 'read_file'];

it.each([
  ['Shell', 'shell'],
  ['shel', 'shell'],
  ['hsell', 'shell'],
  ['readfile', 'read_file'],
  ['frobnicate', undefined],
  ['', undefined],
  ['sh', undefined],
  ['shell'.repeat(100_000), undefined],
])('the name nearest to %j is %j', (word, nearest) => {
  expect(findNearest(word, TOOLS)).toBe(nearest);
});

it('nothing is near where there is nothing', () => {
  expect(findNearest('x', [])).toBeUndefined();
});
