import type { ForkOrigin, RunId } from '@ramet/core';

/** A parent as its child shows it. */
export interface ShownOrigin extends ForkOrigin {
  /** The parent is not in the store any more. */
  readonly removed?: true;
}

/** An origin, marked when its run is not among those that exist. */
export function markRemoved(origin: ForkOrigin, ids: ReadonlySet<RunId>): ShownOrigin {
  const { id, offset, digest } = origin;
  return { id, offset, digest, ...(ids.has(id) ? {} : { removed: true }) };
}
