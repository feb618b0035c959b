import { isRefusal, type Refusal, refuse } from '@ramet/core';
import type { FileStore } from '../../store/index.ts';
import { type CheckpointDiff, diffCheckpoint } from '../diff/index.ts';
import { findTurnCheckpoint, type TurnCheckpoint, type TurnName } from './turn-checkpoint.ts';

export interface TurnsDiff extends CheckpointDiff {
  readonly from: TurnCheckpoint;
  readonly to: TurnCheckpoint;
}

/**
 * Compares the files of two turns, of one session or of two of one project. Refuses as `findTurnCheckpoint` does, and with
 * `no_workspace` for two projects.
 */
export async function diffTurns(store: FileStore, older: TurnName, newer: TurnName): Promise<TurnsDiff | Refusal> {
  const from = await findTurnCheckpoint(store, older);
  if (isRefusal(from)) return from;
  const to = await findTurnCheckpoint(store, newer);
  if (isRefusal(to)) return to;
  const { project } = to;
  if (from.project.id !== project.id) {
    return refuse('no_workspace', `${from.id} and ${to.id} are of different projects and cannot be compared`);
  }
  const compared = await diffCheckpoint({
    project,
    from: { kind: 'checkpoint', id: from.checkpoint },
    to: to.checkpoint,
  });
  return { ...compared, from, to };
}
