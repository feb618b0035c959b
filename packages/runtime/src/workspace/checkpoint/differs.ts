/** Whether a live workspace still is what its checkpoint says; writes nothing but the stat cache. */
import type { CheckpointRecord } from '../types.ts';
import { describeFiles } from './description.ts';
import { renderComparable } from './manifest.ts';
import { type CheckpointHead, readCheckpointHead } from './read.ts';
import { rememberCapture, type Snapshot, type SnapshotRequest, takeSnapshot } from './snapshot.ts';

export interface DiffersRequest extends SnapshotRequest {
  readonly checkpoint: CheckpointRecord['id'];
}

/** Compares files, modes, folders and the git directory; throws `Failure('checkpoint_missing')` without the checkpoint. */
export async function workspaceDiffers(request: DiffersRequest): Promise<boolean> {
  const head = await readCheckpointHead(request.workspace.project, request.checkpoint);
  const snapshot = await takeSnapshot(request);
  if (differs(request, snapshot, head)) return true;
  if (snapshot.cache?.checkpoint !== head.id) rememberSnapshot(request, snapshot);
  return false;
}

/** Equal trees hold equal files: what a path is and holds decides its tree's id. */
function differs(request: DiffersRequest, snapshot: Snapshot, head: CheckpointHead): boolean {
  const { filesTree, trees } = snapshot;
  const live = { git: trees.areas.get('git'), nested: trees.areas.get('nested'), files: filesTree };
  for (const [area, oid] of Object.entries(live)) if (head.trees.get(area) !== oid) return true;
  const { git, commit, missing, leftOut, leftOutCount } = head.manifest;
  const left = addsNothingLeftOut(snapshot, head) ? { leftOut, leftOutCount } : {};
  const manifest = { ...describeFiles(snapshot, request), git, commit, missing, ...left };
  return renderComparable(manifest) !== renderComparable(head.manifest);
}

/** What a checkpoint left out is not there after a restore: only something that it does not name is a difference. */
function addsNothingLeftOut(snapshot: Snapshot, head: CheckpointHead): boolean {
  const named = new Set(head.manifest.leftOut.map((entry) => JSON.stringify(entry)));
  return snapshot.leftOut.every((entry) => named.has(JSON.stringify(entry)));
}

/** A workspace that was just restored has no cache: the next capture need not read everything again. */
function rememberSnapshot(request: DiffersRequest, snapshot: Snapshot): void {
  const stored = { checkpoint: request.checkpoint, objects: [], trees: snapshot.trees, git: null };
  // Equal trees do not prove that the store has them: the next capture lets git check.
  rememberCapture(request.workspace.privateFolder, snapshot, { ...stored, packs: null });
}
