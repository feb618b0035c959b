/**
 * Brings an agent's work back into the person's repository, because they asked for it.
 *
 * 1. Only objects are added, and a ref last: `refs/ramet/<id>` and, when asked, a new branch. The checked-out branch, the
 *    index, config, hooks and every other ref stay as they are, and no hook or filter runs.
 * 2. Files of the checkout change only with `toCheckout`, by a merge without conflicts that overlaps nothing uncommitted;
 *    they then stand as changes that are not staged.
 * 3. A refusal changes nothing.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isRefusal, type Refusal, refuse } from '@ramet/core/codes';
import { readCheckpoint, renderBytePath } from '../checkpoint/index.ts';
import { readConversion } from '../diff/diff.ts';
import { type Scratch, withScratch } from '../diff/scratch.ts';
import { readPersonConfig } from '../git/index.ts';
import { findRepository, type Repository } from '../project/index.ts';
import { findBareRepositories } from './bare.ts';
import { type AppliedCommit, type ApplyPlace, makeAppliedCommit, makeIdentity } from './commit.ts';
import { type MergePlan, planMerge, refuseConflict } from './merge.ts';
import { type CheckedCheckout, checkCheckout, openCheckout } from './overlap.ts';
import { readRef, refOf, refuseBranch, writeRefs } from './refs.ts';
import { bringCommit } from './transfer.ts';
import type { AppliedCheckpoint, ApplyRequest } from './types.ts';
import { writeCheckoutFiles } from './write-files.ts';

/**
 * Applies a checkpoint. Refuses with `no_workspace`, `unsupported_repository`, `bad_usage`, `branch_exists`,
 * `apply_conflict`, `nothing_to_do`; throws `checkpoint_missing`, `git_failed`, `disk_failed`, `workspace_changed`.
 */
export async function applyCheckpoint(request: ApplyRequest): Promise<AppliedCheckpoint | Refusal> {
  const repository = await openRepository(request);
  if (isRefusal(repository)) return repository;
  const taken = request.branch === undefined ? null : await refuseBranch(repository, request.branch);
  if (taken !== null) return taken;
  const { project } = request;
  const conversion = await readConversion(project);
  const objects = [join(repository.commonDir, 'objects')];
  return withScratch(project, { ...conversion, objects }, async (scratch) => {
    const identity = makeIdentity(await readPersonConfig(repository.gitDir), request.takenMs);
    const contents = await readCheckpoint(project, request.checkpoint);
    const { opening: id = null } = request;
    const opening = id === null ? null : await readCheckpoint(project, id);
    return applyTo(repository, { request, contents, opening, scratch, conversion, identity });
  });
}

async function openRepository({ project, checkout }: ApplyRequest): Promise<Repository | Refusal> {
  const path = checkout ?? project.checkout;
  if (!existsSync(path)) {
    const gone = `The repository the session began in is no longer at ${JSON.stringify(path)}: if you moved it, go to where it is now and apply there.`;
    return refuse('no_workspace', gone, { path });
  }
  const repository = await findRepository(path);
  if (isRefusal(repository)) return repository;
  const data = { path };
  if (repository === null) return refuse('no_workspace', `There is no repository at ${JSON.stringify(path)}.`, data);
  if (repository.commonDir === project.commonDir) return repository;
  const other = `${JSON.stringify(path)} is not a checkout of the repository the run was started in (${project.commonDir}).`;
  return refuse('no_workspace', other, data);
}

async function applyTo(repository: Repository, place: ApplyPlace): Promise<AppliedCheckpoint | Refusal> {
  const { request, scratch, contents } = place;
  const merge = request.toCheckout === true ? await planFiles(repository, place) : null;
  if (isRefusal(merge)) return merge;
  const made = await makeAppliedCommit(place);
  if (isRefusal(made)) return made;
  const ref = refOf(request.runId);
  const previous = await readRef(repository, ref);
  if (previous !== made.commit || request.branch !== undefined) {
    const refusal = await publish(repository, place, { made, ref, previous });
    if (refusal !== null) return refusal;
  }
  const { checkout } = repository;
  return {
    ...made,
    ...{ ref, previous },
    branch: request.branch ?? null,
    repository: checkout,
    checkout: merge === null ? null : await writeCheckoutFiles({ ...merge, checkout, scratch: scratch.folder }),
    operation: contents.manifest.operation,
  };
}

interface FilesPlan {
  readonly merge: MergePlan;
  readonly checked: CheckedCheckout;
}

async function planFiles(repository: Repository, place: ApplyPlace): Promise<FilesPlan | Refusal> {
  const { scratch, request } = place;
  const config = await readPersonConfig(repository.gitDir);
  const view = await openCheckout({ project: request.project, repository, config, scratch });
  const merge = await planMerge(place, view);
  if (isRefusal(merge)) return merge;
  const bare = findBareRepositories(repository.checkout, merge.changes);
  if (bare.length > 0) return refuseBare(bare.map(renderBytePath));
  const checked = await checkCheckout(view, merge);
  if (checked.overlaps.length > 0) return refuseConflict(checked.overlaps.map(renderBytePath));
  return { merge, checked };
}

function refuseBare(paths: readonly string[]): Refusal {
  const named = paths.map((path) => JSON.stringify(path)).join(', ');
  const message = `The agent's changes make or change a bare repository at ${named}, whose config and hooks git would obey there; nothing was changed: look at them, and merge the ref if you want them.`;
  return refuse('apply_conflict', message, { paths });
}

interface Publication {
  readonly made: AppliedCommit;
  readonly ref: string;
  readonly previous: string | null;
}

async function publish(
  repository: Repository,
  { request, scratch, identity }: { readonly scratch: Scratch } & Pick<ApplyPlace, 'request' | 'identity'>,
  { made, ref, previous }: Publication,
): Promise<Refusal | null> {
  const brought = await bringCommit(scratch, repository, made.commit);
  if (isRefusal(brought)) return brought;
  try {
    return await writeRefs(repository, {
      ref,
      commit: made.commit,
      previous,
      branch: request.branch ?? null,
      identity,
    });
  } finally {
    await brought.release();
  }
}
