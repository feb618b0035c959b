/** A daemon of a test's state folder, in this process, and what it tells. */
import { isRefusal, type Refusal, type RunId } from '@ramet/core';
import type { FileStore } from '@ramet/runtime/store';
import type { Tool } from '@ramet/runtime/tools';
import { type GraphHarness, makeGraphHarness } from '@ramet/testkit';
import { onTestFinished } from 'vitest';
import { type DaemonOptions, openDaemon } from '../../src/daemon/index.ts';
import type { DaemonReport, LiveText } from '../../src/daemon/types.ts';

export interface DaemonHarness {
  readonly h: GraphHarness;
  readonly daemon: ReturnType<typeof openDaemon>;
  readonly reports: DaemonReport[];
  readonly live: { readonly id: RunId; readonly live: LiveText }[];
  /** Waits until something is so; it is looked at whenever the daemon tells something. */
  until(what: () => boolean): Promise<void>;
  /** Waits until the daemon is not at work in a run. */
  untilIdle(id: string): Promise<void>;
  /** Closes the daemon and opens another of the same state folder. */
  restart(): Promise<DaemonHarness>;
}

/** What a test puts in the place of the real thing. */
export interface World {
  readonly alter?: (store: FileStore) => FileStore;
  readonly functions?: readonly Tool[];
}

/** Opens a daemon over a new state folder; the store is audited when the test ends. */
export function openDaemonHarness(
  options: Partial<DaemonOptions> = {},
  { alter = (store) => store, functions = [] }: World = {},
): DaemonHarness {
  const h = makeGraphHarness();
  onTestFinished(() => {
    const problems = h.problems();
    h.remove();
    if (problems.length > 0) throw new Error(problems.join('\n'));
  });
  return openOver(h, { services: { ...h.servicesOf(functions), store: alter(h.store) }, ...options });
}

function openOver(h: GraphHarness, options: Partial<DaemonOptions>): DaemonHarness {
  const reports: DaemonReport[] = [];
  const live: { readonly id: RunId; readonly live: LiveText }[] = [];
  const looks = new Set<() => void>();
  const look = (): void => {
    for (const one of looks) one();
  };
  const daemon = openDaemon({
    services: h.services,
    cwd: h.repository,
    publish: (id, text) => {
      live.push({ id, live: text });
      look();
    },
    report: (report) => {
      reports.push(report);
      look();
    },
    ...options,
  });
  onTestFinished(() => daemon.close());
  h.store.subscribe(() => look());
  daemon.watchLive(look);
  const until = (what: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const check = (): void => {
        if (!what()) return;
        looks.delete(check);
        resolve();
      };
      looks.add(check);
      check();
    });
  return {
    h,
    daemon,
    reports,
    live,
    until,
    untilIdle: (id) => until(() => daemon.liveOf(id as RunId).owner === 'none'),
    restart: async () => {
      await daemon.close();
      return openOver(h, options);
    },
  };
}

/** What a request answered; throws where it was refused. */
export function accepted<T>(answer: T | Refusal): T {
  if (isRefusal(answer)) throw new Error(`${answer.code}: ${answer.message}`);
  return answer;
}

/** The code of a refusal; null where there is none. */
export function codeOf(answer: unknown): string | null {
  return isRefusal(answer) ? answer.code : null;
}
