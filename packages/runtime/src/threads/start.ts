/** Starts threads of this process. Owns what every one of them is started with: no flags and no environment of ours. */
import { Worker } from 'node:worker_threads';

/** What a thread is started with: `serves` names the entry it is meant for. */
export interface ThreadData {
  readonly serves: string;
}

/** What threads make is short-lived: in a small young generation it would be copied over and over. */
const LIMITS = { maxYoungGenerationSizeMb: 64 };

/**
 * Starts the thread whose entry is the module at this URL. It keeps no process alive that has nothing else to do; what
 * breaks it is told by its `exit` alone.
 */
export function startThread(url: string, data: ThreadData): Worker {
  const worker = new Worker(new URL(url), { workerData: data, execArgv: [], env: {}, resourceLimits: LIMITS });
  worker.unref();
  worker.on('error', () => undefined);
  return worker;
}
