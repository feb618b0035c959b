/** Starts `worker.ts`: one figure from a fresh process. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const WORKER = fileURLToPath(new URL('./worker.ts', import.meta.url));

export type WorkerTask = 'wide' | 'fork' | 'own';

/** What the worker printed. */
export function runWorker<Figure>(task: WorkerTask, args: readonly string[]): Figure {
  const done = spawnSync(process.execPath, [WORKER, task, ...args], { encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`${task} ${args.join(' ')}: ${done.error?.message ?? done.stderr}`);
  return JSON.parse(done.stdout) as Figure;
}
