/** When a failed request is tried again. Pure: the one retry loop is the session's. */
import type { ModelFailure } from './types.ts';

const MAX_ATTEMPTS = 5;
const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 30_000;
/** A provider that asks for more is believed, and the turn fails now rather than seem hung. */
const MAX_ASKED_WAIT_MS = 300_000;

export interface RetryQuestion {
  /** Attempts already made: 1 after the first failure. */
  readonly attempt: number;
  readonly failure: Pick<ModelFailure, 'retryable' | 'retryAfterMs' | 'maxAttempts'>;
  /** In [0, 1): spreads clients that failed together. */
  readonly random: number;
}

/** How many milliseconds to wait before the next attempt, or null to give up; the provider's own wait wins. */
export function planRetry({ attempt, failure, random }: RetryQuestion): number | null {
  if (!failure.retryable || attempt >= (failure.maxAttempts ?? MAX_ATTEMPTS)) return null;
  if (failure.retryAfterMs !== undefined) {
    return failure.retryAfterMs > MAX_ASKED_WAIT_MS ? null : failure.retryAfterMs;
  }
  const backoff = Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), MAX_WAIT_MS);
  return Math.round(backoff * (0.5 + random / 2));
}
