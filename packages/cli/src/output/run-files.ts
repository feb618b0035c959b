/** How the files of a graph run are told when it stops: what they differ in from where it began, and how to take them. */
import { Failure, isRefusal } from '@ramet/core/codes';
import { type EventOf, knownEvent, type RunId } from '@ramet/core/events';
import { escapeLine } from '@ramet/core/text';
import type { FileStore } from '@ramet/runtime/store';
import { findHeldWork, type HeldWork } from '@ramet/runtime/upkeep';
import { type CheckpointDiff, diffCheckpoint } from '@ramet/runtime/workspace/diff';
import { type Changes, describeChanges, describeLostGit, renderTaking } from './changes.ts';

/** Lines about the run's own workspace; none where no checkpoint holds it. `short` is the id as commands take it. */
export async function renderRunFiles(store: FileStore, id: RunId, short: string): Promise<readonly string[]> {
  const work = await findHeldWork(store, id);
  if (isRefusal(work)) return [];
  const event = findCheckpoint(store, work);
  const lost = event === null ? null : describeLostGit(event);
  const lines = [await describeWork(work), ...(lost === null ? [] : [escapeLine(lost)])];
  return work.untouched ? lines : [...lines, renderTaking(short)];
}

/** What `ramet diff` shows of it, counted. */
async function describeWork(work: HeldWork): Promise<string> {
  const { project, base, opening, checkpoint, untouched } = work;
  if (untouched) return describeChanges({ added: 0, modified: 0, deleted: 0, paths: [] });
  const from = base === null ? null : ({ kind: 'commit', id: base } as const);
  try {
    const { files } = await diffCheckpoint({ project, from, opening, to: checkpoint });
    return describeChanges(countChanges(files));
  } catch (error) {
    // The run is told of all the same.
    if (!(error instanceof Failure)) throw error;
    return `changed: not counted: ${escapeLine(error.message)}`;
  }
}

function countChanges(files: CheckpointDiff['files']): Changes {
  const count = (wanted: CheckpointDiff['files'][number]['status']): number =>
    files.filter(({ status }) => status === wanted).length;
  const [added, deleted] = [count('added'), count('deleted')];
  return { added, deleted, modified: files.length - added - deleted, paths: files.map(({ shown }) => shown) };
}

function findCheckpoint(store: FileStore, { id, checkpoint }: HeldWork): EventOf<'workspace.checkpoint'> | null {
  const reader = store.read(id);
  const outline = reader?.readOutline();
  for (let segment = (outline?.heads.length ?? 0) - 1; segment >= 0; segment -= 1) {
    const mark = outline?.readDetail(segment).checkpoints.findLast((known) => known.id === checkpoint);
    if (mark === undefined) continue;
    const [event] = reader?.readEvents({ from: mark.offset, to: mark.offset }) ?? [];
    const known = event === undefined ? null : knownEvent(event);
    return known?.type === 'workspace.checkpoint' ? known : null;
  }
  return null;
}
