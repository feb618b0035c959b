/**
 * Makes every string of a value well-formed Unicode: half a surrogate pair becomes U+FFFD, keys included. A strict
 * endpoint answers 400 to a lone surrogate, and since a log only grows, it would do so for ever.
 */
export function makeWellFormed<T>(value: T): T {
  return visit(value) as T;
}

function visit(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(visit);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.toWellFormed(), visit(item)]));
}

/** Whether a value is an object literal (as JSON gives), not an array, a class instance or bytes. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
