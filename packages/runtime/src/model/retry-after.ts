/** How long a provider asks to wait. Pure. */
import { isPlainObject } from './well-formed.ts';

/** Milliseconds from `retry-after-ms`, `Retry-After` (seconds or HTTP date, RFC 9110) or Google's `RetryInfo`. */
export function readRetryAfter(
  headers: Readonly<Record<string, unknown>>,
  body: unknown,
  now: Date,
): number | undefined {
  const exact = readNumber(headers['retry-after-ms']);
  if (exact !== undefined) return Math.ceil(exact);
  const asked = headers['retry-after'];
  const seconds = readNumber(asked);
  if (seconds !== undefined) return Math.ceil(seconds * 1000);
  // `Date.parse` also takes numbers for years.
  const date = typeof asked === 'string' && /[a-z]{3}/i.test(asked) ? Date.parse(asked) : Number.NaN;
  return Number.isNaN(date) ? readRetryInfo(body) : Math.max(0, date - now.getTime());
}

function readNumber(value: unknown): number | undefined {
  if (typeof value !== 'string' || !/^\s*\d+(\.\d+)?\s*$/.test(value)) return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

/** `{"error":{"details":[{"@type":".../google.rpc.RetryInfo","retryDelay":"34s"}]}}` */
function readRetryInfo(body: unknown): number | undefined {
  const error = isPlainObject(body) ? body.error : undefined;
  const details = isPlainObject(error) ? error.details : undefined;
  if (!Array.isArray(details)) return undefined;
  for (const detail of details as unknown[]) {
    const delay = isPlainObject(detail) ? detail.retryDelay : undefined;
    if (typeof delay === 'string' && delay.endsWith('s')) {
      const seconds = readNumber(delay.slice(0, -1));
      if (seconds !== undefined) return Math.ceil(seconds * 1000);
    }
  }
  return undefined;
}
