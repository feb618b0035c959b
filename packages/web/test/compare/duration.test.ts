import { expect, it } from 'vitest';
import { renderDuration } from '../../src/compare/duration.ts';

it('says how long something took in the units that people read', () => {
  expect([0, 999, 1_000, 9_940, 59_999, 60_000, 3_599_999, 7_500_000].map(renderDuration)).toEqual([
    '0 ms',
    '999 ms',
    '1.0 s',
    '9.9 s',
    '60 s',
    '1 min 0 s',
    '59 min 59 s',
    '2 h 5 min',
  ]);
});
