/** Whether a live workspace still is what its checkpoint says; writes nothing but the stat cache. */
import type { CheckpointRecord } from '../types.ts';
import { describeFiles } from './description.ts';
import { treePathOf } from './folder/names.ts';
import { type CachedFile, writeStatCache } from './folder/stat-cache.ts';
import type { SnapshotItem } from './items.ts';
import { renderComparable } from './manifest.ts';
import { type CheckpointContents, readCheckpoint } from './read.ts';
import { type Snapshot, type SnapshotRequest, takeSnapshot } from './snapshot.ts';

export interface DiffersRequest extends SnapshotRequest {
  readonly checkpoint: CheckpointRecord['id'];
}

/** Compares files, modes, folders and the git directory; throws `Failure('checkpoint_missing')` without the checkpoint. */
export async function workspaceDiffers(request: DiffersRequest): Promise<boolean> {
  const contents = await readCheckpoint(request.workspace.project, request.checkpoint);
  const snapshot = await takeSnapshot(request);
  if (differs(request, snapshot, contents)) return true;
  if (snapshot.cache?.checkpoint !== contents.id) await rememberSnapshot(request, snapshot);
  return false;
}

function differs(request: DiffersRequest, snapshot: Snapshot, contents: CheckpointContents): boolean {
  if (snapshot.items.length !== contents.entries.length) return true;
  const stored = new Map(contents.entries.map((entry) => [treePathOf(entry.path), entry]));
  for (const { path, mode, oid } of snapshot.items) {
    const entry = stored.get(path);
    if (entry?.oid !== oid || entry.mode !== mode) return true;
  }
  const { git, commit, missing } = contents.manifest;
  const live = { ...describeFiles(snapshot, request), git, commit, missing };
  return renderComparable(live) !== renderComparable(contents.manifest);
}

/** A workspace that was just restored has no cache: the next capture need not read everything again. */
async function rememberSnapshot(request: DiffersRequest, snapshot: Snapshot): Promise<void> {
  const { root, takenMs, selection, items } = snapshot;
  const { ignoreKey, carried } = selection;
  const objects = [...snapshot.trees.trees.keys()];
  const header = {
    format: 2,
    root,
    takenMs,
    checkpoint: request.checkpoint,
    ignoreKey,
    carried,
    objects,
    git: null,
  } as const;
  const files = items.filter((item): item is SnapshotItem & CachedFile => item.entry !== null);
  await writeStatCache(request.workspace.privateFolder, header, files);
}
