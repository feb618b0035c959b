/** Goes on with a graph run, for every command that does: settings from the flags, progress, the answer. */
import type { Client } from '@ramet/client';
import { isRefusal, type Refusal } from '@ramet/core/codes';
import type { RunId } from '@ramet/core/events';
import type { RunResult, RunServices, RunSettings } from '@ramet/runtime/graph';
import type { FileStore } from '@ramet/runtime/store';
import type { CliContext, Interruption } from '../context.ts';
import { orByDaemon } from '../daemon/through.ts';
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
  /** The run, where it is there already: what the daemon drives is followed. */
  readonly id?: RunId;
  /** The events that are there already are this command's, too: with `--events` they are printed first. */
  readonly isNew?: boolean;
}

/** Drives a run by one of the engine's verbs; one that the daemon is at work in is followed there. */
export async function drive(
  context: CliContext,
  options: DriveOptions,
  act: (services: RunServices, settings: RunSettings) => Promise<RunResult | Refusal>,
): Promise<Driven | Refusal> {
  const { store, id } = options;
  const started = context.elapsed();
  const watched = watchRun(context, options);
  const own = await act(servicesOf(context, store), watched.settings);
  const follow = (client: Client, run: RunId): Promise<RunResult | Refusal> =>
    followThere(context, { client, store, id: run, watched });
  const result =
    id === undefined ? own : await orByDaemon(context, own, { store, id, act: (client) => follow(client, id) });
  return isRefusal(result) ? result : { result, ms: context.elapsed() - started };
}

/** Follows a run that the daemon drives, or just drove, to where it stops. */
export async function driveThere(
  context: CliContext,
  options: DriveOptions & { readonly id: RunId; readonly client: Client },
): Promise<Driven | Refusal> {
  const { store, id, client } = options;
  const started = context.elapsed();
  const result = await followThere(context, { client, store, id, watched: watchRun(context, options) });
  return isRefusal(result) ? result : { result, ms: context.elapsed() - started };
}

interface Watched {
  readonly interruption: Interruption;
  readonly settings: RunSettings;
}

function watchRun(context: CliContext, { store, flags, isNew = false }: DriveOptions): Watched {
  const interruption = context.watchInterruption();
  const observer = observeRun(context, store, {
    isNew,
    isEvents: flags.events === true,
    isJson: flags.json === true,
  });
  const { maxSteps } = flags;
  const common = settingsOf(flags, interruption);
  const settings = {
    ...common,
    limits: { ...common.limits, ...(maxSteps === undefined ? {} : { maxSteps }) },
    ...chooseAsker(context, flags, askInTurn(interruption)),
    observer,
  };
  return { interruption, settings };
}

async function followThere(
  context: CliContext,
  run: { readonly client: Client; readonly store: FileStore; readonly id: RunId; readonly watched: Watched },
): Promise<RunResult | Refusal> {
  const { client, store, id, watched } = run;
  const { interruption, settings } = watched;
  const { observer, ask } = settings;
  const { followRunThere } = await import('../daemon/run.ts');
  return followRunThere(context, client, { store, id, observer, interruption, ...(ask === undefined ? {} : { ask }) });
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
