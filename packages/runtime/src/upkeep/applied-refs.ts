/**
 * The refs that `apply` left in the person's repositories. They outlive their runs, because what they name is the
 * person's then; they are removed only when that is asked for.
 */
import { isRefusal } from '@ramet/core';
import type { RunSummary } from '../inspect/index.ts';
import type { FileStore } from '../store/index.ts';
import { isOnBranch, readRef, refOf, removeRef } from '../workspace/apply/index.ts';
import { findRepository, type Repository, readProject } from '../workspace/project/index.ts';
import { makeReason, type UnsavedReason } from '../workspace/unsaved/index.ts';

export interface AppliedRef {
  /** A checkout of the person's. */
  readonly repository: string;
  readonly ref: string;
  readonly commit: string;
}

/** The ref of a run in the repository of its project; null without one, or where the repository is gone. */
export async function findAppliedRef(store: FileStore, run: RunSummary): Promise<AppliedRef | null> {
  const repository = run.project === null ? null : await findRepositoryOf(store, run.project);
  if (repository === null) return null;
  const ref = refOf(run.id);
  const commit = await readRef(repository, ref);
  return commit === null ? null : { repository: repository.checkout, ref, commit };
}

/** Why removing a ref loses work; null where a branch leads there too. */
export async function describeRefLoss({ repository: path, ref, commit }: AppliedRef): Promise<UnsavedReason | null> {
  const repository = await findRepository(path);
  if (repository === null || isRefusal(repository) || (await isOnBranch(repository, commit))) return null;
  return makeReason('ref', [], `${ref} in ${path}`);
}

/** Removes a ref while it names what it did; throws `git_failed` when it was moved meanwhile. */
export async function removeAppliedRef({ repository: path, ref, commit }: AppliedRef): Promise<void> {
  const repository = await findRepository(path);
  if (repository !== null && !isRefusal(repository)) await removeRef(repository, ref, commit);
}

async function findRepositoryOf(store: FileStore, id: string): Promise<Repository | null> {
  const project = await readProject({ stateFolder: store.layout.home, id });
  if (isRefusal(project)) return null;
  const repository = await findRepository(project.checkout);
  if (repository === null || isRefusal(repository)) return null;
  return repository.commonDir === project.commonDir ? repository : null;
}
