/**
 * A scratch repository of ours for one computation: it borrows objects from the project's stores, has an index and an
 * empty working tree, and is gone afterwards. Nothing written here is kept, so nothing is synced.
 *
 * 1. Its config is ours: no filter, hook, textconv or merge driver is defined, whatever attributes name.
 */
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeTemporaryFolder } from '../../sandbox/temporary.ts';
import { readObjectFormat } from '../checkpoint/objects/format.ts';
import {
  type ConfigEntry,
  formatEntries,
  type GitOutcome,
  type GitSpec,
  git,
  makeGitFolders,
  type RunningGit,
  renderAlternate,
  renderConfig,
  startGit,
} from '../git/index.ts';
import type { Project } from '../types.ts';

export interface ScratchOptions {
  /** More object folders to borrow from. */
  readonly objects?: readonly string[];
  /** More settings of its config: how line ends are converted. */
  readonly config?: readonly ConfigEntry[];
  /** Its `info/attributes`. */
  readonly attributes?: Uint8Array;
}

export interface Scratch {
  /** 0700, ours alone. */
  readonly folder: string;
  readonly gitDir: string;
  readonly workTree: string;
  run(spec: Omit<GitSpec, 'gitDir' | 'workTree'>): Promise<GitOutcome>;
  start(args: GitSpec['args']): Promise<RunningGit>;
}

const NOTHING = Buffer.alloc(0);
/** Comes last, hence wins: no attributes file decides that a change is not worth showing. */
const SHOW_ALL = Buffer.from('\n* !diff\n');
const NOT_KEPT = ['core.fsync', 'none'] as const;

/** Runs work with a scratch repository. */
export async function withScratch<T>(
  project: Project,
  options: ScratchOptions,
  work: (scratch: Scratch) => Promise<T>,
): Promise<T> {
  const scratch = await openScratch(project, options);
  try {
    return await work(scratch);
  } finally {
    await closeScratch(scratch);
  }
}

/** Makes a scratch repository that lives until `closeScratch`. */
export async function openScratch(project: Project, options: ScratchOptions = {}): Promise<Scratch> {
  const folder = makeTemporaryFolder('scratch');
  const gitDir = join(folder, 'git');
  const workTree = join(folder, 'tree');
  try {
    await makeGitFolders(gitDir);
    await mkdir(workTree, { mode: 0o700 });
    await fillScratch(project, { gitDir, options });
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  return {
    folder,
    gitDir,
    workTree,
    run: (spec) => git({ ...spec, gitDir, workTree, settings: [NOT_KEPT, ...(spec.settings ?? [])] }),
    start: (args) => startGit({ args, gitDir, workTree, settings: [NOT_KEPT] }),
  };
}

/** Removes a scratch repository. */
export async function closeScratch(scratch: Scratch): Promise<void> {
  await rm(scratch.folder, { recursive: true, force: true });
}

async function fillScratch(project: Project, place: { gitDir: string; options: ScratchOptions }): Promise<void> {
  const { gitDir, options } = place;
  const format = await readObjectFormat(project.storeGit);
  const stores = [join(project.storeGit, 'objects'), join(project.baseGit, 'objects'), ...(options.objects ?? [])];
  const config = renderConfig([
    ...formatEntries(format.name),
    { section: 'core', name: 'bare', value: 'false' },
    { section: 'core', name: 'fileMode', value: 'true' },
    { section: 'core', name: 'symlinks', value: 'true' },
    ...(options.config ?? []),
  ]);
  await Promise.all([
    writeFile(join(gitDir, 'config'), config),
    writeFile(join(gitDir, 'HEAD'), 'ref: refs/heads/none\n'),
    writeFile(join(gitDir, 'objects', 'info', 'alternates'), stores.map(renderAlternate).join('')),
    writeFile(join(gitDir, 'info', 'attributes'), Buffer.concat([options.attributes ?? NOTHING, SHOW_ALL])),
    copyFile(join(project.baseGit, 'shallow'), join(gitDir, 'shallow')).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    }),
  ]);
}
