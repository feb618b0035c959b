/** The part of the source's log that a child of a run holds. */
import { invariant } from '../../codes/index.ts';
import type { Digest } from '../../events/index.ts';
import type { FoundNode } from './boundary.ts';
import type { RunForkPlan, RunForkSource } from './types.ts';

/** Every line from event 1 up to the boundary, which is not among them. */
export function describePrefix({ heads }: RunForkSource, { mark, segment }: FoundNode): RunForkPlan['prefix'] {
  let last = segment;
  let segmentBytes = mark.position;
  while (segmentBytes === 0 && last > 0) {
    last -= 1;
    segmentBytes = heads[last]?.bytes ?? 0;
  }
  const before = heads.slice(0, last).reduce((total, head) => total + head.bytes, 0);
  const event0 = (heads[0]?.graph?.bytes ?? 0) + 1;
  return { events: mark.offset - 1, bytes: before + segmentBytes - event0, segment: last, segmentBytes };
}

/** What event 1 of the source points to; there is one, because the boundary is one or comes after it. */
export function findSourceEvent0Digest({ heads }: RunForkSource): Digest {
  const digest = heads[0]?.graph?.event1Prev ?? heads.find(({ first, count }) => first === 1 && count > 0)?.prev;
  invariant(digest !== undefined, 'a run that entered a node has an event 1');
  return digest;
}
