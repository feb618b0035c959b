/** The daemon, put together from what it does with sessions and with runs. */
import { type Refusal, type RunId, refuse } from '@ramet/core';
import type { LiveAnswer } from '../contract/bodies.ts';
import { makeRuns } from './runs.ts';
import { takeUpWork } from './take-up.ts';
import { makeTurns } from './turns.ts';
import type { Daemon, DaemonOptions } from './types.ts';
import { openIntents } from './work/intents.ts';
import { Supervisor } from './work/supervisor.ts';

/** A turn stops within seconds: its call is stopped, its outcome recorded. */
const GRACE_MS = 10_000;

/** A daemon before it has taken up what an earlier one left. */
export interface OpenedDaemon extends Daemon {
  /** Goes on with what an earlier daemon had begun; settles when each has begun, or was found not to. */
  takeUp(): Promise<void>;
}

/** Opens the daemon of a state folder, whose lock is the caller's. */
export function openDaemon(options: DaemonOptions): OpenedDaemon {
  const { services, cwd, publish, report = () => {}, graceMs = GRACE_MS } = options;
  const { store, now, sleep } = services;
  const intents = openIntents(store.layout.home);
  const supervisor = new Supervisor({ now, sleep, intents, publish, report });
  const parts = { services, supervisor, cwd };
  return {
    takeUp: () => takeUpWork({ ...parts, intents, report }),
    ...makeTurns(parts),
    ...makeRuns(parts),
    interrupt: (id) => {
      const driven = supervisor.find(id);
      driven?.interrupt();
      return driven === null ? refuseIdle(id, 'there is nothing to interrupt') : null;
    },
    answerAsk: (id, callId, answer) =>
      supervisor.find(id)?.asks.answer(callId, answer) ?? refuseUnasked(supervisor, id),
    liveOf: (id) => describeLive(options, supervisor, id),
    listAsks: () =>
      supervisor.list().flatMap(({ id, asks }) => (id === null ? [] : asks.open.map((open) => ({ id, ...open })))),
    watchLive: (listener) => supervisor.watch(listener),
    close: () => supervisor.close(graceMs),
  };
}

function refuseUnasked(supervisor: Supervisor, id: RunId): Refusal | null {
  return supervisor.find(id) === null ? refuseIdle(id, 'no call of it waits for an answer') : null;
}

function refuseIdle(id: RunId, so: string): Refusal {
  return refuse('nothing_to_do', `the daemon is not at work in ${id}: ${so}`, { id });
}

function describeLive({ services }: DaemonOptions, supervisor: Supervisor, id: RunId): LiveAnswer {
  const driven = supervisor.find(id);
  const error = supervisor.errorOf(id);
  const failed = error === null ? {} : { error };
  if (driven !== null) {
    const { startedAt, asks } = driven;
    return { owner: 'daemon', startedAt, asks: asks.open.map(({ ask }) => ask), ...failed };
  }
  const owner = services.store.ownerOf(id);
  return { owner: owner === null || owner.self ? 'none' : 'other', asks: [], ...failed };
}
