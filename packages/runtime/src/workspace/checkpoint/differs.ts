/** Whether a live workspace still is what its checkpoint says; writes nothing but the stat cache. */
import type { CheckpointRecord } from '../types.ts';
import { describeFiles } from './description.ts';
import { treePathOf } from './folder/names.ts';
import { renderComparable } from './manifest.ts';
import { readCheckpoint } from './read.ts';
import { type SnapshotRequest, takeSnapshot } from './snapshot.ts';

export interface DiffersRequest extends SnapshotRequest {
  readonly checkpoint: CheckpointRecord['id'];
}

/** Compares files, modes, folders and the git directory; throws `Failure('checkpoint_missing')` without the checkpoint. */
export async function workspaceDiffers(request: DiffersRequest): Promise<boolean> {
  const contents = await readCheckpoint(request.workspace.project, request.checkpoint);
  const snapshot = await takeSnapshot(request);
  if (snapshot.items.length !== contents.entries.length) return true;
  const stored = new Map(contents.entries.map((entry) => [treePathOf(entry.path), entry]));
  for (const { path, mode, oid } of snapshot.items) {
    const entry = stored.get(path);
    if (entry?.oid !== oid || entry.mode !== mode) return true;
  }
  const { git, commit } = contents.manifest;
  return renderComparable({ ...describeFiles(snapshot, request), git, commit }) !== renderComparable(contents.manifest);
}
