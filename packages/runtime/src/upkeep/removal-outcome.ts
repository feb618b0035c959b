/** Carries a removal out: the runs of a plan, and the refs that were to go with them. */
import { Failure, type Refusal, type RunId, refuse } from '@ramet/core';
import type { FileStore } from '../store/index.ts';
import { removeAppliedRef } from './applied-refs.ts';
import { type RemovalPlan, removeRuns } from './removal.ts';

/** What a removal did. */
export interface RemovalOutcome {
  readonly removed: readonly RunId[];
  /** Refs that stay, because they moved since they were counted: one sentence each. */
  readonly stuck: readonly string[];
}

/** Removes what a plan names; stops as `removeRuns` does, with the runs `removed` before that in the refusal's data. */
export async function carryOutRemoval(store: FileStore, plan: RemovalPlan): Promise<RemovalOutcome | Refusal> {
  const { removed, stopped } = await removeRuns(
    store,
    plan.runs.map(({ id }) => id),
  );
  const stuck = await removeRefs(plan.runs.filter(({ id }) => removed.includes(id)));
  if (stopped === null) return { removed, stuck };
  const message = `${stopped.message}; removed before that: ${removed.length === 0 ? 'none' : removed.join(', ')}`;
  return refuse(stopped.code, message, { ...stopped.data, removed });
}

/** A ref that moved since it was counted stays, and is named. */
async function removeRefs(runs: RemovalPlan['runs']): Promise<readonly string[]> {
  const stuck: string[] = [];
  for (const ref of runs.flatMap(({ refs = [] }) => refs)) {
    await removeAppliedRef(ref).catch((error: unknown) => {
      if (!(error instanceof Failure)) throw error;
      stuck.push(`${ref.ref} in ${ref.repository} stays: ${error.message}`);
    });
  }
  return stuck;
}
