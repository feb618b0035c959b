/**
 * Builds one repository of a private checkout (the project's, then each submodule's) in a folder of ours.
 *
 * Files are what the person's own `git checkout` would write, with two differences: line ends, `ident` and encodings
 * are converted as they would be, but no filter program runs, so a filtered file (LFS) is what git stores and is
 * named in `leftOut`; and attributes from the person's global file play no part. A sparse checkout stays sparse, by
 * the same patterns.
 */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isRefusal, type Refusal } from '@ramet/core/codes';
import { type GitPlace, git, type PersonConfig, readPersonConfig, renderName, splitNul } from '../git/index.ts';
import { type PersonHead, type Repository, type SyncedBase, syncBase } from '../project/index.ts';
import type { CarriedFolder, LeftOut, Project } from '../types.ts';
import { copyGroup } from './carry.ts';
import { copyEntries } from './copy.ts';
import { bringDirty } from './dirty.ts';
import { type Extras, planExtras } from './extras.ts';
import { findFiltered, readFilterDrivers } from './filters.ts';
import { makeGitFolder } from './git-folder.ts';
import { type IndexEntry, readGitlinks } from './index-entries.ts';
import { makeShadow } from './shadow.ts';
import { countStashes, describeDirty, type PersonStatus, readOperation, readStatus } from './status.ts';
import type { BuiltRepository, CheckoutLimits } from './types.ts';
import type { FoundEntry } from './walk.ts';

export interface BuildRequest {
  readonly project: Project;
  readonly repository: Repository;
  /** Where the checkout goes; its parent exists. A submodule's folder may exist and be empty. */
  readonly path: string;
  /** Where the scratch git directory goes. */
  readonly scratch: string;
  /** The commit to check out, detached; null for the person's own HEAD. */
  readonly pinned: string | null;
  readonly allowDirty: boolean;
  readonly carry: readonly string[];
  readonly captureIgnored: boolean;
  readonly limits: CheckoutLimits;
  readonly stateFolder: string;
  readonly signal: AbortSignal | undefined;
}

export interface Built {
  readonly result: BuiltRepository;
  /** Paths and commits of submodules, still to be built. */
  readonly gitlinks: readonly IndexEntry[];
}

type Place = GitPlace & { readonly gitDir: string; readonly workTree: string };

/** Builds a repository with its files, carried folders and ignored files; or refuses, with nothing copied. */
export async function buildRepository(request: BuildRequest): Promise<Built | Refusal> {
  const { project, repository, signal } = request;
  const [config, synced] = await Promise.all([readPersonConfig(repository.gitDir), syncFor(request)]);
  if (isRefusal(synced)) return synced;
  const head: PersonHead = request.pinned === null ? synced.refs.head : { ref: null, commit: request.pinned };
  const place: Place = { gitDir: join(request.path, '.git'), workTree: request.path };
  await mkdir(request.path, { recursive: true, mode: 0o700 });
  const { refs } = synced.refs;
  const shallow = await readFile(join(project.baseGit, 'shallow')).catch(() => Buffer.alloc(0));
  await makeGitFolder(place.gitDir, { repository, config, refs, head, baseGit: project.baseGit, shallow });
  const shadow = await makeShadow(request.scratch, {
    repository,
    config,
    head: synced.refs.head,
    baseGit: project.baseGit,
  });
  // The person's files are looked at while git writes ours.
  const writing = request.allowDirty ? Promise.resolve() : checkOut(place, head, signal);
  const [looked, written] = await Promise.allSettled([lookAt(request, shadow), writing]);
  if (looked.status === 'rejected') throw looked.reason;
  if (written.status === 'rejected') throw written.reason;
  if (isRefusal(looked.value)) return looked.value;
  return fill(request, { place, shadow, config, head, ...looked.value });
}

/** What was seen of the person's checkout. */
interface Seen {
  readonly status: PersonStatus;
  readonly extras: Extras;
  readonly stashes: number;
  readonly operation: string | null;
}

interface Parts extends Seen {
  readonly place: Place;
  readonly shadow: GitPlace;
  readonly config: PersonConfig;
  readonly head: PersonHead;
}

async function fill(request: BuildRequest, parts: Parts): Promise<Built> {
  const { repository, path, allowDirty, signal } = request;
  const { place, shadow, status, extras, head } = parts;
  const unreadable: FoundEntry[] = [];
  if (allowDirty) {
    const missed = await bringDirty(place, {
      gitDir: repository.gitDir,
      baseGit: request.project.baseGit,
      checkout: repository.checkout,
      shadow,
      status,
      untracked: extras.untracked,
    });
    unreadable.push(...missed);
  }
  const carried: CarriedFolder[] = [];
  for (const { folder, entries } of extras.carried.values()) {
    carried.push(await copyGroup({ from: repository.checkout, to: path, folder, entries, source: 'project', signal }));
  }
  const ignored = await copyEntries({
    from: repository.checkout,
    to: path,
    entries: extras.ignored,
    existing: 'keep',
    ...(signal ? { signal } : {}),
  });
  unreadable.push(...ignored.unreadable);
  const copied = extras.ignored.filter((entry) => !unreadable.includes(entry));
  // After the last file: the index then trusts what it saw.
  if (allowDirty) await git({ ...place, args: ['update-index', '-q', '--refresh'], okExitCodes: [0, 1] });
  const [gitlinks, filtered] = await Promise.all([readGitlinks(place), listFiltered(place, parts.config)]);
  const pointers = filtered.map((name): LeftOut => ({ path: renderName(name), reason: 'not_supported' }));
  const branch = head.ref?.replace(/^refs\/heads\//, '') ?? null;
  return {
    result: {
      base: head.commit,
      branch,
      carried,
      copied: copied.map((entry) => renderName(entry.path)),
      leftOut: [...extras.leftOut, ...unreadable.map(describeUnreadable), ...pointers],
      dirty: describeDirty(status, { stashes: parts.stashes, operation: parts.operation, carried: allowDirty }),
    },
    gitlinks,
  };
}

function describeUnreadable(entry: FoundEntry): LeftOut {
  return { path: renderName(entry.path), reason: 'unreadable' };
}

function syncFor({ project, repository, pinned, signal }: BuildRequest): Promise<SyncedBase | Refusal> {
  const { gitDir, commonDir } = repository;
  return syncBase({ project, gitDir, commonDir, also: pinned === null ? [] : [pinned], ...(signal ? { signal } : {}) });
}

async function checkOut(place: Place, head: PersonHead, signal: AbortSignal | undefined): Promise<void> {
  if (head.commit === null) return;
  await git({
    ...place,
    args: ['read-tree', '-m', '-u', head.commit],
    ...(signal === undefined ? {} : { signal }),
  });
}

async function lookAt(request: BuildRequest, shadow: GitPlace): Promise<Seen | Refusal> {
  const { gitDir, checkout } = request.repository;
  const [whole, stashes, operation] = await Promise.all([
    readStatus(shadow, request.signal),
    countStashes(gitDir),
    readOperation(gitDir),
  ]);
  const status = withoutState(whole, request);
  const extras = await planExtras({ ...request, checkout, status });
  return isRefusal(extras) ? extras : { status, extras, stashes, operation };
}

async function listFiltered(place: GitPlace, config: PersonConfig): Promise<Buffer[]> {
  const drivers = readFilterDrivers(config);
  if (drivers.size === 0) return [];
  return findFiltered(place, drivers, splitNul((await git({ ...place, args: ['ls-files', '-z'] })).stdout));
}

/** Our own state may lie in the person's checkout; it is no work of theirs. */
function withoutState(status: PersonStatus, { repository, stateFolder }: BuildRequest): PersonStatus {
  if (!stateFolder.startsWith(`${repository.checkout}/`)) return status;
  const own = Buffer.from(stateFolder.slice(repository.checkout.length + 1));
  const isOurs = (path: Buffer) =>
    path.equals(own) || (path.subarray(0, own.length).equals(own) && path[own.length] === 0x2f);
  return {
    ...status,
    untracked: status.untracked.filter((path) => !isOurs(path)),
    ignored: status.ignored.filter((path) => !isOurs(path)),
  };
}
