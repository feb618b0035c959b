/** Goes on with a run: one that was just started, or after a crash, an answer, a resolution, a failure, a fork. */
import { checkReplay, type EventDraft, isRefusal, type Refusal } from '@ramet/core';
import { sha256 } from '../store/index.ts';
import { describeResult } from './drive/describe-result.ts';
import { driveRun } from './drive/drive-run.ts';
import { openToAnswers } from './driven-run.ts';
import { type OpenedRun, type OpenRunRequest, openRun } from './open-run.ts';
import { usesRunFiles } from './places/file-use.ts';
import { keepRunFiles } from './places/keep-files.ts';
import { refuseRunSettings } from './settings.ts';
import type { RunResult, RunServices } from './types.ts';

/** Drives a run until it ends or waits. Refuses one that completed or was abandoned. */
export async function resumeRun(services: RunServices, request: OpenRunRequest): Promise<RunResult | Refusal> {
  const refusal = refuseRunSettings(request.settings, services.functions ?? []);
  if (refusal !== null) return refusal;
  request.settings.observer.run?.(request.id);
  const opened = await openRun(services, request);
  if (isRefusal(opened)) return opened;
  try {
    return await goOn(opened);
  } finally {
    await opened.close();
  }
}

async function goOn({ run, changedScript }: OpenedRun): Promise<RunResult> {
  const { journal, graph, places, settings, decode } = run;
  const { failedAt } = journal.state;
  const changed: EventDraft | null = changedScript === null ? null : { type: 'run.fail', error: changedScript };
  const failed = checkReplay(journal.state, { decode, sha256 }) ?? changed;
  if (failed !== null) {
    await journal.recordDurably([failed]);
    return describeResult(run, { parked: [], moves: null });
  }
  if (usesRunFiles(graph.document)) {
    await keepRunFiles(journal, places, (text) => settings.observer.notice?.(text));
  }
  const answers = openToAnswers(run);
  settings.onDriving?.(answers.driven);
  try {
    return await driveRun(run, failedAt);
  } finally {
    await answers.close();
  }
}
