/** What a run holds of the person's project: its last checkpoint, and the commit its workspace began at. */
import {
  type CheckpointMark,
  deriveRunOverview,
  deriveSessionOverview,
  type GraphRunOverview,
  isRefusal,
  knownEvent,
  nodeIdOf,
  parseLine,
  type Refusal,
  type RunId,
  refuse,
} from '@ramet/core';
import { readOwnWorkspaces } from '../inspect/runs/index.ts';
import { type FileStore, type LogOutline, type LogReader, refuseDamaged } from '../store/index.ts';
import { readProject } from '../workspace/project/index.ts';
import type { Project } from '../workspace/types.ts';
import { findUncaptured, type LastCheckpoint, type UncapturedWork } from './uncaptured.ts';

export interface HeldWork {
  readonly id: RunId;
  readonly project: Project;
  readonly checkpoint: string;
  /** When its state was first captured; unix milliseconds. */
  readonly takenMs: number;
  /** Null where the workspace began without a commit. */
  readonly base: string | null;
  /** The state the workspace opened with, where that held uncommitted changes of the person's; else `base` says it all. */
  readonly opening: string | null;
  /** Whether the last checkpoint holds just what the workspace opened with. */
  readonly untouched: boolean;
  /** What was done since, and is in no checkpoint; null where nothing was. */
  readonly uncaptured: UncapturedWork | null;
}

/**
 * Finds a run's work; refuses with `unknown_run`, `log_damaged` (what lies after the damage may be newer),
 * `no_checkpoint` or `no_workspace`.
 */
export async function findHeldWork(store: FileStore, id: RunId): Promise<HeldWork | Refusal> {
  const reader = store.read(id);
  const outline = reader?.readOutline() ?? null;
  if (outline !== null && outline.damage !== null) return refuseDamaged(id, outline);
  const overview = outline === null ? null : overviewOf(outline);
  if (reader === null || overview === null) return refuse('unknown_run', `there is no run ${id}`, { id });
  const last = findLastMark(store, id);
  if (last === null || overview.project === null) {
    return refuse('no_checkpoint', `${id} has no checkpoint (its workspace: ${overview.workspace})`, { id });
  }
  const checkpoint = last.mark.id;
  const project = await readProject({ stateFolder: store.layout.home, id: overview.project });
  if (isRefusal(project)) return project;
  const { base, opening, isDirty, takenMs } = readOrigin(reader, overview.events, checkpoint);
  const untouched = opening === checkpoint;
  const uncaptured = findUncaptured(store, id, last);
  return { id, project, checkpoint, takenMs, base, opening: isDirty ? opening : null, untouched, uncaptured };
}

/** Whether a run has a checkpoint, and its last holds just what its workspace opened with: there is nothing to take. */
export function isUntouched(store: FileStore, id: RunId): boolean {
  const reader = store.read(id);
  const checkpoint = findLastCheckpoint(store, id);
  const events = reader === null ? null : (overviewOf(reader.readOutline())?.events ?? null);
  if (reader === null || checkpoint === null || events === null) return false;
  return readOrigin(reader, events, checkpoint).opening === checkpoint;
}

function overviewOf({ heads }: LogOutline): Pick<GraphRunOverview, 'project' | 'workspace' | 'events'> | null {
  return deriveSessionOverview(heads) ?? deriveRunOverview(heads);
}

/**
 * The latest checkpoint of a run's workspace that its log names, at a boundary or not; null without one. Nodes of a graph
 * run that have a workspace of their own are passed over.
 */
export function findLastCheckpoint(store: FileStore, id: RunId): string | null {
  return findLastMark(store, id)?.mark.id ?? null;
}

function findLastMark(store: FileStore, id: RunId): LastCheckpoint | null {
  const outline = store.read(id)?.readOutline();
  if (outline === undefined) return null;
  const graph = outline.heads[0]?.graph?.graph;
  const own = graph === undefined ? new Set<string>() : readOwnWorkspaces(store, graph);
  const isShared = ({ node }: Pick<CheckpointMark, 'node'>): boolean => node === undefined || !own.has(nodeIdOf(node));
  for (let segment = outline.heads.length - 1; segment >= 0; segment -= 1) {
    const mark = outline.readDetail(segment).checkpoints.findLast(isShared);
    if (mark !== undefined) return { mark, isShared };
  }
  return null;
}

/** Every checkpoint a log names before any damage; none for a run that is gone or cannot be read. */
export function listCheckpoints(store: FileStore, id: RunId): string[] {
  try {
    const outline = store.read(id)?.readOutline();
    const marks = outline?.heads.flatMap((_, segment) => outline.readDetail(segment).checkpoints) ?? [];
    return marks.map((mark) => mark.id);
  } catch {
    return [];
  }
}

const WANTED = ['workspace.open', 'workspace.checkpoint', 'message', 'node.enter'].map((type) =>
  Buffer.from(`"type":"${type}"`),
);
/** The writer puts the type first: a line that does not name it here is passed over unparsed. */
const ENVELOPE_BYTES = 256;

interface Origin {
  base: string | null;
  /** The checkpoint between the last `workspace.open` and the message, or the node's entry, after it. */
  opening: string | null;
  isDirty: boolean;
  takenMs: number;
}

/** Of the workspace that was opened last: one that could not be restored begins anew. */
function readOrigin(reader: LogReader, events: number, checkpoint: string): Origin {
  const origin: Origin = { base: null, opening: null, isDirty: false, takenMs: 0 };
  let isOpening = false;
  for (const bytes of reader.readBytes({ to: events - 1 })) {
    const line = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const envelope = line.subarray(0, ENVELOPE_BYTES);
    if (!WANTED.some((type) => envelope.includes(type))) continue;
    const event = parseLine(line.toString('utf8'));
    const known = typeof event === 'string' ? null : knownEvent(event);
    if (known?.type === 'workspace.open') {
      Object.assign(origin, { base: known.base, opening: null, isDirty: known.dirty.carried === true });
      isOpening = true;
    } else if (known?.type === 'message' || known?.type === 'node.enter') isOpening = false;
    else if (known?.type === 'workspace.checkpoint') {
      if (isOpening) origin.opening = known.id;
      // A turn that changed nothing names the same checkpoint again: it is as old as its first mention.
      if (known.id === checkpoint && origin.takenMs === 0) origin.takenMs = Date.parse(known.time) || 0;
    }
  }
  return origin;
}
