import type { UnsavedKind, UnsavedReason } from './types.ts';

const SHOWN_NAMES = 10;
const WORDED_NAMES = 3;

const WORDS: Readonly<Record<UnsavedKind, (count: number) => string>> = {
  no_checkpoint: () => 'its workspace has no checkpoint',
  workspace_changed: () => 'its workspace was changed after its last checkpoint',
  not_comparable: () => 'it cannot be compared',
  operation: () => 'the agent is in the middle of an operation',
  commits: (count) => `${count} commit${plural(count)} of the agent ${isAre(count)} nowhere else`,
  files: (count) => `${count} file${plural(count)} ${isAre(count)} nowhere else`,
  ignored_files: (count) => `${count} ignored file${plural(count)} ${isAre(count)} nowhere else`,
  staged: (count) => `${count} staged content${plural(count)} ${isAre(count)} nowhere else`,
  nested: (count) => `${count} repositor${count === 1 ? 'y' : 'ies'} inside the workspace`,
  ref: () => 'its ref in your repository leads to commits that no branch has',
};

/** A reason with its words; `detail` says why or which where there are no names to count. */
export function makeReason(kind: UnsavedKind, names: readonly string[], detail?: string): UnsavedReason {
  const count = names.length;
  const named = names.slice(0, WORDED_NAMES).join(', ');
  const more = count > WORDED_NAMES ? ', …' : '';
  const tail = detail ?? (count === 0 ? '' : `${named}${more}`);
  const message = `${WORDS[kind](count)}${tail === '' ? '' : `: ${tail}`}`;
  return { kind, count, names: names.slice(0, SHOWN_NAMES), message };
}

function plural(count: number): string {
  return count === 1 ? '' : 's';
}

function isAre(count: number): string {
  return count === 1 ? 'is' : 'are';
}
