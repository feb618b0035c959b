/**
 * Writes a merge into the person's working tree; the index stays as it is.
 *
 * 1. Everything new is complete on the same file system before the first file is replaced; a failure in the middle puts
 *    back what was there. Only a kill in the middle leaves a part done: the replaced files are then in
 *    `.ramet-apply-<random>` at the top of the checkout, and in git.
 * 2. Nothing is written through a link, and a file that changed since it was checked stops the whole.
 */
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { Failure } from '@ramet/core/codes';
import { folderOf, locate } from '../checkpoint/folder/names.ts';
import { type BytePath, renderBytePath } from '../checkpoint/index.ts';
import { git, joinNul } from '../git/index.ts';
import type { MergedChange, MergePlan } from './merge.ts';
import { type CheckedCheckout, readSeen } from './overlap.ts';
import type { AppliedFiles } from './types.ts';

export interface WritePlan {
  readonly checkout: string;
  readonly merge: MergePlan;
  readonly checked: CheckedCheckout;
  /** A folder of ours. */
  readonly scratch: string;
}

/** Writes the files; all of them, or none. */
export async function writeCheckoutFiles(plan: WritePlan): Promise<AppliedFiles> {
  const { checkout, merge, checked } = plan;
  if (merge.changes.length === 0) return { path: checkout, written: [], deleted: [] };
  const staged = await checkOutFiles(plan, merge.changes.filter(isWritten));
  replaceFiles({ checkout, merge, seen: checked.seen, staged });
  const show = (changes: readonly MergedChange[]) => changes.map(({ path }) => renderBytePath(path));
  const deleted = merge.changes.filter((change) => !isWritten(change));
  return { path: checkout, written: show(merge.changes.filter(isWritten)), deleted: show(deleted) };
}

function isWritten(change: MergedChange): boolean {
  return change.newMode !== null;
}

export interface ReplacePlan {
  readonly checkout: string;
  readonly merge: MergePlan;
  /** What stood at each path when it was checked. */
  readonly seen: CheckedCheckout['seen'];
  /** A folder with the new files at their paths. */
  readonly staged: string;
}

/** Puts prepared files in place; all of them, or none. */
export function replaceFiles(plan: ReplacePlan): void {
  const { checkout, merge, staged } = plan;
  const written = merge.changes.filter(isWritten);
  const deleted = merge.changes.filter((change) => !isWritten(change));
  const area = join(checkout, `.ramet-apply-${randomUUID()}`);
  mkdirSync(area, { mode: 0o700 });
  try {
    written.forEach(({ path }, number) => {
      placeNew(locate(staged, path), join(area, `new-${number}`), plan.seen.get(path)?.mode);
    });
    replaceAll(plan, area, { written, deleted });
  } catch (error) {
    // What could not be put back is still in there.
    if (!(error instanceof NotPutBack)) rmSync(area, { recursive: true, force: true });
    throw error;
  }
  rmSync(area, { recursive: true, force: true });
}

/** Lets git write the merged files beside, with the person's line ends; no filter of theirs exists in the shadow. */
async function checkOutFiles(plan: WritePlan, written: readonly MergedChange[]): Promise<string> {
  const target = join(plan.scratch, 'merged');
  mkdirSync(target, { mode: 0o700 });
  const place = { ...plan.checked.shadow, indexFile: join(plan.scratch, 'merged-index') };
  await git({ ...place, args: ['read-tree', plan.merge.tree] });
  const stdin = joinNul(written.map(({ path }) => Buffer.from(path, 'latin1')));
  await git({ ...place, args: ['checkout-index', `--prefix=${target}/`, '-z', '--stdin'], stdin });
  return target;
}

function placeNew(from: string | Buffer, to: string, seenMode: bigint | undefined): void {
  const stats = lstatSync(from);
  if (stats.isSymbolicLink()) {
    symlinkSync(readlinkSync(from, 'buffer'), to);
    return;
  }
  copyFileSync(from, to);
  // What the person may do with a file stays, where git's one bit says nothing else.
  const old = seenMode === undefined ? null : Number(seenMode & 0o7777n);
  const keeps = old !== null && ((old ^ stats.mode) & 0o100) === 0 && (Number(seenMode) & 0o170000) === 0o100000;
  chmodSync(to, keeps ? old : stats.mode & 0o777);
}

interface Sides {
  readonly written: readonly MergedChange[];
  readonly deleted: readonly MergedChange[];
}

function replaceAll(plan: ReplacePlan, area: string, { written, deleted }: Sides): void {
  const undo: (() => void)[] = [];
  try {
    deleted.forEach(({ path }, number) => {
      checkUnchanged(plan, path);
      moveAway(plan.checkout, path, { to: join(area, `deleted-${number}`), undo });
    });
    for (const { path } of deleted) removeEmptyFolders(plan.checkout, path, undo);
    written.forEach(({ path, oldMode }, number) => {
      if (oldMode !== null) {
        checkUnchanged(plan, path);
        moveAway(plan.checkout, path, { to: join(area, `old-${number}`), undo });
      }
      makeFolders(plan.checkout, folderOf(path), undo);
      moveIn(plan.checkout, path, { from: join(area, `new-${number}`), undo });
    });
  } catch (cause) {
    putBack(undo, area);
    if (cause instanceof Failure) throw cause;
    throw new Failure(
      'disk_failed',
      `Could not write to ${JSON.stringify(plan.checkout)}: ${(cause as Error).message}; your files are as they were.`,
      { cause },
    );
  }
}

/** The one failure after which the area holds the only copy of something. */
class NotPutBack extends Failure {}

function putBack(undo: readonly (() => void)[], area: string): void {
  try {
    for (const step of undo.toReversed()) step();
  } catch (cause) {
    const why = (cause as Error).message;
    const message = `Writing failed, and not all files could be put back (${why}): what was replaced is in ${JSON.stringify(area)}.`;
    throw new NotPutBack('disk_failed', message, { data: { area }, cause });
  }
}

function checkUnchanged({ checkout, seen }: ReplacePlan, path: BytePath): void {
  const [now, then] = [readSeen(checkout, path), seen.get(path) ?? null];
  if (now !== null && then !== null && now.ino === then.ino && now.size === then.size && now.mtimeNs === then.mtimeNs) {
    return;
  }
  throw new Failure(
    'workspace_changed',
    `${JSON.stringify(renderBytePath(path))} changed while the agent's work was being applied; your files are as they were: try again.`,
    { data: { path: renderBytePath(path) } },
  );
}

type Undo = { readonly undo: (() => void)[] };

function moveAway(checkout: string, path: BytePath, { to, undo }: Undo & { readonly to: string }): void {
  const place = locate(checkout, path);
  renameSync(place, to);
  undo.push(() => renameSync(to, place));
}

/** Nothing stands at the place: what did was moved away, and what was free is looked at once more. */
function moveIn(checkout: string, path: BytePath, { from, undo }: Undo & { readonly from: string }): void {
  const place = locate(checkout, path);
  const inTheWay = lstatSync(place, { throwIfNoEntry: false });
  if (inTheWay?.isDirectory()) removeEmptied(checkout, path, undo);
  else if (inTheWay !== undefined) {
    throw new Failure('workspace_changed', `${JSON.stringify(renderBytePath(path))} appeared meanwhile: try again.`);
  }
  renameSync(from, place);
  undo.push(() => rmSync(place));
}

/** Removes the folder a deleted file was in, and those above it, while they are empty. */
function removeEmptyFolders(checkout: string, path: BytePath, undo: (() => void)[]): void {
  for (let folder = folderOf(path); folder !== ''; folder = folderOf(folder)) {
    if (!removeFolder(locate(checkout, folder), undo)) return;
  }
}

function removeEmptied(checkout: string, path: BytePath, undo: (() => void)[]): void {
  if (removeFolder(locate(checkout, path), undo)) return;
  throw new Failure('workspace_changed', `The folder ${JSON.stringify(renderBytePath(path))} is not empty: try again.`);
}

function removeFolder(place: string | Buffer, undo: (() => void)[]): boolean {
  const stats = lstatSync(place, { throwIfNoEntry: false });
  if (stats === undefined) return true;
  try {
    rmdirSync(place);
  } catch (error) {
    if (['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
  undo.push(() => {
    mkdirSync(place);
    chmodSync(place, stats.mode & 0o7777);
  });
  return true;
}

function makeFolders(checkout: string, folder: BytePath, undo: (() => void)[]): void {
  if (folder === '') return;
  makeFolders(checkout, folderOf(folder), undo);
  const place = locate(checkout, folder);
  const stats = lstatSync(place, { throwIfNoEntry: false });
  if (stats?.isDirectory()) return;
  if (stats !== undefined) {
    throw new Failure(
      'workspace_changed',
      `${JSON.stringify(renderBytePath(folder))} is no folder any more: try again.`,
    );
  }
  mkdirSync(place);
  undo.push(() => rmdirSync(place));
}
