/** Captures a workspace as one durable commit in `store.git`. */
import { Failure } from '@ramet/core/codes';
import type { CaptureRequest, CheckpointRecord } from '../types.ts';
import { deriveKept } from './agent-git/keeping.ts';
import { AgentGitUnusable } from './agent-git/objects-source.ts';
import { readReferences } from './agent-git/references.ts';
import { bringObjects } from './agent-git/transfer.ts';
import { countChanges } from './changes.ts';
import { describeFiles } from './description.ts';
import { type CachedFile, type CachedGitState, writeStatCache } from './folder/stat-cache.ts';
import { type GitCondition, type Manifest, renderManifest } from './manifest.ts';
import {
  hashObject,
  type ObjectFormat,
  type ObjectType,
  renderCommit,
  renderTree,
  type TreeItem,
} from './objects/format.ts';
import { type ObjectSource, type PackObject, writePack } from './objects/pack.ts';
import { probeObjects } from './objects/read.ts';
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

const KEPT_CODES = new Set(['checkpoint_failed', 'interrupted', 'git_missing']);

async function capture(request: CaptureRequest): Promise<CheckpointRecord> {
  const snapshot = await takeSnapshot(request);
  const objects = new NewObjects(snapshot.format);
  const secured = await secureGit(request, snapshot, objects);
  const manifest: Manifest = {
    ...describeFiles(snapshot, request),
    git: secured.condition,
    commit: secured.state.commit,
  };
  const id = addCheckpoint(snapshot, { manifest, state: secured.state }, objects);
  await storeObjects(request, snapshot, objects);
  const changed = await countChanges(request, snapshot.files.root);
  await writeStatCache(request.workspace.privateFolder, {
    format: 1,
    root: snapshot.root,
    takenMs: snapshot.takenMs,
    checkpoint: id,
    ignoreKey: snapshot.selection.ignoreKey,
    carried: snapshot.selection.carried,
    objects: [...objects.all.keys()],
    git: secured.condition.state === 'complete' ? secured.state : null,
    files: new Map(listCacheable(snapshot)),
  });
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

function* listCacheable(snapshot: Snapshot): Generator<[string, CachedFile]> {
  for (const { entry, oid, pathClass } of snapshot.items) {
    if (entry === null) continue;
    const { ino, size, mtimeMs, ctimeMs } = entry;
    yield [entry.path, { ino, size, mtimeMs, ctimeMs, oid, pathClass }];
  }
}

/** The objects a checkpoint consists of, each once. */
class NewObjects {
  readonly all = new Map<string, PackObject>();
  readonly format: ObjectFormat;

  constructor(format: ObjectFormat) {
    this.format = format;
  }

  add(oid: string, type: ObjectType, source: ObjectSource): void {
    // One content may lie in many files; bytes in memory are the better source.
    if (!this.all.has(oid) || source.kind === 'bytes') this.all.set(oid, { oid, type, source });
  }

  addBytes(type: ObjectType, bytes: Uint8Array): string {
    const oid = hashObject(this.format, type, bytes);
    this.add(oid, type, { kind: 'bytes', bytes });
    return oid;
  }
}

interface SecuredGit {
  readonly condition: GitCondition;
  readonly state: CachedGitState;
}

/**
 * Makes the store hold the agent's objects. They are a function of the git directory's bytes: with those unchanged
 * since the last checkpoint, and that still stored, nothing has to be asked.
 */
async function secureGit(request: CaptureRequest, snapshot: Snapshot, objects: NewObjects): Promise<SecuredGit> {
  const { cache, condition } = snapshot;
  const nothing: CachedGitState = { gitTree: '', commit: null, parents: [], keep: null, tags: null };
  if (snapshot.head === '' || snapshot.git === null) return { condition, state: nothing };
  const gitTree = snapshot.git.root;
  if (cache?.git?.gitTree === gitTree && (await isStored(request, cache.checkpoint))) {
    return { condition, state: cache.git };
  }
  const paths = snapshot.items.map((item) => item.workspacePath).filter((path) => path.startsWith('.git/'));
  const references = readReferences({
    root: request.workspace.path,
    head: snapshot.head,
    files: paths,
    format: snapshot.format,
  });
  const { all, main } = snapshot.indexes;
  const linked = all.filter((index) => index !== main).flatMap((index) => index.required);
  const wanted = {
    required: new Set([...references.required, ...(main?.required ?? [])]),
    mentioned: new Set([...references.mentioned, ...linked, ...all.flatMap((index) => index.mentioned)]),
  };
  try {
    const brought = await bringObjects(request.workspace, snapshot.format, wanted);
    const kept = await deriveKept(request.workspace.project, brought);
    const tags = [...kept.tags].map(
      ([name, raw]): TreeItem => ({ name, mode: '100644', oid: objects.addBytes('blob', raw) }),
    );
    const addTree = (items: readonly TreeItem[]) =>
      items.length === 0 ? null : objects.addBytes('tree', renderTree(items));
    const { parents } = kept;
    return {
      condition,
      state: { gitTree, commit: references.commit, parents, keep: addTree(kept.keep), tags: addTree(tags) },
    };
  } catch (error) {
    if (!(error instanceof AgentGitUnusable)) throw error;
    const reason = `git does not run on the workspace's .git: ${error.message}`;
    return { condition: { state: 'unusable', reason }, state: nothing };
  }
}

/** Whether the store holds the run's previous checkpoint, and the stat cache is the one taken with it. */
async function isStored(request: CaptureRequest, checkpoint: string | null): Promise<boolean> {
  if (checkpoint === null || checkpoint !== request.previous) return false;
  return (await probeObjects(request.workspace.project.storeGit, [checkpoint])).has(checkpoint);
}

function addCheckpoint(
  snapshot: Snapshot,
  { manifest, state: git }: { manifest: Manifest; state: CachedGitState },
  objects: NewObjects,
): string {
  for (const { oid, source } of snapshot.items) objects.add(oid, 'blob', source);
  const items: TreeItem[] = [];
  for (const [name, built] of [
    ['files', snapshot.files],
    ['git', snapshot.git],
    ['nested', snapshot.nested],
  ] as const) {
    for (const [oid, bytes] of built?.trees ?? []) objects.add(oid, 'tree', { kind: 'bytes', bytes });
    if (built !== null) items.push({ name, mode: '40000', oid: built.root });
  }
  if (git.keep !== null) items.push({ name: 'keep', mode: '40000', oid: git.keep });
  if (git.tags !== null) items.push({ name: 'tags', mode: '40000', oid: git.tags });
  items.push({ name: 'manifest', mode: '100644', oid: objects.addBytes('blob', renderManifest(manifest)) });
  const tree = objects.addBytes('tree', renderTree(items));
  return objects.addBytes('commit', renderCommit(tree, git.parents));
}

/** Writes what the store does not have yet. */
async function storeObjects(request: CaptureRequest, snapshot: Snapshot, objects: NewObjects): Promise<void> {
  const { storeGit } = request.workspace.project;
  const { cache } = snapshot;
  const { previous } = request;
  const known = new Set(cache !== null && cache.checkpoint === previous ? cache.objects : []);
  const asked = [...objects.all.keys()].filter((oid) => !known.has(oid));
  let present = await probeObjects(storeGit, previous === null ? asked : [...asked, previous]);
  let missing = asked.filter((oid) => !present.has(oid));
  if (known.size > 0 && previous !== null && !present.has(previous)) {
    present = await probeObjects(storeGit, objects.all.keys());
    missing = [...objects.all.keys()].filter((oid) => !present.has(oid));
  }
  await writePack(
    storeGit,
    snapshot.format,
    missing.flatMap((oid) => objects.all.get(oid) ?? []),
  );
}
