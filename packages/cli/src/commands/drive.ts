/** Goes on with a graph run, for every command that does: settings from the flags, progress, the answer. */
import { isRefusal, type Refusal } from '@ramet/core/codes';
import type { RunResult, RunServices, RunSettings } from '@ramet/runtime/graph';
import type { FileStore } from '@ramet/runtime/store';
import type { CliContext, Interruption } from '../context.ts';
import type { DriveFlags } from '../flags.ts';
import { observeRun } from '../output/run-progress.ts';
import { chooseAsker, settingsOf } from './settings.ts';

/** How driving a run ended, and how long it took. */
export interface Driven {
  readonly result: RunResult;
  readonly ms: number;
}

export interface DriveOptions {
  readonly store: FileStore;
  readonly flags: DriveFlags;
  /** The events that are there already are this command's, too: with `--events` they are printed first. */
  readonly isNew?: boolean;
}

/** Drives a run by one of the engine's verbs. */
export async function drive(
  context: CliContext,
  { store, flags, isNew = false }: DriveOptions,
  act: (services: RunServices, settings: RunSettings) => Promise<RunResult | Refusal>,
): Promise<Driven | Refusal> {
  const interruption = context.watchInterruption();
  const observer = observeRun(context, store, {
    isNew,
    isEvents: flags.events === true,
    isJson: flags.json === true,
  });
  const started = context.elapsed();
  const { maxSteps } = flags;
  const common = settingsOf(flags, interruption);
  const result = await act(servicesOf(context, store), {
    ...common,
    limits: { ...common.limits, ...(maxSteps === undefined ? {} : { maxSteps }) },
    ...chooseAsker(context, flags, askInTurn(interruption)),
    observer,
  });
  return isRefusal(result) ? result : { result, ms: context.elapsed() - started };
}

/** What the engine is given of the world. */
export function servicesOf({ now, randomBytes, env, sleep }: CliContext, store: FileStore): RunServices {
  return { store, now, randomBytes, env, sleep };
}

/** Nodes work at the same time: one question after the other. */
function askInTurn(interruption: Interruption): NonNullable<RunSettings['ask']> {
  let last: Promise<unknown> = Promise.resolve();
  return (question, signal) => {
    const asked = last.then(async () => {
      const { askApproval } = await import('./ask.ts');
      return askApproval({ ...question, reason: `${question.reason} (node ${question.node})` }, interruption, signal);
    });
    last = asked.catch(() => {});
    return asked;
  };
}
