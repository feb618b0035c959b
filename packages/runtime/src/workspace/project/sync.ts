/**
 * Brings the person's commits into `base.git`.
 *
 * 1. `base.git` holds every tip it was ever given under `refs/tips/<object id>`, and all that the tip reaches: a
 *    history rewrite and a prune on the person's side take nothing away from a run.
 * 2. A ref in it is written only after the objects it reaches are there and durable.
 * 3. Objects come by `pack-objects | index-pack`, which checks each; the person's repository is only read.
 */
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Failure, isRefusal, type Refusal, refuse } from '@ramet/core/codes';
import { syncFolder } from '../../store/durable.ts';
import { configIsTrue, git, readPersonConfig, splitLines, startGit } from '../git/index.ts';
import type { Project } from '../types.ts';
import { withFileLock } from './lock.ts';
import { type PersonRefs, readPersonRefs } from './refs.ts';
import { findRepository } from './repository.ts';

const LOCK_WAIT_MS = 15 * 60_000;
const TIPS = 'refs/tips/';

export interface SyncedBase {
  /** The refs the sync saw; a checkout made from it takes these, not newer ones. */
  readonly refs: PersonRefs;
  /** Tips that `base.git` did not hold before. */
  readonly newTips: number;
}

export interface SyncRequest {
  readonly project: Project;
  /** The git directory to read from. Absent: that of the project's checkout. */
  readonly gitDir?: string;
  /** Its common git directory; goes with `gitDir`. */
  readonly commonDir?: string;
  /** More commits to bring (those a submodule's gitlink names). */
  readonly also?: readonly string[];
  readonly signal?: AbortSignal;
}

/** Brings branches, tags, remote-tracking refs and HEAD of the person's repository into `base.git`: only what it lacks. */
export async function syncBase(request: SyncRequest): Promise<SyncedBase | Refusal> {
  const source = await findSource(request);
  if (isRefusal(source)) return source;
  return withFileLock(join(request.project.folder, 'base.lock'), LOCK_WAIT_MS, async () => {
    const refs = await readPersonRefs(source.gitDir);
    const wanted = new Set(refs.refs.map((ref) => ref.id));
    if (refs.head.commit !== null) wanted.add(refs.head.commit);
    for (const id of request.also ?? []) wanted.add(id);
    const held = await readTips(request.project.baseGit);
    const missing = [...wanted].filter((id) => !held.has(id));
    if (missing.length === 0) return { refs, newTips: 0 };
    const transfer = { source, baseGit: request.project.baseGit, held, missing, signal: request.signal };
    const refusal = await bringObjects(transfer);
    if (refusal !== null) return refusal;
    await writeTips(request.project.baseGit, [...held, ...missing]);
    return { refs, newTips: missing.length };
  });
}

interface Source {
  readonly gitDir: string;
  readonly commonDir: string;
}

interface Transfer {
  readonly source: Source;
  readonly baseGit: string;
  readonly held: ReadonlySet<string>;
  readonly missing: readonly string[];
  readonly signal: AbortSignal | undefined;
}

async function findSource({ project, gitDir, commonDir }: SyncRequest): Promise<Source | Refusal> {
  if (gitDir !== undefined) return { gitDir, commonDir: commonDir ?? gitDir };
  const repository = await findRepository(project.checkout);
  if (isRefusal(repository)) return repository;
  if (repository === null) {
    return refuse('no_workspace', `There is no repository at ${JSON.stringify(project.checkout)} any more.`, {
      path: project.checkout,
    });
  }
  return repository;
}

async function bringObjects(transfer: Transfer): Promise<Refusal | null> {
  const shallow = await readShallow(transfer.source.commonDir);
  const [absent, absentShallow] = await Promise.all([
    findAbsent(transfer.baseGit, transfer.missing),
    findAbsent(transfer.baseGit, shallow),
  ]);
  if (absent.length === 0) return null;
  await sweepPacks(transfer.baseGit);
  // Before the objects: a commit that came without its parents must never be there without its boundary.
  await writeShallow(transfer.baseGit, [...(await readShallow(transfer.baseGit)), ...absentShallow]);
  try {
    await transferPack(transfer, absent);
  } catch (error) {
    const refusal = await explainMissing(transfer, error);
    if (refusal === null) throw error;
    return refusal;
  }
  await dropAbsentShallow(transfer.baseGit);
  return null;
}

/** What a killed `index-pack` left; under the lock no other one is at work here. */
async function sweepPacks(baseGit: string): Promise<void> {
  const folder = join(baseGit, 'objects', 'pack');
  for (const name of await readdir(folder)) {
    if (name.startsWith('tmp_')) await rm(join(folder, name), { force: true });
  }
}

async function transferPack({ source, baseGit, held, signal }: Transfer, absent: readonly string[]): Promise<void> {
  const known = [...held];
  const gone = new Set(await findAbsent(source.gitDir, known));
  const excluded = known.filter((id) => !gone.has(id)).map((id) => `^${id}`);
  const more = signal === undefined ? {} : { signal };
  const pack = await startGit({
    gitDir: source.gitDir,
    args: ['pack-objects', '--revs', '--stdout', '--thin', '--delta-base-offset', '-q'],
    ...more,
  });
  pack.process.stdin.end(`${[...absent, ...excluded].join('\n')}\n`);
  const index = git({
    gitDir: baseGit,
    args: ['index-pack', '--stdin', '--fix-thin'],
    stdin: pack.process.stdout,
    ...more,
  });
  const [packed, indexed] = await Promise.allSettled([pack.ended, index]);
  // One side's error makes the other fail too: a packer whose reader is gone ends by a signal, not by an exit code.
  const packerFailed = packed.status === 'rejected' && !String(packed.reason).includes('was ended by SIGPIPE');
  if (packerFailed) throw packed.reason;
  if (indexed.status === 'rejected') throw indexed.reason;
  if (packed.status === 'rejected') throw packed.reason;
}

async function explainMissing({ source }: Transfer, error: unknown): Promise<Refusal | null> {
  if (!(error instanceof Failure) || error.code !== 'git_failed') return null;
  const config = await readPersonConfig(source.gitDir);
  const partial = [...config.keys()].some(
    (key) => key === 'extensions.partialclone' || (/^remote\..*\.promisor$/.test(key) && configIsTrue(config, key)),
  );
  if (!partial) return null;
  return refuse(
    'unsupported_repository',
    `The repository at ${source.commonDir} is a partial clone that does not hold all objects of its commits; ` +
      `Ramet fetches nothing: run "git fetch --refetch --no-filter" in it first.`,
    { path: source.commonDir, reason: 'partial clone', said: error.message },
  );
}

/** The tips, from the one file we keep them in: a file a ref would be a sync to disk a ref. */
async function readTips(baseGit: string): Promise<Set<string>> {
  const text = await readOptional(join(baseGit, 'packed-refs'));
  const ids = splitLines(text).flatMap((line) => /^([0-9a-f]+) refs\/tips\/\1$/.exec(line)?.slice(1) ?? []);
  return new Set(ids);
}

async function writeTips(baseGit: string, ids: readonly string[]): Promise<void> {
  const lines = [...ids].sort().map((id) => `${id} ${TIPS}${id}\n`);
  await replaceFile(join(baseGit, 'packed-refs'), ['# pack-refs with: sorted \n', ...lines].join(''));
}

async function findAbsent(gitDir: string, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const { stdout } = await git({ gitDir, args: ['cat-file', '--batch-check'], stdin: `${ids.join('\n')}\n` });
  return splitLines(stdout)
    .filter((line) => line.endsWith(' missing'))
    .map((line) => line.slice(0, -' missing'.length));
}

/** Commits whose parents a shallow repository does not hold. */
async function readShallow(gitDir: string): Promise<string[]> {
  return splitLines(await readOptional(join(gitDir, 'shallow'))).filter((line) => /^[0-9a-f]{40,64}$/.test(line));
}

/** A boundary of the person's that did not come along is none of ours. */
async function dropAbsentShallow(baseGit: string): Promise<void> {
  const all = await readShallow(baseGit);
  const gone = new Set(await findAbsent(baseGit, all));
  if (gone.size > 0)
    await writeShallow(
      baseGit,
      all.filter((id) => !gone.has(id)),
    );
}

async function writeShallow(baseGit: string, ids: readonly string[]): Promise<void> {
  const path = join(baseGit, 'shallow');
  // git takes an empty file for a shallow repository too.
  if (ids.length === 0) await rm(path, { force: true });
  else await replaceFile(path, `${[...new Set(ids)].join('\n')}\n`);
}

async function replaceFile(path: string, content: string): Promise<void> {
  await writeFile(`${path}.new`, content, { mode: 0o600, flush: true });
  await rename(`${path}.new`, path);
  await syncFolder(dirname(path));
}

async function readOptional(path: string): Promise<Buffer> {
  return readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  });
}
