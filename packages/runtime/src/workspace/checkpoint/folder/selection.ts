/**
 * Decides what of a workspace a checkpoint holds.
 *
 * 1. What the agent's index names is held, whatever ignore rules say; other files within the limits of their class,
 *    in path order; carried folders never.
 * 2. What is not held is listed with its reason. Nothing vanishes silently, except lock files and sockets inside a
 *    git directory, which mean nothing without their process.
 */
import { closeSync, constants, openSync } from 'node:fs';
import type { CaptureLimits, LeftOut } from '../../types.ts';
import type { AgentIndexes } from '../agent-git/indexes.ts';
import type { ObjectFormat } from '../objects/format.ts';
import { classifyPaths } from './classes.ts';
import { type BytePath, locate, nestedRepositoryOf, renderBytePath } from './names.ts';
import type { PathClass, StatCache } from './stat-cache.ts';
import type { WalkedEntry } from './walk.ts';
import { walkWorkspace } from './workspace-walk.ts';

export interface SelectionRequest {
  readonly root: string;
  readonly privateFolder: string;
  readonly format: ObjectFormat;
  readonly carry: readonly string[];
  readonly captureIgnored: boolean;
  readonly limits: CaptureLimits;
  readonly indexes: AgentIndexes;
  readonly cache: StatCache | null;
}

export interface SelectedFile {
  readonly entry: WalkedEntry;
  readonly pathClass: PathClass;
}

export interface Selection {
  /** Files and links that are held. */
  readonly files: readonly SelectedFile[];
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
  const tracked = request.indexes.main?.byPath ?? new Map<BytePath, never>();
  const walked = await walkWorkspace({ ...request, tracked });
  const { walk, rules, carried } = walked;
  const leftOut: LeftOut[] = carried.map((path) => ({ path: renderBytePath(path), reason: 'carried' }));
  for (const { path, reason } of walk.unread) leftOut.push({ path: renderBytePath(path), reason });
  const candidates: WalkedEntry[] = [];
  for (const entry of walk.entries) {
    if (entry.kind === 'special') noteSpecial(entry, leftOut);
    else if (isUnreadable(request.root, entry))
      leftOut.push({ path: renderBytePath(entry.path), reason: 'unreadable' });
    else if (entry.kind !== 'folder' && !isDisposable(entry.path)) candidates.push(entry);
  }
  const classes = await classifyPaths({ rules, tracked, cache: request.cache, candidates });
  const limited = applyLimits(request, candidates, classes);
  return {
    files: limited.files,
    folders: walk.entries.filter((entry) => entry.kind === 'folder'),
    carried,
    leftOut: [...leftOut, ...limited.leftOut].sort(byPath),
    ignoreKey: rules.key,
    hasObjects: walked.hasObjects,
  };
}

/** Only files whose mode leaves a doubt are tried; one that is gone is found out when it is read. */
function isUnreadable(root: string, { path, kind, mode, uid }: WalkedEntry): boolean {
  if (kind !== 'file' || (uid === process.geteuid?.() && (mode & 0o400) !== 0)) return false;
  try {
    closeSync(openSync(locate(root, path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK));
    return false;
  } catch (error) {
    return ['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '');
  }
}

interface Limit {
  readonly each: number;
  left: number;
}

function applyLimits(
  request: SelectionRequest,
  candidates: readonly WalkedEntry[],
  classes: ReadonlyMap<BytePath, PathClass>,
): { files: SelectedFile[]; leftOut: LeftOut[] } {
  const { limits } = request;
  const room: Record<PathClass, Limit> = {
    tracked: { each: TRACKED_FILE_BYTES, left: Number.POSITIVE_INFINITY },
    untracked: { each: limits.untrackedFileBytes, left: limits.untrackedTotalBytes },
    ignored: { each: limits.ignoredFileBytes, left: limits.ignoredTotalBytes },
  };
  const files: SelectedFile[] = [];
  const leftOut: LeftOut[] = [];
  const isLimited = (entry: WalkedEntry) => classes.has(entry.path);
  // Which files a total still has room for must not depend on the order a folder lists them in.
  const ordered = [...candidates.filter((entry) => !isLimited(entry)), ...candidates.filter(isLimited).sort(byPath)];
  for (const entry of ordered) {
    const pathClass = classes.get(entry.path) ?? 'tracked';
    const reason = findReason(request, { entry, pathClass }, room[pathClass]);
    if (reason !== null) leftOut.push({ path: renderBytePath(entry.path), reason, bytes: entry.size });
    else {
      room[pathClass].left -= entry.size;
      files.push({ entry, pathClass });
    }
  }
  return { files, leftOut };
}

function findReason(request: SelectionRequest, file: SelectedFile, limit: Limit): LeftOut['reason'] | null {
  const { path, size } = file.entry;
  if (file.pathClass === 'ignored' && !request.captureIgnored) return 'ignored';
  const inGit = path.startsWith('.git/') && !/(?:^|\/)(?:index|packed-refs|sharedindex\.[0-9a-f]+)$/.test(path);
  if (size > (inGit ? GIT_FILE_BYTES : limit.each)) return 'too_large';
  return size > limit.left ? 'over_total' : null;
}

/** Locks of a git that was killed: with its process gone they only stand in the way. */
function isDisposable(path: BytePath): boolean {
  return path.endsWith('.lock') && isInGitFolder(path);
}

function noteSpecial(entry: WalkedEntry, leftOut: LeftOut[]): void {
  if (!isInGitFolder(entry.path)) leftOut.push({ path: renderBytePath(entry.path), reason: 'special_file' });
}

function isInGitFolder(path: BytePath): boolean {
  return path.startsWith('.git/') || nestedRepositoryOf(path) !== null;
}

function byPath(a: { path: string }, b: { path: string }): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}
