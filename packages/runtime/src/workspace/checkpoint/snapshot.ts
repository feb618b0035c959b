/**
 * A workspace's state as git objects, computed without writing any: what `capture` stores and what comparing a live
 * workspace with a checkpoint needs. Reads only what the stat cache does not know to be unchanged.
 */
import { lstatSync } from 'node:fs';
import { Failure } from '@ramet/core/codes';
import type { CaptureRequest, LeftOut } from '../types.ts';
import { lookAtGitFolder } from './agent-git/git-files.ts';
import { type AgentIndexes, readIndexes } from './agent-git/indexes.ts';
import { findOperation, readHead } from './agent-git/references.ts';
import type { BytePath } from './folder/names.ts';
import { type Selection, selectPaths } from './folder/selection.ts';
import { readStatCache, type StatCache } from './folder/stat-cache.ts';
import { hashItems, type SnapshotItem } from './items.ts';
import type { GitCondition } from './manifest.ts';
import { type BuiltTrees, buildTrees, hashObject, type ObjectFormat, readObjectFormat } from './objects/format.ts';

export type SnapshotRequest = Pick<CaptureRequest, 'workspace' | 'carry' | 'captureIgnored' | 'limits'>;

export interface Snapshot {
  readonly format: ObjectFormat;
  readonly root: readonly [number, number];
  readonly takenMs: number;
  /** The cache as it was before. */
  readonly cache: StatCache | null;
  readonly selection: Selection;
  readonly indexes: AgentIndexes;
  /** Files and links by workspace path, with their content's id and where to read it. */
  readonly items: readonly SnapshotItem[];
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
  const cache = await readStatCache(workspace.privateFolder, root);
  const indexes = readIndexes(workspace.path, format);
  const { privateFolder } = workspace;
  const selection = await selectPaths({ ...request, root: workspace.path, privateFolder, format, indexes, cache });
  const items = await hashItems({ root: workspace.path, format, selection, indexes, cache });
  const trees = buildTrees(format, items);
  const gitPaths: BytePath[] = [];
  for (const { workspacePath } of items) if (workspacePath.startsWith('.git/')) gitPaths.push(workspacePath);
  return {
    format,
    root,
    takenMs,
    cache,
    selection,
    indexes,
    items,
    trees,
    filesTree: trees.areas.get('files') ?? hashObject(format, 'tree', new Uint8Array()),
    gitPaths,
    head: readHead(workspace.path) ?? '',
    condition: findCondition(workspace.path, selection, indexes),
    operation: findOperation(gitPaths),
    leftOut: selection.leftOut,
  };
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
