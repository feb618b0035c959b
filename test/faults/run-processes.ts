/** Processes that drive graph runs, to be killed while they do. */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunId } from '@ramet/core';
import type { GraphHarness } from '@ramet/testkit';
import type { RunTask } from './run-worker.ts';

/** A process that drives a run. */
export interface Worker {
  readonly ended: Promise<{ readonly killed: boolean; readonly output: string }>;
  /** The run's id, as soon as the worker says it. */
  readonly run: Promise<RunId>;
  kill(): void;
}

/** Starts a process that starts a run, or goes on with one. */
export function startWorker(h: GraphHarness, task: Omit<RunTask, 'home' | 'repository' | 'env'>): Worker {
  const whole: RunTask = { home: h.home, repository: h.repository, env: h.services.env, ...task };
  const child = spawn(process.execPath, [join(import.meta.dirname, 'run-worker.ts'), JSON.stringify(whole)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  let output = '';
  const said = (chunk: Buffer): void => {
    output += chunk.toString();
  };
  child.stdout.on('data', said);
  child.stderr.on('data', said);
  const ended = new Promise<{ killed: boolean; output: string }>((resolve) => {
    child.on('close', (_, signal) => resolve({ killed: signal === 'SIGKILL', output }));
  });
  const run = new Promise<RunId>((resolve, reject) => {
    child.stdout.on('data', () => {
      const [, id] = /^run (\S+)$/m.exec(output) ?? [];
      if (id !== undefined) resolve(id as RunId);
    });
    child.on('close', () => reject(new Error(`the worker said no run: ${output}`)));
  });
  run.catch(() => {});
  return { ended, run, kill: () => child.kill('SIGKILL') };
}

/** Waits until no program of a run is left: one outside the sandbox outlives the process that started it. */
export async function waitForPrograms(run: RunId): Promise<void> {
  while (readdirSync('/proc').some((pid) => isOf(pid, run))) await sleep(20);
}

function isOf(pid: string, run: RunId): boolean {
  try {
    return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`RAMET_RUN=${run}\0`);
  } catch {
    // It has ended, or is not ours to look at.
    return false;
  }
}
