import { isRefusal } from '@ramet/core/codes';
import { escapeLine, renderColumns } from '@ramet/core/text';
import { joinUsage, NO_USAGE, type UsageSum } from '@ramet/core/usage';
import { readStoreUsage, type StoreUsage } from '@ramet/runtime/inspect';
import type { CliContext } from '../context.ts';
import type { UsageFlags } from '../flags.ts';
import type { Action } from '../output/answer.ts';
import { paint } from '../output/style.ts';
import { describeUsage, renderUsage } from '../output/usage.ts';
import { findRuns, openStore, shortenIds } from '../store.ts';

/** Shows what the store, or some runs of it, used. */
export const usage: Action<UsageFlags, readonly string[]> = async (context, _flags, texts) => {
  const store = openStore(context);
  const ids = findRuns(store, texts);
  if (isRefusal(ids)) return ids;
  const all = readStoreUsage(store);
  const found = ids.length === 0 ? all : narrow(all, new Set(ids));
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
  return { json: describe(found), text: lines.map((line) => `${line}\n`).join('') };
};

function describe(found: StoreUsage): Record<string, unknown> {
  return {
    total: describeUsage(found.total),
    sessions: found.sessions.map(describeRun),
    runs: found.runs.map(describeRun),
    removed: found.removed.map(({ id, usage: sum }) => ({ id, usage: describeUsage(sum) })),
    incomplete: found.incomplete,
  };
}

function describeRun({ own, inherited, ...rest }: StoreUsage['runs'][number]): Record<string, unknown> {
  return { ...rest, own: describeUsage(own), inherited: describeUsage(inherited) };
}

/** Of some runs: what they did themselves. */
function narrow(all: StoreUsage, ids: ReadonlySet<string>): StoreUsage {
  const sessions = all.sessions.filter(({ id }) => ids.has(id));
  const runs = all.runs.filter(({ id }) => ids.has(id));
  const total = [...sessions, ...runs].map(({ own }) => own).reduce<UsageSum>(joinUsage, NO_USAGE);
  return { total, sessions, runs, removed: [], incomplete: all.incomplete.filter((id) => ids.has(id)) };
}

function renderTotal(context: CliContext, { total, incomplete }: StoreUsage): readonly string[] {
  const line = `${paint(context.stdout, 'bold', 'total')}  ${renderUsage(total)}`;
  return incomplete.length === 0 ? [line] : [line, `not fully counted, because damaged: ${incomplete.join(', ')}`];
}
