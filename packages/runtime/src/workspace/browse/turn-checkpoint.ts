/** Which checkpoint holds the files of a turn. */
import {
  type BoundaryMark,
  deriveSessionOverview,
  isRefusal,
  type Refusal,
  type RunId,
  refuse,
  type SessionOverview,
} from '@ramet/core';
import { type FileStore, type LogOutline, refuseDamaged } from '../../store/index.ts';
import { refuseUnknown } from '../../store/refusals.ts';
import { readProject } from '../project/index.ts';
import type { Project } from '../types.ts';

/** A checkpoint, and the project whose store holds it. */
export interface StoredCheckpoint {
  readonly project: Project;
  readonly checkpoint: string;
}

/** The files of a session as they were at the end of a turn. */
export interface TurnCheckpoint extends StoredCheckpoint {
  readonly id: RunId;
  /** Of the turn's `session.end`. */
  readonly offset: number;
}

/** A turn of a session: the one that ended at an offset, or the last one that has a checkpoint. */
export interface TurnName {
  readonly id: RunId;
  /** Of its `session.end`. */
  readonly at?: number;
}

/**
 * Finds the checkpoint of a turn. Refuses with `unknown_run`, `not_a_session`, `log_damaged`, `not_a_boundary` (no turn ended
 * at that offset), `no_checkpoint` (that turn has none, or the session works in place or without files), `no_workspace`.
 */
export async function findTurnCheckpoint(store: FileStore, { id, at }: TurnName): Promise<TurnCheckpoint | Refusal> {
  const outline = store.read(id)?.readOutline();
  if (outline === undefined) return refuseUnknown(id);
  const overview = deriveSessionOverview(outline.heads);
  if (overview === null) {
    if (outline.damage !== null) return refuseDamaged(id, outline);
    return refuse('not_a_session', `the log of ${id} does not start a session`, { id });
  }
  if (overview.workspace !== 'git') return refuseUncaptured(id, overview);
  const ends = outline.heads.flatMap((_, segment) => outline.readDetail(segment).boundaries);
  const end = at === undefined ? ends.findLast(({ checkpoint }) => checkpoint !== null) : findEnd(ends, at);
  if (end === undefined) return at === undefined ? refuseNone(id) : refuseNoEnd({ id, at }, outline, ends);
  const { checkpoint, offset } = end;
  if (checkpoint === null) return refuseNone(id, offset);
  const project = await readProject({ stateFolder: store.layout.home, id: overview.project ?? '' });
  return isRefusal(project) ? project : { id, project, checkpoint, offset };
}

function findEnd(ends: readonly BoundaryMark[], at: number): BoundaryMark | undefined {
  return ends.find(({ offset }) => offset === at);
}

/** Nothing is looked at on the disk instead: what lies there now is no state of a turn. */
function refuseUncaptured(id: RunId, { workspace }: SessionOverview): Refusal {
  const why =
    workspace === 'none'
      ? 'it has no workspace, and files in its folder are not kept'
      : 'it works in its folder in place, and nothing is kept of how that was';
  return refuse('no_checkpoint', `no turn of ${id} has files to show: ${why}`, { id, workspace });
}

function refuseNone(id: RunId, offset?: number): Refusal {
  const message =
    offset === undefined
      ? `no turn of ${id} has a checkpoint`
      : `the turn of ${id} that ended at offset ${offset} has no checkpoint`;
  return refuse('no_checkpoint', message, { id, ...(offset === undefined ? {} : { offset }) });
}

function refuseNoEnd(
  { id, at }: { readonly id: RunId; readonly at: number },
  outline: LogOutline,
  ends: readonly BoundaryMark[],
): Refusal {
  if (outline.damage !== null && at >= outline.damage.offset) return refuseDamaged(id, outline);
  const offsets = ends.map(({ offset }) => offset);
  const shown = offsets.length === 0 ? 'no turn has ended' : `turns ended at ${offsets.slice(-20).join(', ')}`;
  return refuse('not_a_boundary', `no turn of ${id} ended at offset ${at}; ${shown}`, { id, at, offsets });
}
