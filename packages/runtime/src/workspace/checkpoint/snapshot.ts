/**
 * A workspace's state as git objects, computed without writing any: what `capture` stores and what comparing a live
 * workspace with a checkpoint needs. Reads only what the stat cache does not know to be unchanged.
 */
import { lstatSync } from 'node:fs';
import { Failure } from '@ramet/core/codes';
import type { CaptureRequest, LeftOut } from '../types.ts';
import { lookAtGitFolder } from './agent-git/git-files.ts';
import { type AgentIndexes, readIndexes, type StoredIndex } from './agent-git/indexes.ts';
import { findOperation, readHead } from './agent-git/references.ts';
import { type NamedContents, nameContents } from './contents.ts';
import { type BuiltTrees, buildTrees } from './file-trees.ts';
import type { Comparison } from './folder/comparison.ts';
import type { CapturedColumns, FileTable } from './folder/file-table.ts';
import { type IndexedPaths, listStrays, openIndexedPaths } from './folder/index-entries.ts';
import { type BytePath, isOwnGitFolder, joinPath } from './folder/names.ts';
import { type Selection, selectPaths } from './folder/selection.ts';
import { readStatCache, type StatCache, writeStatCache } from './folder/stat-cache.ts';
import type { GitCondition } from './manifest.ts';
import { hashObject, type ObjectFormat, readObjectFormat } from './objects/format.ts';

export type SnapshotRequest = Pick<CaptureRequest, 'workspace' | 'carry' | 'captureIgnored' | 'limits'>;

export type SnapshotFiles = FileTable & Comparison & CapturedColumns & NamedContents;

export interface Snapshot {
  readonly format: ObjectFormat;
  readonly root: readonly [number, number];
  readonly takenMs: number;
  /** The cache as it was before. */
  readonly cache: StatCache | null;
  readonly selection: Selection;
  readonly indexes: AgentIndexes;
  readonly indexed: IndexedPaths;
  /** Files and links but the indexes, with the ids of their contents. */
  readonly files: SnapshotFiles;
  /** The indexes as they are stored. */
  readonly replaced: readonly StoredIndex[];
  /** Trees; those the cache knows are not put together again. */
  readonly trees: BuiltTrees;
  /** The tree of the working tree's files, an empty one where there are none. */
  readonly filesTree: string;
  /** Files of the git directory that are held. */
  readonly gitPaths: readonly BytePath[];
  readonly head: string;
  readonly condition: GitCondition;
  readonly operation: string | null;
  readonly leftOut: readonly LeftOut[];
}

/** Computes the state of a workspace. */
export async function takeSnapshot(request: SnapshotRequest): Promise<Snapshot> {
  const { workspace } = request;
  const takenMs = Date.now();
  const root = identifyRoot(workspace.path);
  const format = await readObjectFormat(workspace.project.storeGit);
  const cache = readStatCache(workspace.privateFolder, root);
  const indexes = readIndexes(workspace.path, format, cache?.index ?? null);
  const indexed = openIndexedPaths(indexes.main, cache);
  const place = { root: workspace.path, privateFolder: workspace.privateFolder, format };
  const selection = await selectPaths({ ...request, ...place, indexes, indexed, cache });
  const named = await nameContents({ root: workspace.path, format, files: selection.files, cache });
  const files = { ...selection.files, ...named };
  const replaced = indexes.all.flatMap((index) => index.stored);
  const trees = buildTrees({ format, files, replaced, earlier: new Map(cache?.trees) });
  const gitPaths = listGitPaths(files);
  return {
    format,
    root,
    takenMs,
    cache,
    selection,
    indexes,
    indexed,
    files,
    replaced,
    trees,
    filesTree: trees.areas.get('files') ?? hashObject(format, 'tree', new Uint8Array()),
    gitPaths,
    head: readHead(workspace.path) ?? '',
    condition: findCondition(workspace.path, selection, indexes),
    operation: findOperation(gitPaths),
    leftOut: selection.leftOut,
  };
}

/** All trees of a snapshot with their bytes, for a store that may not have the earlier ones. */
export function buildAllTrees({ format, files, replaced }: Snapshot): BuiltTrees {
  return buildTrees({ format, files, replaced, earlier: new Map() });
}

/** What a capture of the snapshot stored. */
export interface Stored extends Pick<StatCache, 'checkpoint' | 'git' | 'packs'> {
  readonly trees: BuiltTrees;
  /** Ids of the other objects it made. */
  readonly objects: readonly string[];
}

/** Leaves a snapshot to the next one as its stat cache. */
export function rememberCapture(privateFolder: string, snapshot: Snapshot, stored: Stored): void {
  const { format, root, takenMs, selection, files, replaced } = snapshot;
  const { ignoreKey, carried } = selection;
  // An index has no row, and most captures meet the same one again.
  const objects = [...stored.objects, ...replaced.map(({ oid }) => oid)];
  const trees = [...stored.trees.folders];
  const index = describeIndex(snapshot);
  const header = { ...stored, rawLength: format.rawLength, root, takenMs, ignoreKey, carried, objects, trees, index };
  writeStatCache(privateFolder, header, files);
}

/** More strays are not worth remembering: parsing the index costs no more. */
const MOST_STRAYS = 1000;

function describeIndex({ indexes: { main }, indexed, files }: Snapshot): StatCache['index'] {
  const [stored] = main?.stored ?? [];
  if (main === null || stored === undefined || !main.whole) return null;
  const strays = listStrays(indexed, files.entries);
  if (strays.length > MOST_STRAYS) return null;
  return { digest: main.digest, oid: stored.oid, count: indexed.count, strays };
}

function listGitPaths(files: SnapshotFiles): BytePath[] {
  return files.folders
    .filter((folder) => isOwnGitFolder(folder.path))
    .flatMap(({ path, from, to }) => files.names.slice(from, to).map((name) => joinPath(path, name)));
}

function identifyRoot(path: string): readonly [number, number] {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory()) return [stats.dev, stats.ino];
  throw new Failure('checkpoint_failed', `There is no workspace folder at ${JSON.stringify(path)}.`);
}

function findCondition(root: string, selection: Selection, indexes: AgentIndexes): GitCondition {
  const unusable = (reason: string): GitCondition => ({ state: 'unusable', reason });
  const kind = lookAtGitFolder(root);
  if (kind === 'absent') return { state: 'absent', reason: 'the workspace has no .git' };
  if (kind === 'other') return unusable('.git is not a folder');
  if (readHead(root) === null) return unusable('.git/HEAD is missing or damaged');
  if (!selection.hasObjects) return unusable('.git/objects is missing');
  const folders = new Set(selection.folders.map((folder) => folder.path));
  if (folders.has('.git/reftable')) return unusable('refs are kept in a reftable, which is not supported');
  if (!folders.has('.git/refs')) return unusable('.git/refs is missing');
  return indexes.damage === null ? { state: 'complete', reason: null } : unusable(indexes.damage);
}
