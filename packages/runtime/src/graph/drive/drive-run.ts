/**
 * The engine's loop: record what follows from the log, begin the effects that are next, wait for one to end, and again.
 * What is next is core's to say; nothing here decides it.
 */
import {
  draftExit,
  type EventDraft,
  Failure,
  type GraphLimits,
  type Moves,
  type NodeOutcome,
  nextMoves,
} from '@ramet/core';
import { sha256 } from '../../store/index.ts';
import type { WorkEnd } from '../nodes/types.ts';
import type { RunResult } from '../types.ts';
import { describeResult } from './describe-result.ts';
import type { OpenRun } from './types.ts';
import { createWaiting, type Waiting } from './waiting.ts';
import { createWorkshop, draftsOf, type FinishedWork, type Workshop } from './workshop.ts';

/** Drives a run until it ends, waits for a person, or is interrupted. `undoes`: offset of the `run.fail` it goes on after. */
export async function driveRun(run: OpenRun, undoes?: number): Promise<RunResult> {
  const waiting = createWaiting(run);
  const workshop = createWorkshop(run, waiting.wake);
  run.journal.watch(waiting.wake);
  try {
    const moves = await drive(run, { workshop, waiting, ...(undoes === undefined ? {} : { undoes }) });
    const { parked } = workshop;
    await run.journal.flush();
    return describeResult(run, { parked, moves });
  } finally {
    await workshop.close();
    waiting.stop();
  }
}

interface Driving {
  readonly workshop: Workshop;
  readonly waiting: Waiting;
  readonly undoes?: number;
}

/** Answers the last moves; null when the person interrupted the run. */
async function drive(run: OpenRun, { workshop, waiting, undoes }: Driving): Promise<Moves | null> {
  for (;;) {
    for (let ended = workshop.takeFinished(); ended.length > 0; ended = workshop.takeFinished()) {
      for (const finished of ended) await recordEnd(run, finished);
    }
    // Nothing may come between: what ends after the last look must end the next wait.
    waiting.know();
    if (run.settings.signal.aborted) {
      if (workshop.isIdle) return null;
      await waiting.forEvent();
      continue;
    }
    const moves = deriveMoves(run, undoes);
    if (moves.drafts.length > 0) {
      await recordMoves(run, moves);
      continue;
    }
    workshop.stop(moves.stopping);
    workshop.start(moves.active.filter(({ path }) => !moves.stopping.includes(path)));
    if (workshop.isIdle && moves.delayed.length === 0) return moves;
    await waiting.forEvent(timesOf(run, moves));
  }
}

/** When something is to be looked at though nothing has happened: retries, and the end of the time a run may take. */
function timesOf({ graph, settings, journal }: OpenRun, { delayed, active, stopping }: Moves): readonly number[] {
  const retries = delayed.map(({ retryAt }) => Date.parse(retryAt));
  const limits = [graph.document.limits?.maxTimeMs, settings.limits.maxTimeMs].filter((limit) => limit !== undefined);
  if (limits.length === 0 || active.length === 0 || stopping.length > 0) return retries;
  const { workedMs, progress } = journal.state;
  return [...retries, progress.lastTimeMs + Math.max(0, Math.min(...limits) - workedMs)];
}

function deriveMoves({ graph, journal, services, settings, decode }: OpenRun, undoes: number | undefined): Moves {
  return nextMoves(graph, journal.state, {
    decode,
    sha256,
    nowMs: services.now(),
    limits: settings.limits satisfies GraphLimits,
    taken: journal.taken,
    ...(undoes === undefined ? {} : { undoes }),
  });
}

/** Values that a document puts together may grow until no event can hold them: then the run fails, and says so. */
async function recordMoves({ journal }: OpenRun, { drafts }: Moves): Promise<void> {
  try {
    await journal.record(drafts);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'event_too_large') throw error;
    await journal.record([{ type: 'run.fail', error: { code: error.code, message: error.message } }]);
  }
}

/** Records what a node ended with, its exit last; only then others may have its files. */
async function recordEnd(run: OpenRun, { path, end, release }: FinishedWork): Promise<void> {
  const outcome = outcomeOf(end);
  const drafts: EventDraft[] = [...draftsOf(end)];
  const { graph, journal, services } = run;
  if (outcome !== null) drafts.push(draftExit(graph, journal.state, { path, outcome, nowMs: services.now() }));
  await journal.record(drafts);
  release();
}

function outcomeOf(end: WorkEnd): NodeOutcome | null {
  switch (end.kind) {
    case 'ok':
      return { kind: 'ok', output: end.output };
    case 'failed':
      return { kind: 'failed', error: end.error, ...(end.final === undefined ? {} : { final: end.final }) };
    case 'interrupted':
      return { kind: 'interrupted' };
    default:
      return null;
  }
}
