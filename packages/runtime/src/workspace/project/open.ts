/**
 * Finds or makes the project of a repository.
 *
 * 1. Linked worktrees share one project; a moved repository keeps its own.
 * 2. Two processes at once make one project: it is made under a lock on `projects/lock`, in a staging folder, and
 *    the rename is the commit point.
 * 3. The person's repository is only read.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Failure, isRefusal, type Refusal, refuse } from '@ramet/core/codes';
import { makeFolder, syncFolder } from '../../store/durable.ts';
import { git, makeBareRepository } from '../git/index.ts';
import type { Project } from '../types.ts';
import { withFileLock } from './lock.ts';
import {
  type FileIdentity,
  type ProjectRecord,
  readIdentity,
  readRecord,
  readRecords,
  sameIdentity,
  writeRecord,
} from './record.ts';
import { findRepository, type Repository } from './repository.ts';

const LOCK_WAIT_MS = 30_000;
const STAGING = '.staging-';

/** The project of the repository at `cwd`, made if there is none; null outside a repository. */
export async function openProject(request: { stateFolder: string; cwd: string }): Promise<Project | Refusal | null> {
  const repository = await findRepository(request.cwd);
  if (repository === null || isRefusal(repository)) return repository;
  const projects = join(resolve(request.stateFolder), 'projects');
  const found = await findRecord(projects, repository);
  if (found !== null && !found.moved) return makeProject(projects, found.record, repository);
  makeFolder(projects);
  return withFileLock(join(projects, 'lock'), LOCK_WAIT_MS, async () => {
    const record = await updateOrCreate(projects, repository);
    return makeProject(projects, record, repository);
  });
}

/** As `findProject`; the record of one whose repository has moved says from then on where it is. */
export async function locateProject(request: { stateFolder: string; cwd: string }): Promise<Project | Refusal | null> {
  const found = await findProject(request);
  return found === null || isRefusal(found) ? found : openProject(request);
}

/** The project of the repository at `cwd`; null where there is no repository or it has no project yet. Writes nothing. */
export async function findProject(request: { stateFolder: string; cwd: string }): Promise<Project | Refusal | null> {
  const repository = await findRepository(request.cwd);
  if (repository === null || isRefusal(repository)) return repository;
  const projects = join(resolve(request.stateFolder), 'projects');
  const found = await findRecord(projects, repository);
  return found === null ? null : makeProject(projects, found.record, repository);
}

/** A project by the id its runs recorded; the checkout may have moved or gone since. */
export async function readProject(request: { stateFolder: string; id: string }): Promise<Project | Refusal> {
  const folder = join(resolve(request.stateFolder), 'projects', request.id);
  const record = /^[0-9a-f-]{36}$/.test(request.id) ? await readRecord(folder) : null;
  if (record === null) {
    return refuse('no_workspace', `The project ${request.id} is not in ${request.stateFolder}.`, {
      project: request.id,
    });
  }
  return placeProject(folder, record.id, { checkout: record.path, commonDir: record.commonDir });
}

function makeProject(projects: string, record: ProjectRecord, repository: Repository): Project | Refusal {
  if (record.objectFormat !== repository.objectFormat) {
    return refuse(
      'unsupported_repository',
      `The repository at ${repository.checkout} now uses ${repository.objectFormat} objects, its project ${record.objectFormat}.`,
    );
  }
  return placeProject(join(projects, record.id), record.id, repository);
}

function placeProject(folder: string, id: string, place: { checkout: string; commonDir: string }): Project {
  const { checkout, commonDir } = place;
  return { id, folder, baseGit: join(folder, 'base.git'), storeGit: join(folder, 'store.git'), checkout, commonDir };
}

async function findRecord(
  projects: string,
  repository: Repository,
): Promise<{ record: ProjectRecord; moved: boolean } | null> {
  const [records, identity] = await Promise.all([readRecords(projects), readIdentity(repository.commonDir)]);
  const same = records.find((record) => sameIdentity(record, identity));
  if (same !== undefined) return { record: same, moved: same.commonDir !== repository.commonDir };
  const there = records.filter((record) => record.commonDir === repository.commonDir);
  for (const record of there) {
    if (record.objectFormat !== repository.objectFormat) continue;
    if (await sharesCommit(join(projects, record.id), repository)) return { record, moved: true };
  }
  return null;
}

async function updateOrCreate(projects: string, repository: Repository): Promise<ProjectRecord> {
  // Looked for again under the lock: another process may have made it meanwhile.
  const found = await findRecord(projects, repository);
  const identity = await readIdentity(repository.commonDir);
  if (found === null) return createRecord(projects, repository, identity);
  if (!found.moved) return found.record;
  const record = { ...found.record, ...identity, path: repository.checkout, commonDir: repository.commonDir };
  await writeRecord(join(projects, record.id), record);
  return record;
}

async function createRecord(projects: string, repository: Repository, identity: FileIdentity): Promise<ProjectRecord> {
  await sweepStaging(projects);
  const { checkout: path, commonDir, objectFormat } = repository;
  const record: ProjectRecord = { schema: 1, id: randomUUID(), path, commonDir, objectFormat, ...identity };
  const staged = join(projects, `${STAGING}${record.id}`);
  try {
    await mkdir(staged, { mode: 0o700 });
    await makeBareRepository(join(staged, 'base.git'), objectFormat);
    await makeBareRepository(join(staged, 'store.git'), objectFormat);
    // Relative, so that the state folder may move: what the person committed is never stored twice.
    await writeFile(join(staged, 'store.git/objects/info/alternates'), '../../base.git/objects\n', { mode: 0o600 });
    await writeRecord(staged, record);
    await rename(staged, join(projects, record.id));
    await syncFolder(projects);
  } catch (cause) {
    await rm(staged, { recursive: true, force: true });
    if (cause instanceof Failure) throw cause;
    throw new Failure('disk_failed', `Could not make a project in ${projects}: ${(cause as Error).message}`, { cause });
  }
  return record;
}

async function sweepStaging(projects: string): Promise<void> {
  // Under the lock no staging folder has an owner.
  for (const name of await readdir(projects)) {
    if (name.startsWith(STAGING)) await rm(join(projects, name), { recursive: true, force: true });
  }
}

async function sharesCommit(folder: string, repository: Repository): Promise<boolean> {
  const refs = await git({
    gitDir: join(folder, 'base.git'),
    args: ['for-each-ref', '--count=200', '--format=%(objectname)', 'refs/tips'],
  });
  if (refs.stdout.length === 0) return false;
  const known = await git({ gitDir: repository.gitDir, args: ['cat-file', '--batch-check'], stdin: refs.stdout });
  return known.stdout
    .toString()
    .split('\n')
    .some((line) => / (commit|tag) \d+$/.test(line));
}
