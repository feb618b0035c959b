/**
 * Idempotency keys for everything that makes a run: a new session, a new graph run, a fork of either.
 *
 * 1. One key makes one run; with another request it is refused.
 * 2. The key is bound last, before the rename: a failure before that leaves nothing.
 * 3. A key whose run is not there was left by a crash: the run is built again, under the id the key is bound to.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Digest, Failure, isRefusal, type Refusal, type RunId, refuse } from '@ramet/core';
import type { KeyRecord, RunStore, StagedRun } from './types.ts';

/** What is asked for, as far as a key goes. */
export interface KeyedRequest {
  /** What the key's file is named by (`forkKeyOf`, `startKeyOf`); null without a key. */
  readonly hash: Digest | null;
  /** Of everything the request says. */
  readonly digest: string;
}

/** One try at making the run. */
export interface Attempt extends KeyedRequest {
  /** The run the key is bound to already: its first builder died, or another process is at it too. */
  readonly claimed: RunId | null;
}

/** The two ways to answer a request. */
export interface KeyedWork<T> {
  /** `beaten`: another process with the same key was first. */
  once(attempt: Attempt): Promise<T | Refusal | 'beaten'>;
  /** Answers for a run that an earlier request made. */
  describeRepeated(made: RunId): T | Refusal;
}

/** How often a request with a key starts again because another process with this key was first, or died. */
const ATTEMPTS = 5;

/** Makes the run of a request, or finds the one its key made. */
export async function createWithKey<T>(
  store: RunStore,
  request: KeyedRequest,
  work: KeyedWork<T>,
): Promise<T | Refusal> {
  const { hash, digest } = request;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const known = hash === null ? null : await awaitKeyed(store, hash, digest);
    if (isRefusal(known)) return known;
    if (known?.made) return work.describeRepeated(known.record.child);
    const result = await work.once({ hash, digest, claimed: known?.record.child ?? null });
    if (result !== 'beaten') return result;
  }
  return refuseBusy('other requests with this idempotency key keep being first and dying');
}

/** Begins a run of an attempt. Its id is another's too only when a key bound it: then whoever builds it was first. */
export function stageAttempt({ claimed }: Pick<Attempt, 'claimed'>, stage: () => StagedRun): StagedRun | 'beaten' {
  try {
    return stage();
  } catch (error) {
    if (claimed !== null && error instanceof Failure && error.code === 'owned_elsewhere') return 'beaten';
    throw error;
  }
}

/**
 * Puts a staged run into the store and binds its key; false when another process bound it, or put the run there, first.
 * `beforeBinding` runs when all of the run is durable but its place among the runs.
 */
export async function commitAttempt(
  store: RunStore,
  staged: StagedRun,
  { attempt, beforeBinding }: { readonly attempt: Attempt; readonly beforeBinding?: (() => void) | undefined },
): Promise<boolean> {
  const { hash, claimed, digest } = attempt;
  let beaten = false;
  const bindKey = (): void => {
    beforeBinding?.();
    if (hash === null) return;
    const record = { child: staged.id, request: digest };
    beaten = claimed === null ? !store.claimKey(hash, record) : store.read(staged.id) !== null;
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

/** How long a second caller waits for the first one's run to appear. */
const WAIT_MS = 10_000;

/** What a key stands for, once whoever is building its run has finished or died; null when it stands for nothing. */
async function awaitKeyed(
  store: RunStore,
  hash: Digest,
  request: string,
): Promise<{ readonly record: KeyRecord; readonly made: boolean } | Refusal | null> {
  const record = store.readKey(hash);
  if (record === null) return null;
  const { child } = record;
  if (record.request !== request) {
    return refuse('key_reused', `this idempotency key already made ${child} by another request; use a new key`, {
      child,
    });
  }
  // Retiring a key comes before its run's removal: while the run is there it answers.
  if (record.removed === true && store.read(child) === null) {
    return refuse('child_removed', `the run ${child} that this key made was removed; use a new key`, { child });
  }
  const deadline = performance.now() + WAIT_MS;
  while (store.read(child) === null && store.isStaged(child)) {
    if (performance.now() > deadline) return refuseBusy(`${child} is still being built by another process`);
    await sleep(10);
  }
  return { record, made: store.read(child) !== null };
}
