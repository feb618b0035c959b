/**
 * Chooses old runs to remove: the one that was active longest ago first.
 *
 * 1. A running run is never chosen, one with unsaved work only when asked.
 * 2. Nothing is removed here.
 */
import type { RunId } from '@ramet/core';
import { type Bytes, bytesOf, joinTallies, listAllRuns, NO_FILES, type RunSummary } from '../inspect/index.ts';
import { describeRefLoss, findAppliedRef } from './applied-refs.ts';
import { type CountedRun, countRun, describePlan, type RemovalPlan, type UpkeepContext } from './removal.ts';
import { findUnsaved, type UnsavedContext } from './unsaved.ts';

export type PruneGoal =
  | { readonly kind: 'older_than'; readonly days: number }
  /** Until all runs together take at most this many bytes. */
  | { readonly kind: 'to_size'; readonly bytes: number };

export interface PrunePlan extends RemovalPlan {
  /** Runs that were due and stay, and why. */
  readonly kept: readonly { readonly id: RunId; readonly title: string; readonly reasons: readonly string[] }[];
  /** Of all runs, before. */
  readonly total: Bytes;
}

export interface PruneOptions {
  readonly goal: PruneGoal;
  readonly includeUnsaved: boolean;
  readonly nowMs: number;
}

const DAY_MS = 86_400_000;

/** Plans a prune of a whole store. */
export async function planPrune(context: UpkeepContext, options: PruneOptions): Promise<PrunePlan> {
  const { store } = context;
  const sessions = listAllRuns(store);
  const oldestFirst = sessions.map((session) => countRun(store, session)).reverse();
  const total = bytesOf(oldestFirst.reduce((sum, { tally }) => joinTallies(sum, tally), NO_FILES));
  const chosen: CountedRun[] = [];
  const kept: PrunePlan['kept'][number][] = [];
  // What is shared only among the chosen is freed with the last of them.
  let freed = NO_FILES;
  for (const run of oldestFirst) {
    if (isReached(bytesOf(freed).own, total, options.goal)) break;
    if (!isDue(run.session, options)) continue;
    const leaving = new Set([...chosen.map(({ session }) => session.id), run.session.id]);
    const reasons = await findReasonsToKeep({ ...context, sessions, leaving }, run.session, options.includeUnsaved);
    if (reasons.length === 0) {
      chosen.push(run);
      freed = joinTallies(freed, run.tally);
    } else kept.push({ id: run.session.id, title: run.session.title, reasons });
  }
  return {
    ...(await describeSafe(context, { chosen, sessions, kept, includeUnsaved: options.includeUnsaved })),
    total,
  };
}

function isDue({ lastTime }: RunSummary, { goal, nowMs }: PruneOptions): boolean {
  if (goal.kind === 'to_size') return true;
  const time = Date.parse(lastTime);
  return Number.isFinite(time) && nowMs - time > goal.days * DAY_MS;
}

function isReached(freed: number, total: Bytes, goal: PruneGoal): boolean {
  return goal.kind === 'to_size' && total.own + total.shared - freed <= goal.bytes;
}

async function findReasonsToKeep(
  context: UnsavedContext & UpkeepContext,
  session: RunSummary,
  includeUnsaved: boolean,
): Promise<readonly string[]> {
  if (session.state === 'running') return ['it is running'];
  if (includeUnsaved) return [];
  const ref = context.refs === true ? await findAppliedRef(context.store, session) : null;
  const loss = ref === null ? null : await describeRefLoss(ref);
  const reasons = [...(await findUnsaved(context, session)), ...(loss === null ? [] : [loss])];
  return reasons.map(({ message }) => message);
}

interface Chosen {
  readonly chosen: readonly CountedRun[];
  readonly kept: PrunePlan['kept'];
  readonly sessions: readonly RunSummary[];
  readonly includeUnsaved: boolean;
}

/** Runs chosen later may have been the only others that held what an earlier one holds: such a one stays after all. */
async function describeSafe(context: UpkeepContext, picked: Chosen): Promise<Omit<PrunePlan, 'total'>> {
  const { chosen, kept, sessions, includeUnsaved } = picked;
  const plan = await describePlan(context, chosen, sessions);
  const lossy = includeUnsaved ? [] : plan.runs.filter(({ unsaved }) => unsaved.length > 0);
  if (lossy.length === 0) return { ...plan, kept };
  const ids = new Set(lossy.map(({ id }) => id));
  const safe = chosen.filter(({ session }) => !ids.has(session.id));
  const more = lossy.map(({ id, title, unsaved }) => ({ id, title, reasons: unsaved.map(({ message }) => message) }));
  return { ...(await describePlan(context, safe, sessions)), kept: [...kept, ...more] };
}
