import { expect, it } from 'vitest';
import { makeRefusalCounter } from '../../src/serve/refusals.ts';

it('tells the first refusal of a status at once, and later ones by their number, once a minute', () => {
  let now = 0;
  const told: string[] = [];
  const count = makeRefusalCounter(
    () => now,
    (status, times) => told.push(`${status} ${times}`),
  );
  for (const status of [401, 401, 401, 404]) count(status);
  expect(told).toEqual(['401 1', '404 1']);
  now = 59_999;
  count(401);
  expect(told).toHaveLength(2);
  now = 60_000;
  count(401);
  count(401);
  expect(told).toEqual(['401 1', '404 1', '401 4']);
});
