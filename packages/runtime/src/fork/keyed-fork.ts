/**
 * What forks of both kinds have in common: idempotency keys, and putting a child into the store.
 *
 * 1. One idempotency key makes one child; with another request it is refused.
 * 2. The key is bound last, before the rename: a failure before that leaves nothing.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Digest,
  type EventDraft,
  Failure,
  type ForkPlan,
  isRefusal,
  type Refusal,
  type RunForkPlan,
  type RunId,
  refuse,
} from '@ramet/core';
import { forkKeyOf, type KeyRecord, type RunStore, type SharedLog, type StagedRun } from '../store/index.ts';

/** What is asked for, as far as a key goes. */
export interface ForkRequestId {
  readonly source: RunId;
  readonly key?: string;
  /** Of everything the request says. */
  readonly digest: string;
}

/** One try at making the child. */
export interface Attempt {
  readonly request: ForkRequestId;
  readonly hash: Digest | null;
  /** The child the key is bound to already: its first builder died, or another process is at it too. */
  readonly claimed: RunId | null;
}

/** The two ways to answer a request. */
export interface ForkWork<T> {
  /** `beaten`: another process with the same key was first. */
  once(attempt: Attempt): Promise<T | Refusal | 'beaten'>;
  /** Answers for a child that an earlier request made. */
  describeRepeated(child: RunId): T | Refusal;
}

/** How often a fork with a key starts again because another process with this key was first, or died. */
const ATTEMPTS = 5;

/** Makes the child of a request, or finds the one its key made. */
export async function forkWithKey<T>(store: RunStore, request: ForkRequestId, work: ForkWork<T>): Promise<T | Refusal> {
  const hash = request.key === undefined ? null : forkKeyOf(request.source, request.key);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const known = hash === null ? null : await awaitKeyed(store, hash, request.digest);
    if (isRefusal(known)) return known;
    if (known?.made) return work.describeRepeated(known.record.child);
    const result = await work.once({ request, hash, claimed: known?.record.child ?? null });
    if (result !== 'beaten') return result;
  }
  return refuseBusy(`other forks of ${request.source} with this key keep being first and dying`);
}

/** A planned child: what it takes of its source, and the events it begins its own life with. */
export interface PlannedChild {
  readonly id: RunId;
  readonly log: SharedLog;
  readonly plan: ForkPlan | RunForkPlan;
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
  const staged = stageChild(store, attempt, child);
  if (staged === 'beaten') return 'beaten';
  try {
    staged.append(child.drafts);
  } catch (error) {
    staged.discard();
    throw error;
  }
  const { bytes, missingPayloads } = staged;
  return (await commitStaged(store, staged, { attempt, child })) ? { bytes, missingPayloads } : 'beaten';
}

/** A child's id is another's too only when a key bound it. */
function stageChild(store: RunStore, { claimed }: Attempt, { id, log, plan }: PlannedChild): StagedRun | 'beaten' {
  try {
    return store.stage(id, { source: log, plan });
  } catch (error) {
    if (claimed !== null && error instanceof Failure && error.code === 'owned_elsewhere') return 'beaten';
    throw error;
  }
}

/** Binds the key last, before the rename; false when another process bound it, or put the child there, first. */
async function commitStaged(
  store: RunStore,
  staged: StagedRun,
  { attempt, child }: { readonly attempt: Attempt; readonly child: PlannedChild },
): Promise<boolean> {
  const { hash, claimed, request } = attempt;
  let beaten = false;
  const bindKey = (): void => {
    child.beforeCommit?.();
    if (hash === null) return;
    const record = { child: child.id, request: request.digest };
    beaten = claimed === null ? !store.claimKey(hash, record) : store.read(child.id) !== null;
    if (beaten) throw new Error('another process with this idempotency key was first');
  };
  try {
    await staged.commit(bindKey);
  } catch (error) {
    if (!beaten) throw error;
  }
  return !beaten;
}

function refuseBusy(what: string): Refusal {
  return refuse('owned_elsewhere', `${what}; try again`);
}

/** How long a second caller waits for the first one's child to appear. */
const WAIT_MS = 10_000;

/** What a key stands for, once whoever is building its child has finished or died; null when it stands for nothing. */
async function awaitKeyed(
  store: RunStore,
  hash: Digest,
  request: string,
): Promise<{ readonly record: KeyRecord; readonly made: boolean } | Refusal | null> {
  const record = store.readKey(hash);
  if (record === null) return null;
  if (record.request !== request) {
    return refuse('key_reused', `this idempotency key already made ${record.child} by another request; use a new key`, {
      child: record.child,
    });
  }
  // Retiring a key comes before its child's removal: while the child is there it answers.
  if (record.removed === true && store.read(record.child) === null) {
    return refuse('child_removed', `the child ${record.child} that this key made was removed; use a new key`, {
      child: record.child,
    });
  }
  const deadline = performance.now() + WAIT_MS;
  while (store.read(record.child) === null && store.isStaged(record.child)) {
    if (performance.now() > deadline) {
      return refuseBusy(`${record.child} is still being built by another process`);
    }
    await sleep(10);
  }
  return { record, made: store.read(record.child) !== null };
}
