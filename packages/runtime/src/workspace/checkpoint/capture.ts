/**
 * Captures a workspace as one durable commit in `store.git`.
 *
 * 1. The commit's id is a function of the workspace's state: an unchanged workspace gives the same checkpoint again.
 * 2. No ref is made. A checkpoint lives by being named in a log: `gc` takes its roots from the logs, nothing else
 *    prunes, and captures of several runs share no lock.
 * 3. Everything is durable (`core.fsync=all`, and the pack folder's names) before the id is returned.
 * 4. What the last capture stored is believed to be stored only if its checkpoint is the one the run's log names, and
 *    every pack there was then is there now. Else git checks that every object a small pack links to is there (packs
 *    get other names when `gc` joins them); where that fails, everything is asked for and written anew.
 */
import { Failure } from '@ramet/core/codes';
import type { CaptureRequest, CheckpointRecord, Project } from '../types.ts';
import { TOLERATED } from './agent-git/transfer.ts';
import { countChanges } from './changes.ts';
import { describeFiles } from './description.ts';
import {
  type CachedFile,
  type CachedGitState,
  cachedSide,
  type StatCache,
  writeStatCache,
} from './folder/stat-cache.ts';
import { locateContent, type SnapshotItem } from './items.ts';
import { type Manifest, renderManifest } from './manifest.ts';
import { NewObjects } from './new-objects.ts';
import { renderCommit, renderTree, type TreeItem } from './objects/format.ts';
import { listPackFiles, writePack } from './objects/pack.ts';
import { probeObjects } from './objects/read.ts';
import { writeSmallPack } from './objects/small-pack.ts';
import { secureGit } from './secure-git.ts';
import { type Snapshot, takeSnapshot } from './snapshot.ts';

/**
 * Captures a workspace no process of the run is alive in. The checkpoint is durable when it returns. Throws
 * `Failure('checkpoint_failed')` naming why; nothing then counts as captured.
 */
export async function captureCheckpoint(request: CaptureRequest): Promise<CheckpointRecord> {
  try {
    return await capture(request);
  } catch (error) {
    if (error instanceof Failure && KEPT_CODES.has(error.code)) throw error;
    const why = error instanceof Error ? error.message : String(error);
    const where = JSON.stringify(request.workspace.path);
    throw new Failure('checkpoint_failed', `The workspace ${where} could not be captured: ${why}`, { cause: error });
  }
}

const KEPT_CODES: ReadonlySet<string> = new Set(['checkpoint_failed', 'interrupted', 'git_missing']);

async function capture(request: CaptureRequest): Promise<CheckpointRecord> {
  const snapshot = await takeSnapshot(request);
  const { cache } = snapshot;
  const last = cache !== null && cache.checkpoint === request.previous ? cache : null;
  const stored = await storeCheckpoint({ request, snapshot, last });
  const changed = await countChanges({ request, snapshot, last });
  const { selection, root, takenMs } = snapshot;
  const { ignoreKey, carried } = selection;
  const { manifest, id, made } = stored;
  // An index is no cached file, and most captures meet the same one again.
  const replaced = snapshot.items.filter((item) => item.entry === null).map((item) => item.oid);
  const objects = [...made, ...replaced];
  const git = manifest.git.state === 'complete' ? stored.state : null;
  const packs = listPacks(request.workspace.project);
  const header = { root, takenMs, checkpoint: id, ignoreKey, carried, objects, git, packs } as const;
  await writeStatCache(request.workspace.privateFolder, header, listCacheable(snapshot));
  return describeRecord(id, manifest, changed);
}

/** An index is not cached: it is read anew each time. */
function listCacheable(snapshot: Snapshot): CachedFile[] {
  return snapshot.items.filter((item): item is SnapshotItem & CachedFile => item.entry !== null);
}

function describeRecord(id: string, manifest: Manifest, changed: CheckpointRecord['changed']): CheckpointRecord {
  const { files, bytes, head, commit, operation, leftOut, leftOutCount, git } = manifest;
  return {
    ...{ id, files, bytes, head, commit, operation, leftOut, changed },
    ...(leftOutCount > leftOut.length ? { leftOutCount } : {}),
    ...(git.state === 'complete' ? {} : { git: { state: git.state, reason: git.reason ?? '' } }),
  };
}

interface CaptureState {
  readonly request: CaptureRequest;
  readonly snapshot: Snapshot;
  /** The cache of the run's last checkpoint, while what it says is stored is believed. */
  readonly last: StatCache | null;
}

interface StoredCheckpoint {
  readonly id: string;
  readonly manifest: Manifest;
  readonly state: CachedGitState;
  readonly made: readonly string[];
}

async function storeCheckpoint(capturing: CaptureState): Promise<StoredCheckpoint> {
  const { request, snapshot, last } = capturing;
  const objects = new NewObjects(snapshot.format, new Set(last?.objects ?? []));
  const { condition, state } = await secureGit({ request, snapshot, objects, last: last?.git ?? null });
  const manifest: Manifest = {
    ...describeFiles(snapshot, request),
    git: condition,
    commit: state.commit,
    missing: state.missing,
  };
  for (const item of snapshot.items) {
    if (last !== null && (item.unchanged || cachedSide(last, item.workspacePath)?.oid === item.oid)) continue;
    objects.add(item.oid, 'blob', locateContent(request.workspace.path, item));
  }
  const id = addCheckpoint(snapshot, { manifest, state }, objects);
  if (await writeObjects(capturing, objects)) return { id, manifest, state, made: objects.made };
  return storeCheckpoint({ ...capturing, last: null });
}

function addCheckpoint(
  snapshot: Snapshot,
  { manifest, state }: { manifest: Manifest; state: CachedGitState },
  objects: NewObjects,
): string {
  for (const [oid, bytes] of snapshot.trees.trees) objects.addMade(oid, 'tree', bytes);
  if (!snapshot.trees.areas.has('files')) objects.make('tree', new Uint8Array());
  const items: TreeItem[] = [{ name: 'manifest', mode: '100644', oid: objects.make('blob', renderManifest(manifest)) }];
  const areas = { files: snapshot.filesTree, git: null, nested: null, ...Object.fromEntries(snapshot.trees.areas) };
  for (const [name, oid] of Object.entries({ ...areas, keep: state.keep, tags: state.tags })) {
    if (oid !== null) items.push({ name, mode: '40000', oid });
  }
  return objects.make('commit', renderCommit(objects.make('tree', renderTree(items)), state.parents));
}

function listPacks({ storeGit, baseGit }: Project): NonNullable<StatCache['packs']> {
  return { store: listPackFiles(storeGit), base: listPackFiles(baseGit) };
}

/** Whether every pack of the last capture is still there: packs do not change, so what it stored is, too. */
function holdsPacks(project: Project, { packs }: StatCache): boolean {
  if (packs === null) return false;
  const now = listPacks(project);
  const [store, base] = [new Set(now.store), new Set(now.base)];
  return packs.store.every((name) => store.has(name)) && packs.base.every((name) => base.has(name));
}

/** Writes what the store does not have; false when it lacks what the last capture is said to have stored. */
async function writeObjects({ request, snapshot, last }: CaptureState, objects: NewObjects): Promise<boolean> {
  const { storeGit } = request.workspace.project;
  const { candidates } = objects;
  const small = last === null ? null : objects.listSmall();
  if (last !== null && small !== null && holdsPacks(request.workspace.project, last)) {
    if (small.length > 0) writeSmallPack(storeGit, snapshot.format, small);
    return true;
  }
  if (last !== null && candidates.size > 0 && objects.isSmall()) {
    try {
      await writePack(storeGit, snapshot.format, { objects: [...candidates.values()], strict: TOLERATED });
      return true;
    } catch (error) {
      if (error instanceof Failure && error.code === 'git_failed') return false;
      throw error;
    }
  }
  const asked = [...candidates.keys(), ...(last === null ? [] : [last.checkpoint])];
  const present = await probeObjects(storeGit, asked);
  if (last !== null && !present.has(last.checkpoint)) return false;
  const missing = [...candidates.values()].filter(({ oid }) => !present.has(oid));
  await writePack(storeGit, snapshot.format, { objects: missing });
  return true;
}
