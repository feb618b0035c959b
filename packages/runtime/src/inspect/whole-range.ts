/** What can be read of a log of which a part is damaged. */
import type { Refusal } from '@ramet/core';
import { type LogReader, refuseDamaged } from '../store/index.ts';

/** Offsets of a log, both ends included; empty where `to` lies before `from`. */
export interface OffsetRange {
  readonly from: number;
  readonly to: number;
}

/** A range cut off before the damage; `damage` is null where none lies in it. */
export interface WholeRange {
  readonly range: OffsetRange;
  readonly damage: Refusal | null;
}

/** Cuts a range of a log off where the log is damaged. */
export function findWholeRange(reader: LogReader, { from, to }: OffsetRange): WholeRange {
  const outline = reader.readOutline();
  const { damage } = outline;
  if (damage === null || damage.offset > to) return { range: { from, to }, damage: null };
  return { range: { from, to: damage.offset - 1 }, damage: refuseDamaged(reader.id, outline) };
}
