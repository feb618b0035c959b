import { isRefusal } from '@ramet/core/codes';
import { escapeLine, renderColumns } from '@ramet/core/text';
import { describeStoreUsage } from '@ramet/runtime/answers';
import { findRuns, narrowUsage, readStoreUsage, type StoreUsage, shortenIds } from '@ramet/runtime/inspect';
import type { CliContext } from '../context.ts';
import type { UsageFlags } from '../flags.ts';
import type { Action } from '../output/answer.ts';
import { paint } from '../output/style.ts';
import { renderUsage } from '../output/usage.ts';
import { openStore } from '../store.ts';

/** Shows what the store, or some runs of it, used. */
export const usage: Action<UsageFlags, readonly string[]> = async (context, _flags, texts) => {
  const store = openStore(context);
  const ids = findRuns(store, texts);
  if (isRefusal(ids)) return ids;
  const all = readStoreUsage(store);
  const found = ids.length === 0 ? all : narrowUsage(all, new Set(ids));
  const short = shortenIds(
    store,
    found.removed.map(({ id }) => id),
  );
  const rows = [
    ...[...found.sessions, ...found.runs].map((session) => [
      short(session.id),
      renderUsage(session.own),
      escapeLine(session.title),
    ]),
    ...found.removed.map((run) => [short(run.id), renderUsage(run.usage), '(removed; its forks hold this)']),
  ];
  const lines = [...renderColumns(rows, { width: context.stdout.columns }), ...renderTotal(context, found)];
  return { json: describeStoreUsage(found), text: lines.map((line) => `${line}\n`).join('') };
};

function renderTotal(context: CliContext, { total, incomplete }: StoreUsage): readonly string[] {
  const line = `${paint(context.stdout, 'bold', 'total')}  ${renderUsage(total)}`;
  return incomplete.length === 0 ? [line] : [line, `not fully counted, because damaged: ${incomplete.join(', ')}`];
}
