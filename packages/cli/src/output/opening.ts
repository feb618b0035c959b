/** How the opening of a workspace is told: what came along from the person's checkout, and what stays behind. */
import type { EventOf } from '@ramet/core/events';
import { escapeLine, renderCount } from '@ramet/core/text';

/** Names what stays behind in the person's checkout; `worker` is who works in the workspace. */
export function describeOpening(opened: EventOf<'workspace.open'>, worker: 'agent' | 'run'): readonly string[] {
  const { staged, unstaged, untracked, stashes, operation, carried } = opened.dirty;
  const paths = [
    ...new Set([staged, unstaged, untracked].flatMap((list) => (Array.isArray(list) ? list.map(String) : []))),
  ];
  const lines: string[] = [];
  if (opened.kind === 'directory')
    lines.push(
      `the ${worker} works in ${escapeLine(opened.path ?? 'this folder')} itself: nothing it does there can be undone`,
    );
  if (paths.length > 0) lines.push(describeUncommitted(paths, carried === true));
  if (typeof stashes === 'number' && stashes > 0)
    lines.push(`${renderCount(stashes, 'stash', 'stashes')} stay${stashes === 1 ? 's' : ''} behind`);
  if (typeof operation === 'string') lines.push(`a ${escapeLine(operation)} in progress stays behind`);
  if (opened.leftOut.length > 0) {
    const named = opened.leftOut
      .slice(0, 5)
      .map((entry) => escapeLine(entry.path))
      .join(', ');
    lines.push(`ignored files left out: ${named}${opened.leftOut.length > 5 ? ', ...' : ''}`);
  }
  return lines;
}

function describeUncommitted(paths: readonly string[], isCarried: boolean): string {
  const named = paths.slice(0, 8).map(escapeLine).join(', ');
  const more = paths.length > 8 ? `, and ${paths.length - 8} more` : '';
  const what = isCarried
    ? 'uncommitted changes came along'
    : 'uncommitted changes stay behind (--allow-dirty brings them)';
  return `${what}: ${named}${more}`;
}
