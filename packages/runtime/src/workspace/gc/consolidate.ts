/**
 * Makes one pack of what a store's roots reach, and drops the rest. The caller keeps every writer out.
 *
 * 1. The new pack is made in a repository of its own, checked there to hold everything, moved in and made durable before
 *    the first old pack goes: a kill at any moment loses nothing.
 * 2. While a root is damaged nothing is dropped: packs are only put together.
 * 3. What `base.git` has is not stored again, and never removed from there: workspaces borrow from it, in states that no
 *    checkpoint has seen.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '@ramet/core/codes';
import { listBaseTips, renderRevisions, shallowEnvironment } from '../checkpoint/agent-git/keeping.ts';
import { readObjectFormat } from '../checkpoint/objects/format.ts';
import { probeObjects } from '../checkpoint/objects/read.ts';
import { type GitSetting, git, makeBareRepository, renderAlternate } from '../git/index.ts';
import type { Project } from '../types.ts';
import { listPacks, measureObjects, removeLoose, removePacks, sweepPacks, takePacks } from './packs.ts';
import type { Roots } from './roots.ts';

export interface Consolidation {
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  readonly packsBefore: number;
  readonly packsAfter: number;
  /** Checkpoints that logs name and the store does not hold whole. */
  readonly damaged: readonly string[];
}

/** Consolidates `store.git`; a dry run does all of it but the exchange. */
export async function consolidateStore(project: Project, roots: Roots, dryRun: boolean): Promise<Consolidation> {
  const { storeGit } = project;
  const scratch = join(project.folder, 'gc.git');
  rmSync(scratch, { recursive: true, force: true });
  const before = { bytesBefore: measureObjects(storeGit), packsBefore: listPacks(storeGit).length };
  if (!dryRun) sweepPacks(storeGit);
  try {
    await makeScratchStore(project, scratch);
    const { whole, damaged } = await packRoots(project, roots, scratch);
    await checkWhole(project, scratch, whole);
    const made = { bytesAfter: measureObjects(scratch), packsAfter: listPacks(scratch).length, damaged };
    if (dryRun) return { ...before, ...made };
    const old = listPacks(storeGit);
    const moved = new Set(await takePacks(scratch, storeGit));
    await removePacks(
      storeGit,
      old.filter((name) => !moved.has(name)),
    );
    // git puts loose objects of a store like any others into the pack; what no root reaches it leaves out.
    if (damaged.length === 0) removeLoose(storeGit);
    return { ...before, ...made, bytesAfter: measureObjects(storeGit) };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function makeScratchStore(project: Project, scratch: string): Promise<void> {
  await makeBareRepository(scratch, (await readObjectFormat(project.storeGit)).name);
  const base = renderAlternate(join(project.baseGit, 'objects'));
  writeFileSync(join(scratch, 'objects', 'info', 'alternates'), base, { mode: 0o600 });
}

interface PackedRoots {
  readonly whole: readonly string[];
  readonly damaged: readonly string[];
}

async function packRoots(project: Project, roots: Roots, scratch: string): Promise<PackedRoots> {
  const present = await probeObjects(project.storeGit, [...roots.checkpoints, ...roots.possible]);
  const isCommit = (id: string) => present.get(id) === 'commit';
  const whole = [...new Set([...roots.checkpoints, ...roots.possible])].filter(isCommit);
  const missing = [...roots.checkpoints].filter((id) => !isCommit(id));
  try {
    await writePack(project, { scratch, whole, keepAll: missing.length > 0 });
    return { whole, damaged: missing };
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'git_failed') throw error;
    const broken = await findBroken(project, whole);
    if (broken.size === 0) throw error;
    const rest = whole.filter((id) => !broken.has(id));
    await writePack(project, { scratch, whole: rest, keepAll: true });
    return { whole: rest, damaged: [...missing, ...broken] };
  }
}

/** Without these git holds ten large files a thread in memory to compare them. */
const BOUNDED_MEMORY: readonly GitSetting[] = [
  ['pack.windowMemory', '128m'],
  ['core.bigFileThreshold', '16m'],
];

interface PackRequest {
  readonly scratch: string;
  readonly whole: readonly string[];
  /** Pack what no root reaches, too. */
  readonly keepAll: boolean;
}

async function writePack(project: Project, { scratch, whole, keepAll }: PackRequest): Promise<void> {
  const more = keepAll ? ['--keep-unreachable'] : [];
  const prefix = join(scratch, 'objects', 'pack', 'pack');
  await git({
    gitDir: project.storeGit,
    args: ['pack-objects', '--revs', '--local', '--non-empty', '--delta-base-offset', '-q', ...more, prefix],
    stdin: renderRevisions(whole, await listBaseTips(project)),
    env: shallowEnvironment(project),
    settings: BOUNDED_MEMORY,
  });
}

async function findBroken(project: Project, roots: readonly string[]): Promise<Set<string>> {
  const broken = new Set<string>();
  const base = await listBaseTips(project);
  for (const root of roots) {
    const { exitCode } = await walk(project, project.storeGit, { roots: [root], base });
    if (exitCode !== 0) broken.add(root);
  }
  return broken;
}

/** Everything the roots reach must be in the new pack or in `base.git`. */
async function checkWhole(project: Project, scratch: string, roots: readonly string[]): Promise<void> {
  const base = await listBaseTips(project);
  const { exitCode, stderr } = await walk(project, scratch, { roots, base });
  if (exitCode === 0) return;
  throw new Failure(
    'verification_failed',
    `The new pack of ${JSON.stringify(project.storeGit)} does not hold all that checkpoints need (${stderr.trim().split('\n').at(-1)}); nothing was removed.`,
  );
}

function walk(
  project: Project,
  gitDir: string,
  { roots, base }: { readonly roots: readonly string[]; readonly base: readonly string[] },
) {
  return git({
    gitDir,
    args: ['rev-list', '--objects', '--quiet', '--stdin'],
    stdin: renderRevisions(roots, base),
    env: shallowEnvironment(project),
    okExitCodes: [0, 1, 128],
  });
}
