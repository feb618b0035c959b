/** What sessions and graph runs say alike of the files they leave: what changed, how to take it, what a checkpoint lacks. */
import type { EventOf } from '@ramet/core/events';
import { escapeLine, renderCount } from '@ramet/core/text';

/** How many files changed, and the first of their paths. */
export type Changes = EventOf<'workspace.checkpoint'>['changed'];

/** Counts what changed, and names the first files. */
export function describeChanges({ added, modified, deleted, paths }: Changes): string {
  const total = added + modified + deleted;
  if (total === 0) return 'changed: no file';
  const named = paths.slice(0, 8).map(escapeLine).join(', ');
  const more = total > 8 ? `, and ${total - 8} more` : '';
  return `changed: ${renderCount(total, 'file')} (${added} added, ${modified} modified, ${deleted} deleted): ${named}${more}`;
}

/** The commands that show and take the work of a run. */
export function renderTaking(id: string): string {
  return `see it: ramet diff ${id}   take it: ramet apply ${id}`;
}

/**
 * That a checkpoint holds files and no usable `.git`, and why; null where it holds both, or its log does not say. Not
 * escaped.
 */
export function describeLostGit(checkpoint: EventOf<'workspace.checkpoint'>): string | null {
  const { git } = checkpoint as { readonly git?: unknown };
  if (typeof git !== 'object' || git === null || !('state' in git)) return null;
  const reason = 'reason' in git && typeof git.reason === 'string' ? `: ${git.reason}` : '';
  const what = git.state === 'absent' ? 'there is no git directory' : 'the git directory cannot be used';
  return `${what}${reason}; the checkpoint holds the files alone, no commit, branch or index of the workspace`;
}
