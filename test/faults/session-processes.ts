/** Worker processes, killed at moments a seed chooses. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunId } from '@ramet/core';
import type { SessionHarness } from '@ramet/testkit';
import type { WorkerTask } from './session-worker.ts';

/** How often each kind of death is tried; `RAMET_FAULT_ROUNDS` makes it more. */
export const ROUNDS = Number(process.env.RAMET_FAULT_ROUNDS ?? 12);

/** Numbers in [0, 1) that a seed fixes; `RAMET_FAULT_SEED` repeats a run. */
export function makeRandom(): () => number {
  let state = Number(process.env.RAMET_FAULT_SEED ?? 20261130);
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

export interface WorkerEnd {
  readonly killed: boolean;
  /** From `ready` to the end. */
  readonly ms: number;
  readonly output: string;
}

/** Runs a worker and kills it `afterMs` after it began, if it still lives; Infinity lets it finish. */
export async function runWorker(h: SessionHarness, action: WorkerTask['action'], afterMs: number): Promise<WorkerEnd> {
  const task: WorkerTask = { home: h.home, repository: h.repository, env: h.services.env, action };
  const worker = startWorker(task);
  await worker.ready;
  const begun = performance.now();
  if (afterMs !== Number.POSITIVE_INFINITY) {
    await Promise.race([sleep(afterMs), worker.ended]);
    worker.kill();
  }
  const end = await worker.ended;
  return { ...end, ms: performance.now() - begun };
}

export interface Worker {
  readonly pid: number | undefined;
  /** Resolves when the work begins, or when the process ends before. */
  readonly ready: Promise<void>;
  readonly ended: Promise<{ readonly killed: boolean; readonly output: string }>;
  kill(): void;
}

/** Starts a worker. */
export function startWorker(task: WorkerTask): Worker {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'session-worker.ts'), JSON.stringify(task)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  let output = '';
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  const ended = new Promise<{ killed: boolean; output: string }>((resolve) => {
    child.on('close', (_, signal) => resolve({ killed: signal === 'SIGKILL', output }));
  });
  const ready = new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk) => {
      output += chunk;
      if (output.includes('ready\n')) resolve();
    });
    child.on('close', () => resolve());
  });
  return { pid: child.pid, ready, ended, kill: () => child.kill('SIGKILL') };
}

/** Digest of every file of a run's log and payloads: bytes, mode, time, size. */
export function digestLog(h: SessionHarness, session: RunId): string {
  const hash = createHash('sha256');
  const { folder } = h.store.pathsOf(session);
  for (const name of ['log', 'blobs']) {
    const files = existsSync(join(folder, name)) ? readdirSync(join(folder, name)).sort() : [];
    for (const file of files) {
      const path = join(folder, name, file);
      const { mode, mtimeMs, size } = lstatSync(path);
      hash.update(JSON.stringify([name, file, mode, mtimeMs, size])).update(readFileSync(path));
    }
  }
  return hash.digest('hex');
}
