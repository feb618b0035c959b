/**
 * A process that drives one graph run, to be killed while it does: `node run-worker.ts <json>`. It prints `run <id>` when
 * the run is its own, and `done` with the answer when it has ended.
 */
import { randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { GraphDocument, RunId } from '@ramet/core';
import { resumeRun, startRun } from '@ramet/runtime/graph';
import { openFileStore } from '@ramet/runtime/store';
import { makeRunSettings } from '@ramet/testkit';

/** What a worker is told to do: to start a run of a document, or to go on with one. */
export interface RunTask {
  readonly home: string;
  readonly repository: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly model?: string;
  readonly document?: GraphDocument;
  readonly input?: unknown;
  readonly id?: RunId;
  /** It dies as soon as the event of this offset is recorded. */
  readonly dieAt?: number;
}

const task = JSON.parse(process.argv[2] ?? '') as RunTask;
const { home, repository: cwd, env, model, document, input = null, id, dieAt } = task;
const services = {
  store: openFileStore({ home, now: Date.now }),
  now: Date.now,
  randomBytes: (count: number) => randomBytes(count),
  env,
  sleep: (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }),
};
const settings = makeRunSettings({
  ...(model === undefined ? {} : { model }),
  observer: {
    run: (run) => writeSync(1, `run ${run}\n`),
    event: ({ seq }) => {
      if (seq === dieAt) process.kill(process.pid, 'SIGKILL');
    },
  },
});
const result =
  document === undefined
    ? await resumeRun(services, { id: id as RunId, settings })
    : await startRun(services, { run: { document, input, cwd, allowDirty: false }, settings });
process.stdout.write(`done ${JSON.stringify(result)}\n`);
