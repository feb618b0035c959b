/** Which sessions belong to where a person stands. */
import { knownEvent, type RunId } from '@ramet/core';
import type { FileStore } from '../store/index.ts';
import { listSessions, type SessionSummary } from './summary.ts';

export interface Place {
  /** The project of the repository there; null where there is none. */
  readonly project: string | null;
  /** The folder; a real path. */
  readonly folder: string;
}

/**
 * Whether a session belongs to a place: one of its project, or one that works in that very folder. A session with a
 * folder of its own belongs nowhere.
 */
export function belongsTo(store: FileStore, session: SessionSummary, place: Place): boolean {
  if (session.workspace === 'directory') return folderOf(store, session.id) === place.folder;
  return session.project !== null && session.project === place.project;
}

/** The session that was active last among those of a place; null when there is none. */
export function findLastSession(store: FileStore, place: Place): RunId | null {
  return listSessions(store).find((session) => belongsTo(store, session, place))?.id ?? null;
}

/** `workspace.open` is the event after the first, in a fork's log too. */
function folderOf(store: FileStore, id: RunId): string | null {
  const [event] = store.read(id)?.readEvents({ from: 1, to: 1 }) ?? [];
  const known = event === undefined ? null : knownEvent(event);
  return known?.type === 'workspace.open' ? (known.path ?? null) : null;
}
