/**
 * Requests that were refused, told by their status and so that a flood of them floods no log: the first at once, then how
 * many there were at most once in a period.
 */

/** How long refusals of one status are collected. */
const PERIOD_MS = 60_000;

/** Makes what hears of each refusal; `tell` is given the status and how many there were since it was told last. */
export function makeRefusalCounter(
  now: () => number,
  tell: (status: number, count: number) => void,
): (status: number) => void {
  const seen = new Map<number, { toldAt: number; count: number }>();
  return (status) => {
    const { toldAt, count } = seen.get(status) ?? { toldAt: Number.NEGATIVE_INFINITY, count: 0 };
    const isDue = now() - toldAt >= PERIOD_MS;
    seen.set(status, isDue ? { toldAt: now(), count: 0 } : { toldAt, count: count + 1 });
    if (isDue) tell(status, count + 1);
  };
}
