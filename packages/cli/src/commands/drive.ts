/** Goes on with a graph run, for every command that does: settings from the flags, progress, the answer. */
import { isRefusal, type Refusal } from '@ramet/core/codes';
import type { RunResult, RunServices, RunSettings } from '@ramet/runtime/graph';
import type { FileStore } from '@ramet/runtime/store';
import { type CliContext, type Interruption, isInteractive } from '../context.ts';
import type { DriveFlags } from '../flags.ts';
import { observeRun } from '../output/run-progress.ts';
import { answerYes, listRules } from './settings.ts';

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
  const result = await act(servicesOf(context, store), settingsOf(context, flags, { interruption, observer }));
  return isRefusal(result) ? result : { result, ms: context.elapsed() - started };
}

/** What the engine is given of the world. */
export function servicesOf({ now, randomBytes, env, sleep }: CliContext, store: FileStore): RunServices {
  return { store, now, randomBytes, env, sleep };
}

function settingsOf(
  context: CliContext,
  flags: DriveFlags,
  live: { readonly interruption: Interruption; readonly observer: RunSettings['observer'] },
): RunSettings {
  const { model, baseUrl, noSandbox, allowNet = [], trustProject, onAsk = 'deny' } = flags;
  const ask = chooseAsker(context, flags, live.interruption);
  return {
    ...(model === undefined ? {} : { model }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    sandbox: noSandbox ? 'none' : 'auto',
    allowNet,
    rules: listRules(flags),
    trustProject: trustProject === true,
    limits: limitsOf(flags),
    ...(ask === undefined ? {} : { ask }),
    onAsk,
    observer: live.observer,
    signal: live.interruption.signal,
  };
}

function chooseAsker(context: CliContext, flags: DriveFlags, interruption: Interruption): RunSettings['ask'] {
  if (flags.yes) return async (question) => answerYes(question.matches);
  // Nobody reads a question between the lines of a program's output.
  if (!isInteractive(context) || flags.json || flags.events) return undefined;
  // Nodes work at the same time: one question after the other.
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

function limitsOf({ maxSteps, maxTokens, maxCost, maxTime }: DriveFlags): RunSettings['limits'] {
  return {
    ...(maxSteps === undefined ? {} : { maxSteps }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(maxCost === undefined ? {} : { maxCost }),
    ...(maxTime === undefined ? {} : { maxTimeMs: maxTime * 1000 }),
  };
}
