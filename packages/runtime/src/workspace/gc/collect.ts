/**
 * Frees what no run of a project needs.
 *
 * 1. It holds the project's lock exclusively: captures, restores and forks hold it shared until the event that names
 *    their checkpoint is durable.
 * 2. It refuses while a log is unreadable, naming it.
 * 3. A project without any run is removed whole; removing the last run does not do that, so that its next run starts
 *    as fast as this one did.
 */
import { readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isRefusal, type Refusal, refuse } from '@ramet/core';
import { syncFolder } from '../../store/durable.ts';
import { layoutOf, type StateLayout } from '../../store/layout.ts';
import { acquireLock } from '../../store/lock.ts';
import { sweepStaging } from '../../store/staging.ts';
import { withFileLock } from '../project/index.ts';
import type { Project } from '../types.ts';
import { type Consolidation, consolidateStore } from './consolidate.ts';
import { listPacks, measureObjects } from './packs.ts';
import { type Roots, readRoots } from './roots.ts';

export interface GarbageRequest {
  /** The state folder. */
  readonly home: string;
  readonly project: Project;
  /** Count what would be freed, and change nothing. */
  readonly dryRun: boolean;
}

export interface GarbageReport extends Consolidation {
  readonly project: string;
  readonly dryRun: boolean;
  readonly runs: number;
  readonly checkpoints: number;
  /** No run was left: the project's folder is gone (`bytesBefore` then counts the person's commits in it, too). */
  readonly removed: boolean;
}

const PROJECTS_LOCK_WAIT_MS = 30_000;

/** Collects a project's garbage. Refuses with `owned_elsewhere` while it is in use, `log_damaged`, `log_newer`. */
export async function collectGarbage(request: GarbageRequest): Promise<GarbageReport | Refusal> {
  const { project } = request;
  const lock = await acquireLock(join(project.folder, 'lock'), 'exclusive');
  if (lock === null) {
    const message = `A checkpoint of project ${project.id} is being taken or restored right now; nothing was collected: try again when no session of it is busy.`;
    return refuse('owned_elsewhere', message, { project: project.id });
  }
  try {
    return await collect(request);
  } finally {
    lock.release();
  }
}

async function collect({ home, project, dryRun }: GarbageRequest): Promise<GarbageReport | Refusal> {
  const layout = layoutOf(home);
  if (!dryRun) sweepStaging(layout);
  const roots = readRoots(layout, project.id);
  if (isRefusal(roots)) return roots;
  const { runs, checkpoints } = roots;
  const facts = { project: project.id, dryRun, runs: runs.size, checkpoints: checkpoints.size };
  if (runs.size === 0 && roots.unknown === 0) {
    const removed = await removeProject(layout, project, dryRun);
    if (removed !== null) return { ...facts, ...removed, removed: true };
  }
  return { ...facts, ...(await consolidateStore(project, roots, dryRun)), removed: false };
}

/**
 * Removes a project that no run names. A run that is being made of it right now has read its record already: the folder
 * is put back when one shows up; one that comes later finds no folder, fails, and makes a new project when tried again.
 */
async function removeProject(layout: StateLayout, project: Project, dryRun: boolean): Promise<Consolidation | null> {
  const bytesBefore = measureObjects(project.storeGit) + measureObjects(project.baseGit);
  const packsBefore = listPacks(project.storeGit).length;
  const gone = { bytesBefore, bytesAfter: 0, packsBefore, packsAfter: 0, damaged: [] };
  if (dryRun) return gone;
  return withFileLock(join(layout.projects, 'lock'), PROJECTS_LOCK_WAIT_MS, async () => {
    // What begins so is swept by whoever makes the next project, should this process die.
    const grave = join(layout.projects, `.staging-${project.id}`);
    renameSync(project.folder, grave);
    if (!isUnused(readRoots(layout, project.id))) {
      renameSync(grave, project.folder);
      return null;
    }
    await syncFolder(layout.projects);
    rmSync(grave, { recursive: true, force: true });
    return gone;
  });
}

function isUnused(roots: Roots | Refusal): boolean {
  return !isRefusal(roots) && roots.runs.size === 0 && roots.unknown === 0;
}

/** Ids of the projects in a state folder. */
export function listProjects(home: string): string[] {
  try {
    return readdirSync(layoutOf(home).projects).filter((name) => /^[0-9a-f-]{36}$/.test(name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Each capture may add a pack, and every one slows git a little; from here on `gc` is worth its while. */
const MANY_PACKS = 50;

/** The size of a project's store, read without a lock; for `doctor`. */
export function measureStore(project: Project): {
  readonly packs: number;
  readonly bytes: number;
  readonly shouldCollect: boolean;
} {
  const packs = listPacks(project.storeGit).length;
  return { packs, bytes: measureObjects(project.storeGit), shouldCollect: packs > MANY_PACKS };
}
