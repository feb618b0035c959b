/** Compares what a run holds with where it began, or with what another run holds. */
import { isRefusal, type Refusal, type RunId, refuse } from '@ramet/core';
import type { FileStore } from '../store/index.ts';
import { type CheckpointDiff, type DiffRequest, diffCheckpoint } from '../workspace/diff/index.ts';
import { findHeldWork, type HeldWork } from './held.ts';
import type { UncapturedWork } from './uncaptured.ts';

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
  /** What a side did since its checkpoint, and is therefore not compared. */
  readonly uncaptured?: readonly UncapturedWork[];
}

/** Compares two states; refuses with `no_workspace` runs of different projects. */
export async function compareWork(store: FileStore, comparison: WorkComparison): Promise<WorkDiff | Refusal> {
  const sides = await findSides(store, comparison);
  if (isRefusal(sides)) return sides;
  const { from, to, uncaptured } = sides;
  const { id, project, checkpoint } = to;
  const opening = from?.kind === 'checkpoint' ? null : to.opening;
  const { ignored } = comparison;
  const compared = await diffCheckpoint({ project, from, opening, to: checkpoint, ignored });
  return { id, from, to: checkpoint, compared, ...(uncaptured.length === 0 ? {} : { uncaptured }) };
}

interface Sides {
  readonly from: DiffRequest['from'];
  readonly to: HeldWork;
  readonly uncaptured: readonly UncapturedWork[];
}

async function findSides(store: FileStore, { id, other }: WorkComparison): Promise<Sides | Refusal> {
  const one = await findHeldWork(store, id);
  if (isRefusal(one)) return one;
  if (other === undefined) {
    const from = one.base === null ? null : ({ kind: 'commit', id: one.base } as const);
    return { from, to: one, uncaptured: listUncaptured(one) };
  }
  const newer = await findHeldWork(store, other);
  if (isRefusal(newer)) return newer;
  if (one.project.id !== newer.project.id) {
    return refuse('no_workspace', `${one.id} and ${newer.id} are of different projects and cannot be compared`);
  }
  return { from: { kind: 'checkpoint', id: one.checkpoint }, to: newer, uncaptured: listUncaptured(one, newer) };
}

function listUncaptured(...works: readonly HeldWork[]): readonly UncapturedWork[] {
  return works.flatMap(({ uncaptured }) => (uncaptured === null ? [] : [uncaptured]));
}
