/**
 * Makes a run's private checkout.
 *
 * 1. All or nothing: it is built beside its place and renamed there.
 * 2. The person's checkout, index, refs and config are only read, and no program they name is run.
 * 3. Nothing in it is shared with the person but objects in `base.git`, which no one prunes.
 */
import { lstat, mkdir, realpath, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { Failure, isRefusal, type Refusal, refuse } from '@ramet/core/codes';
import { findRepository, type Repository } from '../project/index.ts';
import type { LeftOut, OpenedWorkspace, Project } from '../types.ts';
import { type BuildRequest, buildRepository } from './build.ts';
import { refuseAbsurdRoot } from './guard.ts';
import { buildSubmodules } from './submodules.ts';
import { type BuiltRepository, type CheckoutRequest, DEFAULT_CARRY, DEFAULT_CHECKOUT_LIMITS } from './types.ts';

const LISTED = 200;

/** Makes the private checkout at `target` from the person's checkout, as it is now. */
export async function createCheckout(given: CheckoutRequest): Promise<OpenedWorkspace | Refusal> {
  const request = { ...given, target: resolve(given.target) };
  const limits = { ...DEFAULT_CHECKOUT_LIMITS, ...request.limits };
  const repository = await findRepository(request.project.checkout);
  if (isRefusal(repository)) return repository;
  if (repository === null) return refuseGone(request.project);
  const absurd = limits.allowHome ? null : await refuseAbsurdRoot(repository.checkout);
  if (absurd !== null) return absurd;
  await refuseExisting(request.target);
  const staging = join(dirname(request.target), `.${basename(request.target)}.staging`);
  // Left by a process that died: only the owner of the run makes its workspace.
  await removeStaging(staging);
  try {
    await mkdir(staging, { recursive: true, mode: 0o700 });
    const built = await buildAll(request, { repository, limits, staging });
    if (isRefusal(built)) return built;
    await rename(join(staging, 'workspace'), request.target);
    return describeWorkspace(built);
  } catch (cause) {
    if (cause instanceof Failure) throw cause;
    if (request.signal?.aborted)
      throw new Failure('interrupted', 'Making the workspace was interrupted; nothing is left of it.');
    const code = (cause as NodeJS.ErrnoException).code === 'ENOSPC' ? 'disk_failed' : 'workspace_failed';
    throw new Failure(code, `Could not make the workspace ${request.target}: ${(cause as Error).message}`, { cause });
  } finally {
    await removeStaging(staging);
  }
}

interface BuildPlan {
  readonly repository: Repository;
  readonly limits: BuildRequest['limits'];
  readonly staging: string;
}

async function buildAll(request: CheckoutRequest, plan: BuildPlan): Promise<BuiltRepository | Refusal> {
  const { project, signal } = request;
  const build: BuildRequest = {
    project,
    repository: plan.repository,
    path: join(plan.staging, 'workspace'),
    scratch: join(plan.staging, 'shadow'),
    pinned: null,
    allowDirty: request.allowDirty,
    carry: request.carry ?? DEFAULT_CARRY,
    captureIgnored: request.captureIgnored,
    limits: plan.limits,
    // `projects/<id>` lies in the state folder.
    stateFolder: await realpath(dirname(dirname(project.folder))),
    signal,
  };
  const built = await buildRepository(build);
  if (isRefusal(built)) return built;
  return buildSubmodules(build, built);
}

function describeWorkspace(built: BuiltRepository): OpenedWorkspace {
  const { copied, leftOut } = built;
  return {
    kind: 'git',
    base: built.base,
    branch: built.branch,
    carried: built.carried,
    copied: copied.slice(0, LISTED),
    leftOut: leftOut.slice(0, LISTED) satisfies readonly LeftOut[],
    dirty: built.dirty,
    counts: { copied: copied.length, leftOut: leftOut.length },
  };
}

function refuseGone(project: Project): Refusal {
  return refuse('no_workspace', `There is no repository at ${JSON.stringify(project.checkout)} any more.`, {
    path: project.checkout,
  });
}

async function refuseExisting(target: string): Promise<void> {
  const stats = await lstat(target).catch(() => null);
  if (stats !== null)
    throw new Failure('workspace_failed', `Could not make the workspace ${target}: something is there already.`);
}

async function removeStaging(staging: string): Promise<void> {
  // A git that outlived a killed owner may still write here for a moment.
  await rm(staging, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}
