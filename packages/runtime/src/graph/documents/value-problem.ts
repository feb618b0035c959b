import { isDeeperThan } from '../../tools/depth.ts';

/** As deep as expressions look (W3): what a walk puts around a value still fits in an event. */
const MAX_DEPTH = 64;

/** Says why a value that comes from outside cannot be one of a run; null when it can. */
export function findValueProblem(value: unknown): string | null {
  if (isDeeperThan(value, MAX_DEPTH)) return `it nests deeper than ${MAX_DEPTH} levels`;
  return isKept(value) ? null : 'it holds a number that is too large for JSON to keep, like 1e999';
}

/** JSON texts may hold numbers that are infinite once they are read, and would be null in a log. */
function isKept(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  return (Array.isArray(value) ? value : Object.values(value)).every(isKept);
}
