/** What forks of both kinds have in common: their idempotency keys, and putting a child into the store. */
import type { EventDraft, ForkPlan, Refusal, RunForkPlan, RunId } from '@ramet/core';
import {
  type Attempt as CreationAttempt,
  commitAttempt,
  createWithKey,
  forkKeyOf,
  type RunStore,
  type SharedLog,
  type StagedRun,
  stageAttempt,
} from '../store/index.ts';

/** What is asked for, as far as a key goes. */
export interface ForkRequestId {
  readonly source: RunId;
  readonly key?: string;
  /** Of everything the request says. */
  readonly digest: string;
}

/** One try at making the child. */
export interface Attempt extends CreationAttempt {
  readonly request: ForkRequestId;
}

/** The two ways to answer a request. */
export interface ForkWork<T> {
  /** `beaten`: another process with the same key was first. */
  once(attempt: Attempt): Promise<T | Refusal | 'beaten'>;
  /** Answers for a child that an earlier request made. */
  describeRepeated(child: RunId): T | Refusal;
}

/** Makes the child of a request, or finds the one its key made. */
export function forkWithKey<T>(store: RunStore, request: ForkRequestId, work: ForkWork<T>): Promise<T | Refusal> {
  const { source, key, digest } = request;
  const hash = key === undefined ? null : forkKeyOf(source, key);
  return createWithKey(store, { hash, digest }, { ...work, once: (attempt) => work.once({ ...attempt, request }) });
}

/** A planned child: the lines it takes of its source, and the events it writes itself. */
export interface PlannedChild {
  readonly id: RunId;
  /** Absent: what it inherits is in its drafts. */
  readonly prefix?: { readonly source: SharedLog; readonly plan: ForkPlan | RunForkPlan };
  readonly drafts: readonly EventDraft[];
  /** Runs when all of the child is durable but its place among the runs. */
  readonly beforeCommit?: () => void;
}

/** Builds a child and puts it in place, whole or not at all. */
export async function commitChild(
  store: RunStore,
  attempt: Attempt,
  child: PlannedChild,
): Promise<Pick<StagedRun, 'bytes' | 'missingPayloads'> | 'beaten'> {
  const { id, prefix, drafts, beforeCommit } = child;
  const staged = stageAttempt(attempt, () => store.stage(id, prefix));
  if (staged === 'beaten') return 'beaten';
  try {
    staged.append(drafts);
  } catch (error) {
    staged.discard();
    throw error;
  }
  const { bytes, missingPayloads } = staged;
  const isFirst = await commitAttempt(store, staged, { attempt, beforeBinding: beforeCommit });
  return isFirst ? { bytes, missingPayloads } : 'beaten';
}
