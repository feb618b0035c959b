import { describe, expect, it } from 'vitest';
import { planRetry } from '../../src/model/index.ts';
import { readRetryAfter } from '../../src/model/retry-after.ts';

const FAILED = { retryable: true };

describe('planRetry', () => {
  it('gives up at once when another attempt would not help', () => {
    expect(planRetry({ attempt: 1, failure: { retryable: false, retryAfterMs: 5 }, random: 0 })).toBeNull();
  });

  it('doubles the wait, spread over its upper half', () => {
    const least = [1, 2, 3, 4].map((attempt) => planRetry({ attempt, failure: FAILED, random: 0 }));
    expect(least).toEqual([500, 1000, 2000, 4000]);
    expect(planRetry({ attempt: 1, failure: FAILED, random: 0.999 })).toBe(1000);
  });

  it('makes at most five attempts, also when the provider names a wait', () => {
    expect(planRetry({ attempt: 4, failure: { retryable: true, retryAfterMs: 9 }, random: 0 })).toBe(9);
    expect(planRetry({ attempt: 5, failure: { retryable: true, retryAfterMs: 9 }, random: 0 })).toBeNull();
    expect(planRetry({ attempt: 5, failure: FAILED, random: 0 })).toBeNull();
  });

  it('makes fewer attempts where the failure says that more are not worth it', () => {
    const failure = { retryable: true, maxAttempts: 2 };
    expect(planRetry({ attempt: 1, failure, random: 0 })).toBe(500);
    expect(planRetry({ attempt: 2, failure, random: 0 })).toBeNull();
  });

  it("takes the provider's own wait, unless it is longer than anyone would sit through", () => {
    expect(planRetry({ attempt: 1, failure: { retryable: true, retryAfterMs: 90_000 }, random: 0.5 })).toBe(90_000);
    expect(planRetry({ attempt: 1, failure: { retryable: true, retryAfterMs: 3_600_000 }, random: 0.5 })).toBeNull();
  });
});

describe('readRetryAfter', () => {
  const now = new Date('2026-11-30T12:00:00Z');
  const google = { error: { details: [{ '@type': 'x' }, { '@type': 'google.rpc.RetryInfo', retryDelay: '34.5s' }] } };

  it.each([
    [{ 'retry-after': '3' }, undefined, 3000],
    [{ 'retry-after': '0.25' }, undefined, 250],
    [{ 'retry-after-ms': '1200.4', 'retry-after': '9' }, undefined, 1201],
    [{ 'retry-after': 'Mon, 30 Nov 2026 12:00:05 GMT' }, undefined, 5000],
    [{ 'retry-after': 'Mon, 30 Nov 2026 11:00:00 GMT' }, undefined, 0],
    [{ 'retry-after': 'soon' }, undefined, undefined],
    [{ 'retry-after': '-4' }, {}, undefined],
    [{}, google, 34_500],
    [{}, 'text', undefined],
  ])('reads %j, body %j as %j ms', (headers, body, expected) => {
    expect(readRetryAfter(headers, body, now)).toBe(expected);
  });
});
