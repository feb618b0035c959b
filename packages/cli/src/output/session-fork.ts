/** A fork of a session as text: what it holds, what comes back, what is not undone. */
import type { WriteHazard } from '@ramet/core/fork';
import { escapeLine, renderBytes, renderCount, renderJson, truncateText } from '@ramet/core/text';
import type { DescribedFork } from '@ramet/runtime/answers';
import { shortenIds } from '@ramet/runtime/inspect';
import type { FileStore } from '@ramet/runtime/store';
import type { CliContext } from '../context.ts';
import { paint } from './style.ts';

/** What a person is told of it. */
export function renderFork(
  context: CliContext,
  made: {
    readonly store: FileStore;
    readonly described: DescribedFork;
    readonly ms: number;
  },
): string {
  const { store, described, ms } = made;
  const { forkedFrom, session, bytes } = described;
  const short = shortenIds(store, [forkedFrom.id]);
  const origin = `${short(forkedFrom.id)} at ${forkedFrom.offset}`;
  const sizes = `${renderBytes(bytes.own)} new, ${renderBytes(bytes.shared)} shared`;
  const events = renderCount(forkedFrom.offset + 1, 'event');
  const first =
    session === null
      ? `would fork ${origin}: ${events}, ${sizes}`
      : `forked ${origin}: ${events}, ${sizes}, ${ms.toFixed(1)} ms, 0 tokens`;
  const lines = [first, ...renderWorkspace(described), ...renderOutstanding(context, described.outstanding)];
  if (session !== null) lines.push(`go on: ramet run --session ${short(session)} "..."`);
  return lines.map((line) => `${line}\n`).join('');
}

/** What comes back of the files. */
export function renderWorkspace({ workspace }: Pick<DescribedFork, 'workspace'>): readonly string[] {
  const { restorable, reason, checkpoint, leftOut } = workspace;
  if (!restorable) return [`files: not restored: ${escapeLine(reason ?? '')}`];
  const lines = [
    `files: come back as they were at that turn (checkpoint ${checkpoint?.slice(0, 12)}), when it first runs`,
  ];
  if (leftOut.length > 0) {
    const names = leftOut.slice(0, 5).map(({ path }) => escapeLine(String(path)));
    const more = leftOut.length > names.length ? `, and ${leftOut.length - names.length} more` : '';
    lines.push(`not in that checkpoint: ${names.join(', ')}${more}`);
  }
  return lines;
}

/** Writes that a fork does not undo. */
function renderOutstanding(context: CliContext, outstanding: readonly WriteHazard[]): readonly string[] {
  if (outstanding.length === 0) return [];
  const head = `${renderCount(outstanding.length, 'write')} after that turn left the workspace and will not be undone:`;
  const writes = outstanding.map(({ offset, tool, input, outcome }) =>
    truncateText(`  ${offset}  ${escapeLine(tool)} (${outcome})  ${renderJson(input)}`, context.stderr.columns ?? 160),
  );
  return [paint(context.stderr, 'yellow', head), ...writes];
}
