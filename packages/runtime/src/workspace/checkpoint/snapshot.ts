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
import { type Selection, selectPaths } from './folder/selection.ts';
import { readStatCache, type StatCache } from './folder/stat-cache.ts';
import { hashItems, type SnapshotItem } from './items.ts';
import type { GitCondition } from './manifest.ts';
import { type BuiltTrees, buildTrees, type ObjectFormat, readObjectFormat, type TreeFile } from './objects/format.ts';

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
  readonly files: BuiltTrees;
  /** Null where there is nothing in it. */
  readonly git: BuiltTrees | null;
  readonly nested: BuiltTrees | null;
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
  const area = (name: string) =>
    items.filter((item) => item.path.startsWith(`${name}/`)).map((item) => below(name, item));
  const build = (files: TreeFile[]) => (files.length === 0 ? null : buildTrees(format, files));
  const gitPaths = items.map((item) => item.workspacePath).filter((path) => path.startsWith('.git/'));
  return {
    format,
    root,
    takenMs,
    cache,
    selection,
    indexes,
    items,
    files: buildTrees(format, area('files')),
    git: build(area('git')),
    nested: build(area('nested')),
    head: readHead(workspace.path) ?? '',
    condition: findCondition(workspace.path, selection, indexes),
    operation: findOperation(gitPaths),
    leftOut: selection.leftOut,
  };
}

function below(name: string, item: SnapshotItem): TreeFile {
  return { path: item.path.slice(name.length + 1), mode: item.mode, oid: item.oid };
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
