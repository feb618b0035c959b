/**
 * What would be lost with a run: a workspace that differs from its last checkpoint, and in that checkpoint commits and
 * files found neither in the person's repository or checkout nor in a run that stays.
 *
 * 1. What cannot be compared counts as unsaved.
 * 2. The person's repository is only read; nothing of the workspace is written and no git runs in it.
 */
import { Failure } from '@ramet/core/codes';
import { nestedRepositoryOf } from '../checkpoint/folder/names.ts';
import {
  type BytePath,
  type CheckpointContents,
  listChanges,
  readCheckpoint,
  readCheckpointRefs,
  renderBytePath,
  workspaceDiffers,
} from '../checkpoint/index.ts';
import { readObjectFormat } from '../checkpoint/objects/format.ts';
import { probeObjects, readObjects } from '../checkpoint/objects/read.ts';
import { type FileKind, readKindSource } from '../diff/kinds.ts';
import { withScratch } from '../diff/scratch.ts';
import { emptyTree } from '../diff/tree-names.ts';
import { git, splitLines } from '../git/index.ts';
import type { Project } from '../types.ts';
import { findHolders, findOwnCommits, findOwnFiles, type HeldFile, type Holders } from './holders.ts';
import { makeReason } from './reasons.ts';
import type { UnsavedReason, UnsavedRequest } from './types.ts';

/** Finds what only this run holds; empty: nothing would be lost. */
export async function describeUnsaved(request: UnsavedRequest): Promise<readonly UnsavedReason[]> {
  const { workspace, checkpoint } = request;
  if (checkpoint === null) return workspace === null ? [] : [makeReason('no_checkpoint', [])];
  try {
    const live = workspace !== null && (await workspaceDiffers({ ...request, workspace, checkpoint }));
    const stored = await describeStored(request, checkpoint);
    return [...(live ? [makeReason('workspace_changed', [])] : []), ...stored];
  } catch (error) {
    if (!(error instanceof Failure) || error.code === 'interrupted') throw error;
    return [makeReason('not_comparable', [], error.message)];
  }
}

async function describeStored({ project, others }: UnsavedRequest, checkpoint: string): Promise<UnsavedReason[]> {
  const staying = others();
  if (staying.includes(checkpoint)) return [];
  const contents = await readCheckpoint(project, checkpoint);
  const holders = await findHolders(project, staying);
  const { git: condition, operation } = contents.manifest;
  const commits = await findOwnCommits(holders, await listTips(project, contents));
  return [
    ...(condition.state === 'complete' ? [] : [makeReason('not_comparable', [], condition.reason ?? condition.state)]),
    ...(operation === null ? [] : [makeReason('operation', [], operation)]),
    ...(commits.length === 0
      ? []
      : [
          makeReason(
            'commits',
            commits.map((id) => id.slice(0, 12)),
          ),
        ]),
    ...(await describeFiles(holders, contents)),
    ...(await describeNested(holders, contents)),
  ];
}

/** The commits that HEAD and refs name, through annotated tags too; what only a reflog remembers was let go of. */
async function listTips(project: Project, contents: CheckpointContents): Promise<string[]> {
  const { commit, refs } = await readCheckpointRefs(project, contents);
  const named = new Set(refs.values());
  if (commit !== null) named.add(commit);
  const tags = contents.tags.filter(({ tag }) => named.has(tag));
  const texts = await readObjects(project.storeGit, [...new Set(tags.map(({ blob }) => blob))]);
  for (const text of texts.values()) {
    const [, target] = /^object ([0-9a-f]+)\n/.exec(text.toString('latin1', 0, 80)) ?? [];
    if (target !== undefined) named.add(target);
  }
  const types = await probeObjects(project.storeGit, named);
  return [...types].filter(([, type]) => type === 'commit').map(([id]) => id);
}

async function describeFiles(holders: Holders, contents: CheckpointContents): Promise<UnsavedReason[]> {
  const { project } = holders;
  const format = await readObjectFormat(project.storeGit);
  const { commit } = contents.manifest;
  const from = commit === null ? emptyTree(format) : { kind: 'commit' as const, id: commit };
  const changes = await listChanges(project, from, { kind: 'checkpoint', id: contents.id });
  const changed = changes.flatMap(({ path, to }): HeldFile[] => (to === null ? [] : [{ path, oid: to.oid }]));
  const files = await findOwnFiles(holders, contents.id, { files: changed, format });
  // What a file of the workspace or the commit has, too, is named with that.
  const named = new Set([...files.map((file) => file.oid), ...(await listBlobs(project, commit))]);
  const types = await probeObjects(
    project.storeGit,
    contents.keep.filter((oid) => !named.has(oid)),
  );
  const kept = [...types].flatMap(([oid, type]): HeldFile[] => (type === 'blob' ? [{ path: oid, oid }] : []));
  const staged = await findOwnFiles(holders, contents.id, { files: kept, format });
  const kinds = await findKinds(project, contents, files);
  const select = (...wanted: FileKind[]) => {
    const paths = files.filter(({ path }) => wanted.includes(kinds.get(path) ?? 'untracked'));
    return paths.map(({ path }) => renderBytePath(path));
  };
  const [own, ignored] = [select('tracked', 'untracked'), select('ignored')];
  return [
    ...(own.length === 0 ? [] : [makeReason('files', own)]),
    ...(ignored.length === 0 ? [] : [makeReason('ignored_files', ignored)]),
    ...(staged.length === 0
      ? []
      : [
          makeReason(
            'staged',
            staged.map(({ oid }) => oid.slice(0, 12)),
          ),
        ]),
  ];
}

async function listBlobs(project: Project, commit: string | null): Promise<string[]> {
  if (commit === null) return [];
  const { stdout } = await git({
    gitDir: project.storeGit,
    args: ['ls-tree', '-r', '--full-tree', '--format=%(objectname)', commit],
  });
  return splitLines(stdout);
}

async function findKinds(
  project: Project,
  contents: CheckpointContents,
  files: readonly HeldFile[],
): Promise<ReadonlyMap<BytePath, FileKind>> {
  if (files.length === 0) return new Map();
  return withScratch(project, {}, async (scratch) => {
    const source = await readKindSource(project, contents, scratch);
    return source.findKinds(files.map((file) => file.path));
  });
}

/** Repositories inside the workspace are not looked into: each counts, unless another run holds the very same. */
async function describeNested({ project, others }: Holders, contents: CheckpointContents): Promise<UnsavedReason[]> {
  const roots = new Set<BytePath>();
  for (const { path } of contents.entries) {
    const root = nestedRepositoryOf(path);
    if (root !== null) roots.add(root);
  }
  if (roots.size === 0) return [];
  const trees = [contents.id, ...others].map((id) => `${id}:nested\n`).join('');
  const { stdout } = await git({ gitDir: project.storeGit, args: ['cat-file', '--batch-check'], stdin: trees });
  const [own, ...held] = stdout.toString().split('\n');
  return held.includes(own ?? '') ? [] : [makeReason('nested', [...roots].map(renderBytePath))];
}
