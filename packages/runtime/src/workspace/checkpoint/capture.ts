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
import { locateContent } from './contents.ts';
import { describeFiles } from './description.ts';
import type { BuiltTrees } from './file-trees.ts';
import { describeRow, oidOf } from './folder/file-table.ts';
import type { CachedGitState, StatCache } from './folder/stat-cache.ts';
import { type Manifest, renderManifest } from './manifest.ts';
import { NewObjects } from './new-objects.ts';
import { renderCommit, renderTree, type TreeItem } from './objects/format.ts';
import { listPackFiles, writePack } from './objects/pack.ts';
import { probeObjects } from './objects/read.ts';
import { writeSmallPack } from './objects/small-pack.ts';
import { secureGit } from './secure-git.ts';
import { buildAllTrees, rememberCapture, type Snapshot, takeSnapshot } from './snapshot.ts';

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
  const { manifest, id, made: objects, trees } = stored;
  const git = manifest.git.state === 'complete' ? stored.state : null;
  const packs = listPacks(request.workspace.project);
  rememberCapture(request.workspace.privateFolder, snapshot, { checkpoint: id, objects, trees, git, packs });
  return describeRecord(id, manifest, changed);
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
  readonly trees: BuiltTrees;
  /** Ids of all else that was made by us. */
  readonly made: readonly string[];
}

async function storeCheckpoint(capturing: CaptureState): Promise<StoredCheckpoint> {
  const { request, snapshot, last } = capturing;
  const objects = new NewObjects(snapshot.format, listStored(last));
  const { condition, state } = await secureGit({ request, snapshot, objects, last: last?.git ?? null });
  const manifest: Manifest = {
    ...describeFiles(snapshot, request),
    git: condition,
    commit: state.commit,
    missing: state.missing,
  };
  addContents(capturing, objects);
  const trees = last === null ? buildAllTrees(snapshot) : snapshot.trees;
  for (const [oid, bytes] of trees.made) objects.add(oid, 'tree', { kind: 'bytes', bytes });
  const id = addCheckpoint(trees, { manifest, state }, objects);
  if (await writeObjects(capturing, objects)) return { id, manifest, state, trees, made: objects.made };
  return storeCheckpoint({ ...capturing, last: null });
}

function listStored(last: StatCache | null): Set<string> {
  if (last === null) return new Set();
  return new Set([...last.objects, ...last.trees.map(([, { oid }]) => oid)]);
}

/** Adds the contents that the last checkpoint does not hold. */
function addContents({ request, snapshot, last }: CaptureState, objects: NewObjects): void {
  const { files, replaced, format } = snapshot;
  const root = request.workspace.path;
  for (const { oid, read } of replaced)
    if (!objects.has(oid)) objects.add(oid, 'blob', { kind: 'bytes', bytes: read() });
  for (const { path: folder, from, to } of files.folders) {
    for (let row = from; row < to; row += 1) {
      if (last !== null && files.unchanged[row] === 1) continue;
      const oid = oidOf(files, row, format.rawLength);
      const before = files.before[row] ?? -1;
      if (last !== null && before >= 0 && oidOf(last, before, format.rawLength) === oid) continue;
      objects.add(oid, 'blob', locateContent(root, describeRow(files, folder, row), files.contents.get(row)));
    }
  }
}

function addCheckpoint(
  trees: BuiltTrees,
  { manifest, state }: { manifest: Manifest; state: CachedGitState },
  objects: NewObjects,
): string {
  const filesTree = trees.areas.get('files') ?? objects.make('tree', new Uint8Array());
  const items: TreeItem[] = [{ name: 'manifest', mode: '100644', oid: objects.make('blob', renderManifest(manifest)) }];
  const areas = { files: filesTree, git: null, nested: null, ...Object.fromEntries(trees.areas) };
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
    if (small.length > 0) await writeSmallPack(storeGit, snapshot.format, small);
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
