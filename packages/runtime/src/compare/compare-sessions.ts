/**
 * Compares two sessions: where their logs part, what each did after that, and how their files differ now.
 *
 * 1. Nothing is guessed: two sessions are related where a line of theirs is the same, and where a fork says so.
 * 2. No lock is taken: a session that goes on meanwhile is compared as it was.
 */
import {
  deriveSessionOverview,
  Failure,
  isRefusal,
  type Refusal,
  type RunId,
  refuse,
  type SessionOverview,
} from '@ramet/core';
import { type FileStore, refuseDamaged } from '../store/index.ts';
import { refuseUnknown } from '../store/refusals.ts';
import { diffTurns, type TurnCheckpoint, type TurnsDiff } from '../workspace/browse/index.ts';
import { findParting, type Parting, type ReadLog } from './parting.ts';
import { readSide, type SessionSide } from './side.ts';

/** How the second session descends from the first. `relatives`: of a common ancestor, which may be gone. */
export type Relation = 'same' | 'parent' | 'child' | 'siblings' | 'relatives' | 'none';

export interface SessionComparison {
  /** What the first session is to the second. */
  readonly relation: Relation;
  /** The last line both logs have; null when they share none. */
  readonly parting: Parting | null;
  readonly left: SessionSide;
  readonly right: SessionSide;
  /** From the first session's last checkpoint to the second's. */
  readonly files: ComparedFiles;
}

/** How the files differ, or why that cannot be told. */
export type ComparedFiles =
  | {
      readonly kind: 'compared';
      readonly from: Pick<TurnCheckpoint, 'checkpoint' | 'offset'>;
      readonly to: Pick<TurnCheckpoint, 'checkpoint' | 'offset'>;
      readonly counts: { readonly added: number; readonly modified: number; readonly deleted: number };
      /** With the patch still to be read: `readFilePatches`. */
      readonly diff: TurnsDiff;
    }
  | { readonly kind: 'not_compared'; readonly code: Refusal['code']; readonly reason: string };

/** Compares two sessions; refuses with `unknown_run`, `not_a_session` or `log_damaged` (damaged in event 0). */
export async function compareSessions(
  store: FileStore,
  leftId: RunId,
  rightId: RunId,
): Promise<SessionComparison | Refusal> {
  const left = readSession(store, leftId);
  if (isRefusal(left)) return left;
  const right = readSession(store, rightId);
  if (isRefusal(right)) return right;
  const parting = findParting(left, right);
  const after = parting?.offset ?? -1;
  return {
    relation: relate(left.overview, right.overview, parting),
    parting,
    left: readSide(left, left.overview, after),
    right: readSide(right, right.overview, after),
    files: await compareFiles(store, leftId, rightId),
  };
}

interface ReadSession extends ReadLog {
  readonly overview: SessionOverview;
}

function readSession(store: FileStore, id: RunId): ReadSession | Refusal {
  const reader = store.read(id);
  if (reader === null) return refuseUnknown(id);
  const outline = reader.readOutline();
  const overview = deriveSessionOverview(outline.heads);
  if (overview !== null) return { reader, outline, overview };
  if (outline.damage !== null) return refuseDamaged(id, outline);
  return refuse('not_a_session', `the log of ${id} does not start a session`, { id });
}

function relate(left: SessionOverview, right: SessionOverview, parting: Parting | null): Relation {
  if (left.id === right.id) return 'same';
  if (right.forkedFrom?.id === left.id) return 'parent';
  if (left.forkedFrom?.id === right.id) return 'child';
  if (left.forkedFrom !== undefined && left.forkedFrom.id === right.forkedFrom?.id) return 'siblings';
  return parting === null ? 'none' : 'relatives';
}

async function compareFiles(store: FileStore, left: RunId, right: RunId): Promise<ComparedFiles> {
  try {
    const diff = await diffTurns(store, { id: left }, { id: right });
    if (isRefusal(diff)) return { kind: 'not_compared', code: diff.code, reason: diff.message };
    const { from, to } = diff;
    return { kind: 'compared', from: placeOf(from), to: placeOf(to), counts: countFiles(diff), diff };
  } catch (error) {
    // What the logs say is told all the same.
    if (!(error instanceof Failure)) throw error;
    return { kind: 'not_compared', code: error.code, reason: error.message };
  }
}

function placeOf({ checkpoint, offset }: TurnCheckpoint): Pick<TurnCheckpoint, 'checkpoint' | 'offset'> {
  return { checkpoint, offset };
}

function countFiles({ files }: TurnsDiff): {
  readonly added: number;
  readonly modified: number;
  readonly deleted: number;
} {
  const count = (wanted: TurnsDiff['files'][number]['status']): number =>
    files.filter(({ status }) => status === wanted).length;
  const [added, deleted] = [count('added'), count('deleted')];
  return { added, deleted, modified: files.length - added - deleted };
}
