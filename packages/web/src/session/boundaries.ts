import type { Turn } from '@ramet/client';
import type { DiffRange } from '../workspace/diff-dialog.tsx';

/** A turn that ended with a checkpoint. */
export interface Boundary {
  readonly turn: number;
  /** Of its `session.end`. */
  readonly offset: number;
}

/** The turns whose files can be looked at, in order. */
export function boundariesOf(turns: readonly Turn[]): readonly Boundary[] {
  return turns.flatMap(({ turn, end, checkpoint }) =>
    end === null || checkpoint?.id === undefined ? [] : [{ turn, offset: end.offset }],
  );
}

/** What one turn changed: from the checkpoint before it, or from the beginning where there is none. */
export function rangeOf(turns: readonly Turn[], at: number): DiffRange {
  const before = boundariesOf(turns).filter(({ offset }) => offset < at);
  return { at, from: before.at(-1)?.offset ?? null };
}
