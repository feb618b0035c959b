import type { RunId } from '../events/index.ts';

/** Fewest characters of a short id. */
const SHORTEST = 6;

/** An id's 32 hex digits. */
export function digitsOf(id: string): string {
  return id.replaceAll('-', '');
}

/**
 * Short forms of ids: the random end, at least six hex digits, as many more as it takes to tell it from all the others
 * given. So give every id that may be looked up, not only those that are shown.
 */
export function shortIdsOf(ids: Iterable<RunId>): ReadonlyMap<RunId, string> {
  const reversed = [...new Set(ids)]
    .map((id) => ({ id, key: [...digitsOf(id)].reverse().join('') }))
    .sort((left, right) => (left.key < right.key ? -1 : 1));
  const short = new Map<RunId, string>();
  // Among sorted keys the longest common beginning is with a neighbour.
  reversed.forEach(({ id, key }, index) => {
    const before = reversed[index - 1]?.key ?? '';
    const after = reversed[index + 1]?.key ?? '';
    const needed = Math.max(commonLength(key, before), commonLength(key, after)) + 1;
    short.set(id, digitsOf(id).slice(-Math.max(SHORTEST, needed)));
  });
  return short;
}

function commonLength(left: string, right: string): number {
  let length = 0;
  while (length < right.length && left[length] === right[length]) length += 1;
  return length;
}
