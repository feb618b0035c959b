import { expect, test } from 'vitest';
import { parseSeconds } from '../../src/routes/parse.ts';

test.each([
  ['600', 600],
  ['0.5', 0.5],
  ['90s', 90],
  ['10m', 600],
  ['1.5h', 5400],
])('takes %s for %d seconds', (text, seconds) => {
  expect(parseSeconds(text)).toBe(seconds);
});

test.each(['', '0', '-1', '1d', 'm', '1 m', '1e3'])('refuses "%s" as a time, and says what is one', (text) => {
  expect(() => parseSeconds(text)).toThrow('expected seconds or a time such as 10m or 1h');
});
