/**
 * Which writes of a fork a person has acknowledged.
 *
 * 1. Each is acknowledged on its own, by its offset; nothing acknowledges several.
 * 2. What was acknowledged counts only for the write it was said of: one that is no longer shown counts for nothing, one
 *    that came meanwhile is not acknowledged.
 */
import type { WriteHazard } from '@ramet/client';

export interface Acknowledgement {
  /** By offset. */
  readonly writes: readonly WriteHazard[];
  readonly acknowledged: ReadonlySet<number>;
  /** Offsets of writes that came after the first were shown. */
  readonly added: ReadonlySet<number>;
}

/** The writes of a first plan; none is acknowledged. */
export function beginAcknowledgement(writes: readonly WriteHazard[]): Acknowledgement {
  return { writes: sortWrites(writes), acknowledged: new Set(), added: new Set() };
}

/** Says of one write that it was read, or takes that back. */
export function acknowledge(state: Acknowledgement, offset: number, isRead: boolean): Acknowledgement {
  const acknowledged = new Set(state.acknowledged);
  if (isRead && state.writes.some((write) => write.offset === offset)) acknowledged.add(offset);
  else acknowledged.delete(offset);
  return { ...state, acknowledged };
}

/** Takes the writes of another plan in place of those that were shown. */
export function replaceWrites(state: Acknowledgement, writes: readonly WriteHazard[]): Acknowledgement {
  const before = new Map(state.writes.map((write) => [write.offset, write.key]));
  const isSame = ({ offset, key }: WriteHazard) => before.get(offset) === key;
  const kept = writes.filter((write) => isSame(write) && state.acknowledged.has(write.offset));
  const added = writes.filter((write) => !isSame(write) || state.added.has(write.offset));
  return {
    writes: sortWrites(writes),
    acknowledged: new Set(kept.map(({ offset }) => offset)),
    added: new Set(added.map(({ offset }) => offset)),
  };
}

/** Adds the writes that a refusal named to those that are shown. */
export function addWrites(state: Acknowledgement, refused: readonly WriteHazard[]): Acknowledgement {
  const shown = new Map([...state.writes, ...refused].map((write) => [write.offset, write]));
  return replaceWrites(state, [...shown.values()]);
}

/** Whether every write was acknowledged. */
export function isAcknowledged({ writes, acknowledged }: Acknowledgement): boolean {
  return writes.every(({ offset }) => acknowledged.has(offset));
}

/** The writes that a `write_replay_hazard` names; none of any other problem. */
export function writesOfProblem(data: Readonly<Record<string, unknown>>): readonly WriteHazard[] {
  const writes = data.code === 'write_replay_hazard' && Array.isArray(data.writes) ? data.writes : [];
  return writes.filter(
    (write): write is WriteHazard => typeof (write as Partial<WriteHazard> | null)?.offset === 'number',
  );
}

function sortWrites(writes: readonly WriteHazard[]): readonly WriteHazard[] {
  return [...writes].sort((left, right) => left.offset - right.offset);
}
