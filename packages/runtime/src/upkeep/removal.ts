/**
 * Removes runs after counting everything first.
 *
 * 1. Lineage is never followed: children of a removed run keep every byte they hold.
 * 2. A plan that holds one running run removes nothing.
 * 3. A run is gone with its rename out of `runs/`; a crash in the middle leaves no half run.
 */
import { isRefusal, type Refusal, type RunId, refuse } from '@ramet/core';
import {
  type Bytes,
  bytesOf,
  isGraphSummary,
  joinTallies,
  listAllRuns,
  NO_FILES,
  type RunSummary,
  type Tally,
  tallyFolders,
} from '../inspect/index.ts';
import type { FileStore } from '../store/index.ts';
import type { UnsavedReason } from '../workspace/unsaved/index.ts';
import { type AppliedRef, describeRefLoss, findAppliedRef } from './applied-refs.ts';
import { findUnsaved } from './unsaved.ts';

/** One run a plan removes. */
export interface RemovalItem {
  readonly id: RunId;
  readonly title: string;
  readonly lastTime: string;
  /** What removing it alone would free, and what others hold too. */
  readonly bytes: Bytes;
  /** Work that is nowhere else. */
  readonly unsaved: readonly UnsavedReason[];
  /** Runs forked from it that stay. */
  readonly children: readonly RunId[];
  /** What `apply` left in the person's repository and goes too; only where that was asked for. */
  readonly refs?: readonly AppliedRef[];
}

export interface RemovalPlan {
  readonly runs: readonly RemovalItem[];
  /** What removing all of them frees, and what stays because others hold it. */
  readonly bytes: Bytes;
}

/** What planning reads. */
export interface UpkeepContext {
  readonly store: FileStore;
  /** Where the person's configuration is found. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** All runs of the store, where they are known already; those that are to be removed as they are right now. */
  readonly all?: readonly RunSummary[];
  /** Also remove the refs that `apply` left in the person's repositories. */
  readonly refs?: boolean;
}

/** A run with the sizes of its files. */
export interface CountedRun {
  readonly run: RunSummary;
  readonly tally: Tally;
}

/** Counts what removing these runs would free and lose; refuses with `unknown_run` or `owned_elsewhere`. */
export async function planRemoval(upkeep: UpkeepContext, ids: readonly RunId[]): Promise<RemovalPlan | Refusal> {
  const { store } = upkeep;
  const all = upkeep.all ?? listAllRuns(store);
  const chosen: CountedRun[] = [];
  for (const id of new Set(ids)) {
    const run = all.find((candidate) => candidate.id === id);
    if (run === undefined) return refuse('unknown_run', `there is no run ${id}; nothing was removed`, { id });
    if (run.state === 'running') return refuseRunning(run);
    chosen.push(countRun(store, run));
  }
  const refuseGone = (): Refusal | null => {
    const gone = chosen.find(({ run }) => store.read(run.id) === null)?.run.id;
    if (gone === undefined) return null;
    return refuse('unknown_run', `run ${gone} was removed meanwhile; nothing was removed here`, { id: gone });
  };
  try {
    const plan = await describePlan(upkeep, chosen, all);
    return refuseGone() ?? plan;
  } catch (error) {
    // Whoever removes one meanwhile takes away what is counted.
    const gone = refuseGone();
    if (gone === null) throw error;
    return gone;
  }
}

/** Counts one run's files. */
export function countRun(store: FileStore, run: RunSummary): CountedRun {
  return { run, tally: tallyFolders([store.pathsOf(run.id).folder]) };
}

/** The plan that removes some counted runs. */
export async function describePlan(
  { store, env, refs: withRefs = false }: UpkeepContext,
  chosen: readonly CountedRun[],
  all: readonly RunSummary[],
): Promise<RemovalPlan> {
  const removed = new Set(chosen.map(({ run }) => run.id));
  const context = { store, env, all, leaving: removed };
  const runs: RemovalItem[] = [];
  for (const { run, tally } of chosen) {
    const { id, title, lastTime } = run;
    const ref = withRefs ? await findAppliedRef(store, run) : null;
    const loss = ref === null ? null : await describeRefLoss(ref);
    const children = all.filter((other) => other.forkedFrom?.id === id && !removed.has(other.id));
    runs.push({
      id,
      title,
      lastTime,
      bytes: bytesOf(tally),
      unsaved: [...(await findUnsaved(context, run)), ...(loss === null ? [] : [loss])],
      children: children.map((child) => child.id),
      ...(withRefs ? { refs: ref === null ? [] : [ref] } : {}),
    });
  }
  return { runs, bytes: bytesOf(chosen.reduce((sum, { tally }) => joinTallies(sum, tally), NO_FILES)) };
}

/** What a removal did; `stopped` says why it did not go on. */
export interface RemovalResult {
  readonly removed: readonly RunId[];
  readonly stopped: Refusal | null;
}

/** Removes runs one by one; stops at the first that another process took meanwhile. */
export async function removeRuns(store: FileStore, ids: readonly RunId[]): Promise<RemovalResult> {
  const removed: RunId[] = [];
  for (const id of ids) {
    const refusal = await store.remove(id);
    if (isRefusal(refusal)) return { removed, stopped: refusal };
    removed.push(id);
  }
  return { removed, stopped: null };
}

function refuseRunning(run: RunSummary): Refusal {
  const { id, owner } = run;
  const who = owner?.pid === undefined ? 'another process' : `process ${owner.pid} on ${owner.host ?? 'this host'}`;
  return refuse(
    'owned_elsewhere',
    `${isGraphSummary(run) ? 'run' : 'session'} ${id} is in use by ${who}; nothing was removed`,
    {
      id,
      owner: owner ?? null,
    },
  );
}
