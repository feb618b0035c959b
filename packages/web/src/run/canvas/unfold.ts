import type { NodePath } from '@ramet/core/events';
import type { Unfolded } from './layout.ts';

const NUMBERED = /^(.*)[[#](\d+)\]?$/;

/** Unfolds every map and fold around a place, each to the item or pass that the place lies in. */
export function unfoldTo(unfolded: Unfolded, path: NodePath): Unfolded {
  const steps = path.split('/');
  const after = new Map(unfolded);
  for (let count = 1; count < steps.length; count += 1) {
    const [, owner, number] = NUMBERED.exec(steps.slice(0, count).join('/')) ?? [];
    if (owner !== undefined && number !== undefined) after.set(owner, Number(number));
  }
  return after;
}

/** Shows another item or pass of a map or fold, or folds it (null). What lay in the old one is folded with it. */
export function showBody(unfolded: Unfolded, path: NodePath, number: number | null): Unfolded {
  const after = new Map(
    [...unfolded].filter(([key]) => key !== path && !key.startsWith(`${path}[`) && !key.startsWith(`${path}#`)),
  );
  if (number !== null) after.set(path, number);
  return after;
}
