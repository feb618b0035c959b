/** Compares what a run holds with where it began, or with what another run holds. */
import { isRefusal, type Refusal, type RunId, refuse } from '@ramet/core';
import type { FileStore } from '../store/index.ts';
import { type CheckpointDiff, type DiffRequest, diffCheckpoint } from '../workspace/diff/index.ts';
import { findHeldWork, type HeldWork } from './held.ts';

export interface WorkComparison {
  readonly id: RunId;
  /** The newer side, as with git; absent: `id` is compared with where it began. */
  readonly other?: RunId;
  /** Show files that ignore rules hide, too. */
  readonly ignored: boolean;
}

export interface WorkDiff {
  /** The newer side. */
  readonly id: RunId;
  readonly from: DiffRequest['from'];
  readonly to: string;
  readonly compared: CheckpointDiff;
}

/** Compares two states; refuses with `no_workspace` runs of different projects. */
export async function compareWork(store: FileStore, comparison: WorkComparison): Promise<WorkDiff | Refusal> {
  const sides = await findSides(store, comparison);
  if (isRefusal(sides)) return sides;
  const { from, to } = sides;
  const { id, project, checkpoint } = to;
  const opening = from?.kind === 'checkpoint' ? null : to.opening;
  const { ignored } = comparison;
  const compared = await diffCheckpoint({ project, from, opening, to: checkpoint, ignored });
  return { id, from, to: checkpoint, compared };
}

async function findSides(
  store: FileStore,
  { id, other }: WorkComparison,
): Promise<{ readonly from: DiffRequest['from']; readonly to: HeldWork } | Refusal> {
  const one = await findHeldWork(store, id);
  if (isRefusal(one)) return one;
  if (other === undefined) return { from: one.base === null ? null : { kind: 'commit', id: one.base }, to: one };
  const newer = await findHeldWork(store, other);
  if (isRefusal(newer)) return newer;
  if (one.project.id !== newer.project.id) {
    return refuse('no_workspace', `${one.id} and ${newer.id} are of different projects and cannot be compared`);
  }
  return { from: { kind: 'checkpoint', id: one.checkpoint }, to: newer };
}
