/**
 * Decides what of a workspace a checkpoint holds.
 *
 * 1. What the agent's index names is held, whatever ignore rules say; other files within the limits of their class,
 *    in path order; carried folders never.
 * 2. What is not held is listed with its reason. Nothing vanishes silently, except lock files and sockets inside a
 *    git directory, which mean nothing without their process.
 */
import { closeSync, constants, openSync, type Stats } from 'node:fs';
import type { CaptureLimits, LeftOut } from '../../types.ts';
import type { AgentIndexes } from '../agent-git/indexes.ts';
import type { ObjectFormat } from '../objects/format.ts';
import { classifyFiles } from './classes.ts';
import { type Comparison, compareWithCache } from './comparison.ts';
import { type CapturedColumns, dropRows, type FileTable, IGNORED, sizeOf, TRACKED } from './file-table.ts';
import type { IndexedPaths } from './index-entries.ts';
import {
  type BytePath,
  folderOf,
  isOwnGitFolder,
  joinPath,
  locate,
  nestedRepositoryOf,
  renderBytePath,
} from './names.ts';
import type { StatCache } from './stat-cache.ts';
import { kindOf, type WalkedEntry } from './walk.ts';
import { walkWorkspace } from './workspace-walk.ts';

export interface SelectionRequest {
  readonly root: string;
  readonly privateFolder: string;
  readonly format: ObjectFormat;
  readonly carry: readonly string[];
  readonly captureIgnored: boolean;
  readonly limits: CaptureLimits;
  readonly indexes: AgentIndexes;
  readonly indexed: IndexedPaths;
  readonly cache: StatCache | null;
}

export interface Selection {
  /** Files and links that are held, but the indexes. */
  readonly files: FileTable & Comparison & Pick<CapturedColumns, 'classes' | 'entries'>;
  /** Every folder; carried ones and `.git/objects` are not among them. */
  readonly folders: readonly WalkedEntry[];
  readonly carried: readonly BytePath[];
  readonly leftOut: readonly LeftOut[];
  readonly ignoreKey: string;
  /** Whether the git directory has a folder for objects. */
  readonly hasObjects: boolean;
}

/** A tracked file beyond this is left out: git itself holds such a file in memory. */
const TRACKED_FILE_BYTES = 4 * 1024 * 1024 * 1024;

/** The git directory's own files hold no work of that size; its indexes and packed refs may, and are not limited. */
const GIT_FILE_BYTES = 50 * 1024 * 1024;

/** Walks a workspace and selects what a checkpoint of it holds. */
export async function selectPaths(request: SelectionRequest): Promise<Selection> {
  const { cache, indexed } = request;
  const leftOut: LeftOut[] = [];
  const walked = await walkWorkspace({ ...request, accept: makeFilter(request, leftOut) });
  const { walk, rules, carried } = walked;
  for (const path of carried) leftOut.push({ path: renderBytePath(path), reason: 'carried' });
  for (const { path, reason } of walk.unread) leftOut.push({ path: renderBytePath(path), reason });
  const table = { ...walked.table, entries: indexed.findEntries(walked.table) };
  const classes = await classifyFiles({ rules, cache, table });
  const dropped = applyLimits(request, { ...table, classes }, leftOut);
  return {
    files: keepOthers({ ...table, classes }, dropped, cache),
    folders: walk.folders,
    carried,
    leftOut: leftOut.sort(byPath),
    ignoreKey: rules.key,
    hasObjects: walked.hasObjects,
  };
}

type SelectedFiles = Selection['files'];

function keepOthers(table: SelectedFiles, dropped: ReadonlySet<number>, cache: StatCache | null): SelectedFiles {
  if (dropped.size === 0) return table;
  const kept = dropRows(table, dropped);
  const isKept = (_: number, row: number) => !dropped.has(row);
  const columns = { classes: table.classes.filter(isKept), entries: table.entries.filter(isKept) };
  return { ...kept, ...compareWithCache(kept, cache), ...columns };
}

/** Decides by what lstat says whether a file may be held, and lists what may not. */
function makeFilter({ root, indexes }: SelectionRequest, leftOut: LeftOut[]) {
  const user = process.geteuid?.();
  // Only files whose mode leaves a doubt are tried.
  const isDoubtful = ({ mode, uid }: Stats) => kindOf(mode) === 'file' && (uid !== user || (mode & 0o400) === 0);
  return (folder: BytePath, name: string, stats: Stats): boolean => {
    if (kindOf(stats.mode) === 'special') {
      const path = joinPath(folder, name);
      if (!isInGitFolder(path)) leftOut.push({ path: renderBytePath(path), reason: 'special_file' });
      return false;
    }
    if (isDoubtful(stats) && isUnreadable(root, joinPath(folder, name))) {
      leftOut.push({ path: renderBytePath(joinPath(folder, name)), reason: 'unreadable' });
      return false;
    }
    // Locks of a git that was killed: with its process gone they only stand in the way.
    if (name.endsWith('.lock') && isInGitFolder(joinPath(folder, name))) return false;
    return !(isOwnGitFolder(folder) && isReplaced(indexes, joinPath(folder, name)));
  };
}

/** One that is gone is found out when it is read. */
function isUnreadable(root: string, path: BytePath): boolean {
  try {
    closeSync(openSync(locate(root, path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK));
    return false;
  } catch (error) {
    return ['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '');
  }
}

/** An index is stored as its normalised bytes, and a shared index only under the name its new bytes give it. */
function isReplaced({ all }: AgentIndexes, path: BytePath): boolean {
  return all.some((index) => path === index.path || path.startsWith(`${folderOf(index.path)}/sharedindex.`));
}

interface Limit {
  readonly each: number;
  left: number;
}

type ClassifiedTable = FileTable & Pick<CapturedColumns, 'classes'>;

/** Lists what exceeds a limit, and returns its rows. */
function applyLimits(request: SelectionRequest, table: ClassifiedTable, leftOut: LeftOut[]): Set<number> {
  const dropped = new Set<number>();
  const limited: { readonly path: BytePath; readonly row: number }[] = [];
  const drop = (path: BytePath, row: number, reason: LeftOut['reason']) => {
    dropped.add(row);
    leftOut.push({ path: renderBytePath(path), reason, bytes: sizeOf(table, row) });
  };
  for (const { path: folder, from, to } of table.folders) {
    for (let row = from; row < to; row += 1) {
      const isTracked = table.classes[row] === TRACKED;
      if (isTracked && sizeOf(table, row) <= GIT_FILE_BYTES) continue;
      const path = joinPath(folder, table.names[row] ?? '');
      if (!isTracked) limited.push({ path, row });
      else if (sizeOf(table, row) > (isLimitedGitFile(path) ? GIT_FILE_BYTES : TRACKED_FILE_BYTES))
        drop(path, row, 'too_large');
    }
  }
  const { limits, captureIgnored } = request;
  const untracked: Limit = { each: limits.untrackedFileBytes, left: limits.untrackedTotalBytes };
  const ignored: Limit = { each: limits.ignoredFileBytes, left: limits.ignoredTotalBytes };
  // Which files a total still has room for must not depend on the order a folder lists them in.
  for (const { path, row } of limited.sort(byPath)) {
    const isIgnored = table.classes[row] === IGNORED;
    const limit = isIgnored ? ignored : untracked;
    const reason = isIgnored && !captureIgnored ? 'ignored' : findReason(limit, sizeOf(table, row));
    if (reason === null) limit.left -= sizeOf(table, row);
    else drop(path, row, reason);
  }
  return dropped;
}

function findReason(limit: Limit, size: number): LeftOut['reason'] | null {
  if (size > limit.each) return 'too_large';
  return size > limit.left ? 'over_total' : null;
}

/** Whether a path is a file of the git directory that holds no work of any size. */
function isLimitedGitFile(path: BytePath): boolean {
  return path.startsWith('.git/') && !/(?:^|\/)(?:index|packed-refs|sharedindex\.[0-9a-f]+)$/.test(path);
}

function isInGitFolder(path: BytePath): boolean {
  return path.startsWith('.git/') || nestedRepositoryOf(path) !== null;
}

function byPath(a: { path: string }, b: { path: string }): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}
