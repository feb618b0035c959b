/**
 * Threads that read schemas and hold values against them. Owns how many there are and how long each may take.
 *
 * 1. A thread is started for what takes long alone, and ended with it: what it was given may have spoiled it.
 * 2. Whoever asks while all of them are at work waits, and its time begins when its thread does.
 */
import { startThread } from '../../threads/index.ts';
import type { SchemaThreadData } from './schema-thread-entry.ts';
import { type SchemaTask, sayEndless } from './schema-work.ts';

/** Each may hold some hundred megabytes. */
const MOST_THREADS = 2;

let running = 0;
const waiting: (() => void)[] = [];

/** The answers, in order; the last one says so when time or memory was used up before all were there. */
export async function doApart(tasks: readonly SchemaTask[], limitMs: number): Promise<readonly (string | null)[]> {
  if (running >= MOST_THREADS) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  try {
    return await runThread(tasks, limitMs);
  } finally {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}

async function runThread(tasks: readonly SchemaTask[], limitMs: number): Promise<readonly (string | null)[]> {
  const { THREAD_URL } = await import('./schema-thread-entry.ts');
  const data: SchemaThreadData = { serves: 'schemas', tasks };
  const worker = startThread(THREAD_URL, data);
  worker.ref();
  const answers: (string | null)[] = [];
  const why = await new Promise<string | null>((resolve) => {
    const timer = setTimeout(() => resolve(`it takes more than ${limitMs / 1000} seconds`), limitMs);
    worker.on('message', (answer: string | null) => {
      answers.push(answer);
      if (answers.length === tasks.length) resolve(null);
    });
    worker.on('exit', () => {
      clearTimeout(timer);
      resolve('it takes more memory than there is');
    });
  });
  void worker.terminate();
  const missed = tasks[answers.length];
  return why === null || missed === undefined ? answers : [...answers, sayEndless(missed, why)];
}
