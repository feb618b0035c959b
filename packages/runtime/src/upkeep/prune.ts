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
  const all = listAllRuns(store);
  const oldestFirst = all.map((run) => countRun(store, run)).reverse();
  const total = bytesOf(oldestFirst.reduce((sum, { tally }) => joinTallies(sum, tally), NO_FILES));
  const chosen: CountedRun[] = [];
  const kept: PrunePlan['kept'][number][] = [];
  // What is shared only among the chosen is freed with the last of them.
  let freed = NO_FILES;
  for (const counted of oldestFirst) {
    const { run, tally } = counted;
    if (isReached(bytesOf(freed).own, total, options.goal)) break;
    if (!isDue(run, options)) continue;
    const leaving = new Set([...chosen.map(({ run: { id } }) => id), run.id]);
    const reasons = await findReasonsToKeep({ ...context, all, leaving }, run, options.includeUnsaved);
    if (reasons.length === 0) {
      chosen.push(counted);
      freed = joinTallies(freed, tally);
    } else kept.push({ id: run.id, title: run.title, reasons });
  }
  return {
    ...(await describeSafe(context, { chosen, all, kept, includeUnsaved: options.includeUnsaved })),
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
  run: RunSummary,
  includeUnsaved: boolean,
): Promise<readonly string[]> {
  if (run.state === 'running') return ['it is running'];
  if (includeUnsaved) return [];
  const ref = context.refs === true ? await findAppliedRef(context.store, run) : null;
  const loss = ref === null ? null : await describeRefLoss(ref);
  const reasons = [...(await findUnsaved(context, run)), ...(loss === null ? [] : [loss])];
  return reasons.map(({ message }) => message);
}

interface Chosen {
  readonly chosen: readonly CountedRun[];
  readonly kept: PrunePlan['kept'];
  readonly all: readonly RunSummary[];
  readonly includeUnsaved: boolean;
}

/** Runs chosen later may have been the only others that held what an earlier one holds: such a one stays after all. */
async function describeSafe(context: UpkeepContext, picked: Chosen): Promise<Omit<PrunePlan, 'total'>> {
  const { chosen, kept, all, includeUnsaved } = picked;
  const plan = await describePlan(context, chosen, all);
  const lossy = includeUnsaved ? [] : plan.runs.filter(({ unsaved }) => unsaved.length > 0);
  if (lossy.length === 0) return { ...plan, kept };
  const ids = new Set(lossy.map(({ id }) => id));
  const safe = chosen.filter(({ run }) => !ids.has(run.id));
  const more = lossy.map(({ id, title, unsaved }) => ({ id, title, reasons: unsaved.map(({ message }) => message) }));
  return { ...(await describePlan(context, safe, all)), kept: [...kept, ...more] };
}
