/** Brings a run's work into the person's repository. */
import { isRefusal, type Refusal, type RunId, refuse } from '@ramet/core';
import type { FileStore } from '../store/index.ts';
import { type AppliedCheckpoint, type ApplyRequest, applyCheckpoint } from '../workspace/apply/index.ts';
import { findHeldWork, type HeldWork } from './held.ts';
import { findStanding } from './standing.ts';
import { refuseUncaptured } from './uncaptured.ts';

export interface WorkRequest extends Pick<ApplyRequest, 'branch' | 'toCheckout' | 'checkout'> {
  readonly id: RunId;
  /** The folder the person stands in. */
  readonly cwd: string;
}

export interface AppliedWork {
  readonly work: HeldWork;
  readonly applied: AppliedCheckpoint;
  /** False: the person stands elsewhere, and the project's last known checkout was taken. */
  readonly isHere: boolean;
}

/** Applies a run's last checkpoint; refuses a run that is at work, and files of a checkout nobody stands in or named. */
export async function applyWork(store: FileStore, request: WorkRequest): Promise<AppliedWork | Refusal> {
  const { id } = request;
  // Shared: a running session is refused, and none starts meanwhile.
  const log = await store.share(id);
  if (isRefusal(log)) return log;
  try {
    const work = await findHeldWork(store, id);
    if (isRefusal(work)) return work;
    if (work.untouched && work.uncaptured !== null) return refuseUncaptured(id, work.uncaptured);
    if (work.untouched) return refuse('nothing_to_do', `the agent changed nothing in ${id}`, { id });
    return await bring(store, work, request);
  } finally {
    log.close();
  }
}

async function bring(store: FileStore, work: HeldWork, request: WorkRequest): Promise<AppliedWork | Refusal> {
  const { id, checkpoint, base, opening, takenMs } = work;
  const { branch, toCheckout, checkout, cwd } = request;
  const named = checkout === undefined ? {} : { checkout };
  const standing = await findStanding(work.project, { home: store.layout.home, cwd, ...named });
  if (isRefusal(standing)) return standing;
  const { project, isHere } = standing;
  if (toCheckout === true && !isHere) return refuseElsewhere(cwd, work);
  const applied = await applyCheckpoint({
    ...{ project, checkpoint, base, opening, takenMs, runId: id },
    ...(branch === undefined ? {} : { branch }),
    ...(toCheckout === true ? { toCheckout } : {}),
  });
  return isRefusal(applied) ? applied : { work, applied, isHere };
}

/** Files are only written where the person stands, or said to. */
function refuseElsewhere(cwd: string, { project, id }: HeldWork): Refusal {
  const message = `${cwd} is no checkout of the repository ${id} began in, so no file was touched: go to the one you mean, or name it with --checkout (it began in ${project.checkout})`;
  return refuse('no_workspace', message, { path: cwd, last: project.checkout });
}
