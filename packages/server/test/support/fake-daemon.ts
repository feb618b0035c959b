/** A daemon that drives nothing: forks and answers are real, what would run is only begun in words. */
import { isRefusal, type Refusal, type RunId, refuse } from '@ramet/core';
import { answerGate, forkRun, type RunServices } from '@ramet/runtime/graph';
import type { LiveAnswer } from '../../src/contract/bodies.ts';
import type { Daemon } from '../../src/daemon/types.ts';

export interface FakeDaemon extends Daemon {
  /** What was asked of it, by the names of its methods. */
  readonly asked: readonly (readonly [name: string, ...args: readonly unknown[]])[];
  setLive(id: RunId, live: LiveAnswer): void;
}

export const NOBODY: LiveAnswer = { owner: 'none', asks: [] };

export function makeFakeDaemon(services: RunServices): FakeDaemon {
  const asked: [string, ...unknown[]][] = [];
  const live = new Map<RunId, LiveAnswer>();
  const listeners = new Set<(id: RunId) => void>();
  const note = <T>(answer: T, ...call: [string, ...unknown[]]): T => {
    asked.push(call);
    return answer;
  };
  const refuseIdle = (id: RunId): Refusal => refuse('nothing_to_do', `this daemon does not drive ${id}`, { id });
  return {
    asked,
    setLive(id, answer) {
      live.set(id, answer);
      for (const listener of listeners) listener(id);
    },
    createSession: async (request) => note({ session: 'made', turn: 1 }, 'createSession', request),
    sendMessage: async (id, request) => note({ session: id, turn: 2 }, 'sendMessage', id, request),
    continueTurn: async (id, settings) => note({ session: id, turn: 1 }, 'continueTurn', id, settings),
    createRun: async (request) => note({ run: 'made', status: 'running' }, 'createRun', request),
    resumeRun: async (id, settings) => note({ run: id, status: 'running' }, 'resumeRun', id, settings),
    answerGate: async (id, { gate, answer, start = true }) => {
      const named = gate === undefined ? {} : { gate };
      const answered = await answerGate(services, { id, ...named, answer, by: 'person' } as never);
      return isRefusal(answered) ? answered : { run: id, ...answered, started: start };
    },
    forkRun: async (id, options, settings) =>
      note(await forkRun(services, id, options), 'forkRun', id, options, settings),
    interrupt: (id) => note(live.has(id) ? null : refuseIdle(id), 'interrupt', id),
    answerAsk: (id, callId, answer) => note(live.has(id) ? null : refuseIdle(id), 'answerAsk', id, callId, answer),
    liveOf: (id) => live.get(id) ?? NOBODY,
    listAsks: () =>
      [...live].flatMap(([id, { asks }]) => asks.map((ask) => ({ id, since: '2026-01-01T00:00:00.000Z', ask }))),
    watchLive(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: async () => {},
  };
}
