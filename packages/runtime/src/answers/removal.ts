/** Removals in answers: what would go, and what went. */
import type { RunId } from '@ramet/core';
import type { RemovalOutcome, RemovalPlan } from '../upkeep/index.ts';

/** A plan, and what of it was done; a prune's plan keeps what it says besides. */
export type DescribedRemoval<P extends RemovalPlan = RemovalPlan> = P & {
  readonly dryRun?: true;
  readonly removed: readonly RunId[];
  /** Refs that were to go too and stay, each with the reason. */
  readonly stuck?: readonly string[];
};

/** Describes a plan that nothing is removed by. */
export function describeDryRemoval<P extends RemovalPlan>(plan: P): DescribedRemoval<P> {
  return { dryRun: true, ...plan, removed: [] };
}

/** Describes what was removed of a plan. */
export function describeRemoval<P extends RemovalPlan>(plan: P, outcome: RemovalOutcome): DescribedRemoval<P> {
  const { removed, stuck } = outcome;
  return { ...plan, removed, ...(stuck.length === 0 ? {} : { stuck }) };
}
