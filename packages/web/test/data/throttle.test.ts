import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { throttle } from '../../src/data/throttle.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it('calls at once, then once for all that was asked meanwhile, and not without being asked', () => {
  const call = vi.fn();
  const ask = throttle(call, 100);
  for (let count = 0; count < 50; count += 1) ask();
  expect(call).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(100);
  expect(call).toHaveBeenCalledTimes(2);
  vi.advanceTimersByTime(1_000);
  expect(call).toHaveBeenCalledTimes(2);
  ask();
  expect(call).toHaveBeenCalledTimes(3);
});
