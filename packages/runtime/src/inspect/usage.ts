import {
  deriveSessionOverview,
  joinUsage,
  NO_USAGE,
  type RunId,
  totalUsage,
  type UsageSpan,
  type UsageSum,
  usageSpansOf,
} from '@ramet/core';
import type { FileStore } from '../store/index.ts';
import { readGraphUsage } from './graph-usage.ts';
import { listTaken, sumTaken, type TakenUsage } from './taken-usage.ts';

export interface StoreUsage {
  /** Over all replies recorded in the store, each once. */
  readonly total: UsageSum;
  readonly sessions: readonly RunUsage[];
  /** Of graph runs. */
  readonly runs: readonly RunUsage[];
  /** What removed runs made and their descendants still hold. */
  readonly removed: readonly { readonly id: RunId; readonly usage: UsageSum }[];
  /** Runs whose log is damaged or cannot be read: what they hold after the damage is not counted. */
  readonly incomplete: readonly RunId[];
}

export interface RunUsage {
  readonly id: RunId;
  readonly title: string;
  readonly own: UsageSum;
  readonly inherited: UsageSum;
}

/** Usage of every run of a store, and of the store as a whole. */
export function readStoreUsage(store: FileStore): StoreUsage {
  const sessions = readSessionUsage(store);
  const graphs = readGraphUsage(store);
  const taken = sumTaken(store, sessions.taken);
  return {
    total: [graphs.total, ...taken.values()].reduce(joinUsage, sessions.total),
    sessions: sessions.sessions,
    runs: graphs.runs,
    removed: joinRemoved([...sessions.removed, ...graphs.removed, ...[...taken].map(([id, usage]) => ({ id, usage }))]),
    incomplete: [...sessions.incomplete, ...graphs.incomplete],
  };
}

/** The part of some runs: what they did themselves. */
export function narrowUsage(all: StoreUsage, ids: ReadonlySet<RunId>): StoreUsage {
  const sessions = all.sessions.filter(({ id }) => ids.has(id));
  const runs = all.runs.filter(({ id }) => ids.has(id));
  const total = [...sessions, ...runs].map(({ own }) => own).reduce<UsageSum>(joinUsage, NO_USAGE);
  return { total, sessions, runs, removed: [], incomplete: all.incomplete.filter((id) => ids.has(id)) };
}

/** A removed run may be named by children of both kinds; one that did nothing is not named. */
function joinRemoved(found: StoreUsage['removed']): StoreUsage['removed'] {
  const sums = new Map<RunId, UsageSum>();
  for (const { id, usage } of found) {
    if (usage.replies > 0) sums.set(id, joinUsage(sums.get(id) ?? NO_USAGE, usage));
  }
  return [...sums].map(([id, usage]) => ({ id, usage }));
}

function readSessionUsage(store: FileStore): Omit<StoreUsage, 'runs'> & { readonly taken: readonly TakenUsage[] } {
  const spans: UsageSpan[] = [];
  const taken: TakenUsage[] = [];
  const incomplete: RunId[] = [];
  const titles = new Map<RunId, string>();
  const inherited = new Map<RunId, UsageSum>();
  for (const id of [...store.listRuns()].sort()) {
    try {
      const outline = store.read(id)?.readOutline();
      if (outline === undefined || outline.heads[0]?.graph !== undefined) continue;
      if (outline.damage !== null) incomplete.push(id);
      const overview = deriveSessionOverview(outline.heads);
      if (overview === null) continue;
      spans.push(...usageSpansOf(outline));
      taken.push(...listTaken(outline));
      titles.set(id, overview.title);
      inherited.set(id, overview.inherited);
    } catch {
      incomplete.push(id);
    }
  }
  const { total, byMaker } = totalUsage(spans);
  const sessions = [...titles].map(([id, title]) => ({
    id,
    title,
    own: byMaker.get(id) ?? NO_USAGE,
    inherited: inherited.get(id) ?? NO_USAGE,
  }));
  const removed = [...byMaker].filter(([id]) => !titles.has(id)).map(([id, usage]) => ({ id, usage }));
  return { total, sessions, removed, incomplete, taken };
}
