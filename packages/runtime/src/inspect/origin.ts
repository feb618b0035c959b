import type { ForkOrigin, NodePath, RunId } from '@ramet/core';

/** A parent as its child shows it. */
export interface ShownOrigin extends ForkOrigin {
  /** Of a run: the node it walks again from. Of a session: the node of a graph run whose conversation it goes on with. */
  readonly fromNode?: NodePath;
  /** The parent is not in the store any more. */
  readonly removed?: true;
}

/** An origin, marked when its run is not among those that exist. */
export function markRemoved(
  origin: ForkOrigin & { readonly fromNode?: NodePath },
  ids: ReadonlySet<RunId>,
): ShownOrigin {
  const { id, offset, digest, fromNode } = origin;
  return {
    id,
    offset,
    digest,
    ...(fromNode === undefined ? {} : { fromNode }),
    ...(ids.has(id) ? {} : { removed: true }),
  };
}
