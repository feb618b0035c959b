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
import { type GitPlace, git, type PersonConfig, readPersonConfig, renderName } from '../git/index.ts';
import { type PersonHead, type Repository, type SyncedBase, syncBase } from '../project/index.ts';
import type { CarriedFolder, LeftOut, Project } from '../types.ts';
import { copyGroup } from './carry.ts';
import { copyEntries } from './copy.ts';
import { bringDirty } from './dirty.ts';
import { type Extras, planExtras } from './extras.ts';
import { findFiltered } from './filters.ts';
import { makeGitFolder } from './git-folder.ts';
import { type IndexEntry, readIndexEntries } from './index-entries.ts';
import { makeShadow } from './shadow.ts';
import { countStashes, describeDirty, type PersonStatus, readOperation, readStatus } from './status.ts';
import type { BuiltRepository, CheckoutLimits } from './types.ts';

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

interface Parts {
  readonly place: Place;
  readonly shadow: GitPlace;
  readonly config: PersonConfig;
  readonly head: PersonHead;
  readonly status: PersonStatus;
  readonly extras: Extras;
}

async function fill(request: BuildRequest, parts: Parts): Promise<Built> {
  const { repository, path, allowDirty, signal } = request;
  const { place, shadow, status, extras, head } = parts;
  if (allowDirty) {
    await bringDirty(place, {
      gitDir: repository.gitDir,
      baseGit: request.project.baseGit,
      checkout: repository.checkout,
      shadow,
      status,
      untracked: extras.untracked,
    });
  }
  const carried: CarriedFolder[] = [];
  for (const { folder, entries } of extras.carried.values()) {
    carried.push(await copyGroup({ from: repository.checkout, to: path, folder, entries, source: 'project', signal }));
  }
  const copied = extras.ignored;
  await copyEntries({
    from: repository.checkout,
    to: path,
    entries: copied,
    existing: 'keep',
    ...(signal ? { signal } : {}),
  });
  // After the last file: the index then trusts what it saw.
  if (allowDirty) await git({ ...place, args: ['update-index', '-q', '--refresh'], okExitCodes: [0, 1] });
  const entries = await readIndexEntries(place);
  const [stashes, operation, filtered] = await Promise.all([
    countStashes(repository.gitDir),
    readOperation(repository.gitDir),
    findFiltered(
      place,
      parts.config,
      entries.map((entry) => entry.path),
    ),
  ]);
  const pointers = filtered.map((name): LeftOut => ({ path: renderName(name), reason: 'not_supported' }));
  const branch = head.ref?.replace(/^refs\/heads\//, '') ?? null;
  return {
    result: {
      base: head.commit,
      branch,
      carried,
      copied: copied.map((entry) => renderName(entry.path)),
      leftOut: [...extras.leftOut, ...pointers],
      dirty: describeDirty(status, { stashes, operation, carried: allowDirty }),
    },
    gitlinks: entries.filter(({ mode }) => mode === '160000'),
  };
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
    settings: [['checkout.workers', '0']],
    ...(signal === undefined ? {} : { signal }),
  });
}

async function lookAt(
  request: BuildRequest,
  shadow: GitPlace,
): Promise<{ status: PersonStatus; extras: Extras } | Refusal> {
  const whole = await readStatus(shadow, request.signal);
  const status = withoutState(whole, request);
  const extras = await planExtras({ ...request, checkout: request.repository.checkout, status });
  return isRefusal(extras) ? extras : { status, extras };
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
