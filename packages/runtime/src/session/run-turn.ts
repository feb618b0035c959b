/**
 * One turn of a session, new or old: what `ramet run` is.
 *
 * 1. A refusal leaves nothing behind: no session and no lock. What an owner records when it opens a log (the repair of a
 *    dead owner's tail, what it runs with) may remain.
 * 2. Whatever ends a turn, the log says so and the session can go on.
 * 3. A request that is repeated under its key makes no second session and begins no second turn.
 */
import { isRefusal, type Refusal, type RunId, refuse } from '@ramet/core';
import { readConfiguration } from '../config/index.ts';
import { AGENT_IDENTITY, openSandbox } from '../sandbox/index.ts';
import { type Attempt, createWithKey, startKeyOf } from '../store/index.ts';
import { chooseModel } from './choose-model.ts';
import { createSession, digestNewSession } from './create-session.ts';
import { followSignal } from './follow-signal.ts';
import { type OpenedTurn, openTurn } from './open-turn.ts';
import { digestSettings, refuseSettings } from './settings.ts';
import { beginTurn } from './turn/begin.ts';
import { openTurnOf, record } from './turn/context.ts';
import { endTurn } from './turn/end.ts';
import { digestMessage, makeMessage } from './turn/message.ts';
import { describeEnd, describePark } from './turn/result.ts';
import { driveTurn } from './turn/turn.ts';
import type { NewSession, SessionServices, TurnRequest, TurnResult, TurnSettings } from './types.ts';
import { lockDirectory } from './workspace/directory.ts';
import { readIdentity } from './workspace/identity.ts';
import { findPlace, type SessionPlace } from './workspace/open-new.ts';

/** Runs one turn and answers how it ended. */
export async function runTurn(services: SessionServices, request: TurnRequest): Promise<TurnResult | Refusal> {
  const unusable = refuseSettings(request.settings);
  if (unusable !== null) return unusable;
  const clock = startClock(request.settings.limits.maxTimeMs, request.settings.signal);
  try {
    const id = await findSession(services, request);
    if (isRefusal(id)) return id;
    request.settings.observer.session?.(id);
    const opened = await openTurn(services, { id, request, ...clock });
    if (isRefusal(opened)) return opened;
    try {
      return 'repeated' in opened ? opened.repeated : await takeTurn(opened, request);
    } finally {
      await opened.close();
    }
  } finally {
    clock.stop();
  }
}

/** The session of a request: one there is, a new one, or the one that its key made. */
async function findSession(services: SessionServices, request: TurnRequest): Promise<RunId | Refusal> {
  const { session } = request;
  if (session.kind === 'open') return session.id;
  if (request.prompt === null) return refuse('nothing_to_do', 'a new session needs a prompt');
  const { options } = session;
  const { idempotencyKey: key } = options;
  const keyed =
    key === undefined
      ? { hash: null, digest: '' }
      : { hash: startKeyOf('session', key), digest: digestNewSession(options, digestFirst(request)) };
  return createWithKey<RunId>(services.store, keyed, {
    once: (attempt) => makeSession(services, request, { options, attempt }),
    describeRepeated: (id) => id,
  });
}

function digestFirst(request: TurnRequest): Parameters<typeof digestNewSession>[1] {
  return { message: digestMessage(makeMessage(request)), settings: digestSettings(request.settings) };
}

/** Everything that can be refused is refused before the session exists. */
async function makeSession(
  services: SessionServices,
  request: TurnRequest,
  { options, attempt }: { readonly options: NewSession; readonly attempt: Attempt },
): Promise<RunId | Refusal | 'beaten'> {
  const { settings } = request;
  const { home } = services.store.layout;
  const place = await findPlace(home, options);
  if (isRefusal(place)) return place;
  const checkout = place.project?.checkout ?? place.directory;
  const { env } = services;
  const configuration = readConfiguration({ env, home, checkout, trustProject: settings.trustProject });
  if (isRefusal(configuration)) return configuration;
  const model = await chooseModel(services, settings, { state: null, configuration, cwd: request.cwd });
  if (isRefusal(model)) return model;
  const sandbox = await openSandbox(settings.sandbox === 'none' ? 'none' : 'bubblewrap', {
    workspace: place.directory,
    scratch: home,
    readOnly: [],
    frozen: [],
  });
  if (isRefusal(sandbox)) return sandbox;
  await noticeIdentity(place, settings);
  if (place.kind === 'directory') {
    const free = await lockDirectory(home, place.directory);
    if (isRefusal(free)) return free;
    free.release();
  }
  return createSession(services, { place, options, configuration, signal: settings.signal, attempt });
}

async function noticeIdentity({ project }: SessionPlace, settings: TurnSettings): Promise<void> {
  if (project === null || (await readIdentity(project)) !== null) return;
  const { name, email } = AGENT_IDENTITY;
  const what = settings.sandbox === 'none' ? 'commits of the agent fail' : `the agent commits as ${name} <${email}>`;
  settings.observer.notice?.(`your git has no user.name and user.email: ${what}`);
}

async function takeTurn(opened: OpenedTurn, request: TurnRequest): Promise<TurnResult> {
  const { context, changedScript } = opened;
  await beginTurn(context, request);
  const turn = openTurnOf(context.fold.state);
  if (changedScript !== null && request.prompt === null) {
    await endTurn(context, { kind: 'end', reason: 'failed', error: changedScript });
    return describeEnd(context, turn);
  }
  const stopped = await driveTurn(context);
  if (stopped === null) return describeEnd(context, turn);
  if (stopped.kind === 'park') return describePark(context, turn, stopped);
  await record(context, [], { durable: true });
  return { kind: 'suspended', session: context.fold.state.id, turn: turn.turn };
}

/** A timer that is longer fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

interface TurnClock {
  readonly signal: AbortSignal;
  readonly timedOut: () => boolean;
  readonly stop: () => void;
}

function startClock(maxTimeMs: number | undefined, given: AbortSignal): TurnClock {
  const { signal, stop, leave } = followSignal(given);
  let isOver = false;
  const timer =
    maxTimeMs === undefined
      ? undefined
      : setTimeout(
          () => {
            isOver = !signal.aborted;
            stop();
          },
          Math.min(maxTimeMs, MAX_TIMER_MS),
        );
  return {
    signal,
    timedOut: () => isOver,
    stop: () => {
      clearTimeout(timer);
      leave();
    },
  };
}
