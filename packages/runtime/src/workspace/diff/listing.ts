/** Parses `git diff-tree -r -M --raw --numstat -z`. */
import { invariant } from '@ramet/core/codes';
import type { BytePath } from '../checkpoint/index.ts';
import { splitNul } from '../git/index.ts';

export type DiffStatus = 'added' | 'modified' | 'deleted' | 'renamed' | 'type_changed';

export interface ListedDiff {
  readonly path: BytePath;
  /** Where a renamed file was. */
  readonly oldPath: BytePath | null;
  readonly status: DiffStatus;
  /** Git's modes; null on the side where it does not exist. */
  readonly oldMode: string | null;
  readonly newMode: string | null;
  /** Lines; null for binary files. */
  readonly additions: number | null;
  readonly deletions: number | null;
}

const STATUS: Readonly<Record<string, DiffStatus>> = {
  A: 'added',
  M: 'modified',
  D: 'deleted',
  R: 'renamed',
  T: 'type_changed',
};

type Draft = Omit<ListedDiff, 'additions' | 'deletions'>;

/** The files of a diff in git's order. */
export function parseListing(output: Buffer): ListedDiff[] {
  const parts = splitNul(output).map((part) => part.toString('latin1'));
  const drafts: Draft[] = [];
  let at = 0;
  while (parts[at]?.startsWith(':')) {
    const draft = parseRaw(parts, at);
    drafts.push(draft);
    at += draft.oldPath === null ? 2 : 3;
  }
  return drafts.map((draft) => {
    const [, additions, deletions, path] = /^(\d+|-)\t(\d+|-)\t([\s\S]*)$/.exec(parts[at] ?? '') ?? [];
    invariant(additions !== undefined && path !== undefined, 'git diff-tree counts each file it lists');
    at += path === '' ? 3 : 1;
    return { ...draft, additions: parseCount(additions), deletions: parseCount(deletions) };
  });
}

function parseRaw(parts: readonly string[], at: number): Draft {
  const [, oldMode = '', newMode = '', letter = ''] =
    /^:(\d+) (\d+) [0-9a-f]+ [0-9a-f]+ ([A-Z])\d*$/.exec(parts[at] ?? '') ?? [];
  const status = STATUS[letter];
  const [first, second] = [parts[at + 1], parts[at + 2]];
  invariant(status !== undefined && first !== undefined, `git diff-tree answers ${JSON.stringify(parts[at])}`);
  const renamed = status === 'renamed' && second !== undefined;
  return {
    path: renamed ? second : first,
    oldPath: renamed ? first : null,
    status,
    oldMode: modeOf(oldMode),
    newMode: modeOf(newMode),
  };
}

function modeOf(mode: string): string | null {
  return mode === '000000' ? null : mode;
}

function parseCount(text: string | undefined): number | null {
  return text === undefined || text === '-' ? null : Number(text);
}
