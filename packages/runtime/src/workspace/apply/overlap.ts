/**
 * Whether a merge would touch what the person has not committed. Their files are compared in a shadow
 * (`checkout/shadow.ts`): no program of theirs runs, and nothing of theirs is written.
 */
import { type BigIntStats, lstatSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readIndexEntries } from '../checkout/index-entries.ts';
import { makeShadow } from '../checkout/shadow.ts';
import { readStatus } from '../checkout/status.ts';
import { walkTree } from '../checkout/walk.ts';
import { folderOf, locate } from '../checkpoint/folder/names.ts';
import type { BytePath } from '../checkpoint/index.ts';
import type { Scratch } from '../diff/scratch.ts';
import { type GitPlace, type PersonConfig, renderAlternate } from '../git/index.ts';
import { type PersonHead, type Repository, readPersonHead } from '../project/index.ts';
import type { Project } from '../types.ts';
import type { MergedChange, MergePlan } from './merge.ts';

export interface CheckoutSource {
  readonly project: Project;
  readonly repository: Repository;
  readonly config: PersonConfig;
  readonly scratch: Scratch;
}

/** What stood at a path when it was found free to be changed; null: nothing. */
export type SeenEntry = Pick<BigIntStats, 'ino' | 'size' | 'mtimeNs' | 'mode'> | null;

export interface CheckedCheckout {
  /** Runs git on the person's files with a config of ours. */
  readonly shadow: GitPlace & { readonly gitDir: string };
  readonly overlaps: readonly BytePath[];
  readonly seen: ReadonlyMap<BytePath, SeenEntry>;
}

/** The person's files, ready to be compared. */
export interface CheckoutView {
  readonly repository: Repository;
  readonly head: PersonHead;
  readonly scratch: Scratch;
  /** Runs git on the person's files with a config of ours. */
  readonly shadow: CheckedCheckout['shadow'];
}

/** Checks every path of a merge against the person's checkout; what the merge took from there is no overlap. */
export async function checkCheckout(view: CheckoutView, { changes, taken }: CheckedMerge): Promise<CheckedCheckout> {
  const { shadow, repository } = view;
  const busy = await findBusy(shadow);
  const { checkout } = repository;
  const removed = new Set(changes.filter((change) => change.newMode === null).map((change) => change.path));
  const seen = new Map<BytePath, SeenEntry>();
  const overlaps: BytePath[] = [];
  for (const change of changes) {
    const { path } = change;
    const known = taken.get(path);
    const entry = known === undefined ? readSeen(checkout, path) : known;
    seen.set(path, entry);
    const isFree = known !== undefined || !busy(path);
    const free = isSafe(path) && isFree && isAsExpected(entry, change) && hasWay(checkout, path, removed);
    if (!free || !(await isEmptied(checkout, change, { entry, removed }))) overlaps.push(path);
  }
  return { shadow, overlaps, seen };
}

type CheckedMerge = Pick<MergePlan, 'changes' | 'taken'>;

/** What stands at a path now. */
export function readSeen(checkout: string, path: BytePath): SeenEntry {
  try {
    const { ino, size, mtimeNs, mode } = lstatSync(locate(checkout, path), { bigint: true });
    return { ino, size, mtimeNs, mode };
  } catch (error) {
    // A file stands where a folder above would be: whether it may go is asked of the folder.
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}

/** Makes the shadow in which the person's files are compared. */
export async function openCheckout({ project, repository, config, scratch }: CheckoutSource): Promise<CheckoutView> {
  const gitDir = join(scratch.folder, 'shadow');
  const head = await readPersonHead(repository.gitDir);
  const place = await makeShadow(gitDir, { repository, config, head, baseGit: project.baseGit });
  const more = [join(repository.commonDir, 'objects'), join(scratch.gitDir, 'objects')];
  await appendFile(join(gitDir, 'objects', 'info', 'alternates'), more.map(renderAlternate).join(''));
  return { repository, head, scratch, shadow: { ...place, gitDir } };
}

/** Whether the person has something uncommitted at a path, or told git not to look there. */
async function findBusy(shadow: GitPlace): Promise<(path: BytePath) => boolean> {
  const status = await readStatus(shadow);
  const busy = new Set<BytePath>();
  for (const paths of [status.staged, status.unstaged, status.untracked, status.intentToAdd, status.ignored]) {
    for (const path of paths) busy.add(path.toString('latin1'));
  }
  for (const { path, assumeUnchanged, skipWorktree } of await readIndexEntries(shadow)) {
    if (assumeUnchanged || skipWorktree) busy.add(path.toString('latin1'));
  }
  return (path) => {
    for (let at = path; at !== ''; at = folderOf(at)) if (busy.has(at)) return true;
    return false;
  };
}

/** A path that stays in the checkout and out of its git directory. */
function isSafe(path: BytePath): boolean {
  return path.split('/').every((name) => !['', '.', '..'].includes(name) && name.toLowerCase() !== '.git');
}

const TYPE_BITS = 0o170000n;
const [FILE, LINK, FOLDER] = [0o100000n, 0o120000n, 0o040000n];

function isAsExpected(entry: SeenEntry, { oldMode }: MergedChange): boolean {
  const type = entry === null ? null : entry.mode & TYPE_BITS;
  // A folder where a file is to be: `isEmptied` looks into it.
  if (oldMode === null) return type === null || type === FOLDER;
  return type === (oldMode === '120000' ? LINK : FILE);
}

/** Whether every folder above is a folder, or is not there, or is a file the merge removes. Links are no folders. */
export function hasWay(checkout: string, path: BytePath, removed: ReadonlySet<BytePath>): boolean {
  for (let at = folderOf(path); at !== ''; at = folderOf(at)) {
    const entry = readSeen(checkout, at);
    if (entry !== null && (entry.mode & TYPE_BITS) !== FOLDER && !removed.has(at)) return false;
  }
  return true;
}

/** Whether a folder that has to give way to a file holds nothing but what the merge removes. */
async function isEmptied(
  checkout: string,
  { path, newMode }: MergedChange,
  { entry, removed }: { readonly entry: SeenEntry; readonly removed: ReadonlySet<BytePath> },
): Promise<boolean> {
  if (newMode === null || entry === null || (entry.mode & TYPE_BITS) !== FOLDER) return true;
  for await (const found of walkTree({ root: checkout, start: Buffer.from(path, 'latin1'), enter: () => true })) {
    if (found.kind !== 'folder' && !removed.has(found.path.toString('latin1'))) return false;
  }
  return true;
}
