/** What overviews take from the heads of a log, in order. */
import type { SegmentHead } from '../outline/index.ts';

/** What the last head that has it says. */
export function findLast<T>(heads: readonly SegmentHead[], pick: (head: SegmentHead) => T | undefined): T | undefined {
  for (let index = heads.length - 1; index >= 0; index -= 1) {
    const head = heads[index];
    const found = head === undefined ? undefined : pick(head);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A sum over all heads. */
export function sum(heads: readonly SegmentHead[], pick: (head: SegmentHead) => number): number {
  return heads.reduce((total, head) => total + pick(head), 0);
}
