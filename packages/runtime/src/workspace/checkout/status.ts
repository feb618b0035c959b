/** What the person has not committed, read from a shadow (`shadow.ts`): no program of theirs runs. */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { invariant } from '@ramet/core/codes';
import { type GitPlace, git, renderName, splitNul } from '../git/index.ts';
import type { DirtyState } from '../types.ts';
import { withoutSlash } from './bytes.ts';

/** One line of `git status`; paths relative to the top of the checkout. */
export interface PersonStatus {
  readonly staged: readonly Buffer[];
  /** Files that differ from the index; with a merge in progress the unmerged ones too. */
  readonly unstaged: readonly Buffer[];
  readonly untracked: readonly Buffer[];
  /** Files and folders an ignore rule matches; a folder stands for all in it. */
  readonly ignored: readonly Buffer[];
  readonly intentToAdd: readonly Buffer[];
}

/** Compares the person's HEAD, index and files. */
export async function readStatus(shadow: GitPlace, signal?: AbortSignal): Promise<PersonStatus> {
  const { stdout } = await git({
    ...shadow,
    args: [
      'status',
      '--porcelain=v2',
      '-z',
      '--untracked-files=all',
      '--ignored=matching',
      // Looking inside a submodule would run git there, with that repository's config.
      '--ignore-submodules=dirty',
      '--no-renames',
    ],
    ...(signal === undefined ? {} : { signal }),
  });
  return parseStatus(stdout);
}

/** Parses `status --porcelain=v2 -z --no-renames`. */
export function parseStatus(output: Buffer): PersonStatus {
  const staged: Buffer[] = [];
  const unstaged: Buffer[] = [];
  const untracked: Buffer[] = [];
  const ignored: Buffer[] = [];
  const intentToAdd: Buffer[] = [];
  for (const line of splitNul(output)) {
    const kind = String.fromCharCode(line[0] ?? 0);
    if (kind === '?') untracked.push(withoutSlash(line.subarray(2)));
    else if (kind === '!') ignored.push(withoutSlash(line.subarray(2)));
    else if (kind === '#') continue;
    else {
      invariant(kind === '1' || kind === 'u', `git status answers a line of kind ${kind}`);
      const path = afterFields(line, kind === '1' ? 8 : 10);
      const [index, files] = [line[2], line[3]];
      if (index !== DOT || kind === 'u') staged.push(path);
      if (files !== DOT || kind === 'u') unstaged.push(path);
      if (kind === '1' && index === DOT && files === ADDED) intentToAdd.push(path);
    }
  }
  return { staged, unstaged, untracked, ignored, intentToAdd };
}

const DOT = 0x2e;
const ADDED = 0x41;
const LISTED = 100;

/** The status as it is recorded and told. */
export function describeDirty(
  status: PersonStatus,
  more: { stashes: number; operation: string | null; carried: boolean },
): DirtyState {
  const name = (paths: readonly Buffer[]) => paths.slice(0, LISTED).map(renderName);
  const { staged, unstaged, untracked } = status;
  return {
    staged: name(staged),
    unstaged: name(unstaged),
    untracked: name(untracked),
    counts: { staged: staged.length, unstaged: unstaged.length, untracked: untracked.length },
    ...more,
  };
}

/** How many stashes the person has. */
export async function countStashes(gitDir: string): Promise<number> {
  const { exitCode, stdout } = await git({
    gitDir,
    args: ['rev-list', '--walk-reflogs', '--count', 'refs/stash', '--'],
    okExitCodes: [0, 128],
  });
  return exitCode === 0 ? Number(stdout.toString().trim()) : 0;
}

const OPERATIONS: readonly (readonly [file: string, operation: string])[] = [
  ['rebase-merge', 'rebase'],
  ['rebase-apply/applying', 'am'],
  ['rebase-apply', 'rebase'],
  ['MERGE_HEAD', 'merge'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['BISECT_LOG', 'bisect'],
];

/** The operation the person is in the middle of, if any. */
export async function readOperation(gitDir: string): Promise<string | null> {
  for (const [file, operation] of OPERATIONS) {
    if (await exists(join(gitDir, file))) return operation;
  }
  return null;
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function afterFields(line: Buffer, count: number): Buffer {
  let at = 0;
  for (let field = 0; field < count; field += 1) at = line.indexOf(0x20, at) + 1;
  return line.subarray(at);
}
