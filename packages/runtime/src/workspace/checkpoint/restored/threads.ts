/**
 * Threads that write files beside the main one. Owns starting them.
 *
 * 1. They are kept: starting one takes as long as writing thousands of files. They keep no process alive that has
 *    nothing else to do, and end with it.
 * 2. A thread is handed a batch only when it is ready and has little to do, so one that does not start costs nothing
 *    but speed: the main thread writes what nobody took.
 */
import { availableParallelism } from 'node:os';
import { startThread } from '../../../threads/index.ts';
import type { WrittenBatch } from './batch.ts';
import type { RestoreThreadData, ThreadReply, ThreadRequest } from './thread-entry.ts';

export interface WritingThread {
  /** Hands over a batch; null when the thread has enough to do. */
  take(request: ThreadRequest): Promise<WrittenBatch> | null;
  /** Lets the thread close what it opened for a restore. */
  end(request: ThreadRequest): void;
}

/** Beside the main one; more than three were never measured. */
const MOST_THREADS = 3;
/** Enough for a thread to go on while the next batch is put together. */
const MOST_WAITING = 2;

const ready: WritingThread[] = [];
let started = 0;

/** The threads that are ready, now or later. */
export function listThreads(): readonly WritingThread[] {
  return ready;
}

/** Starts the threads, where that was not done. */
export function startWritingThreads(): void {
  const wanted = Math.min(availableParallelism() - 1, MOST_THREADS);
  for (; started < wanted; started += 1) startWriting().catch(() => undefined);
}

interface Waiter {
  readonly resolve: (written: WrittenBatch) => void;
  readonly reject: (error: Error) => void;
}

async function startWriting(): Promise<void> {
  const { THREAD_URL } = await import('./thread-entry.ts');
  const waiting = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const data: RestoreThreadData = { serves: 'restore', waiting };
  const worker = startThread(THREAD_URL, data);
  const waiters: Waiter[] = [];
  const thread: WritingThread = {
    take: (request) => {
      if (Atomics.load(waiting, 0) >= MOST_WAITING) return null;
      Atomics.add(waiting, 0, 1);
      worker.ref();
      worker.postMessage(request);
      return new Promise((resolve, reject) => waiters.push({ resolve, reject }));
    },
    end: (request) => worker.postMessage(request),
  };
  worker.on('message', (reply: ThreadReply) => {
    if (reply.kind === 'ready') ready.push(thread);
    else settle(waiters.shift(), reply);
    if (waiters.length === 0) worker.unref();
  });
  worker.on('exit', () => {
    const position = ready.indexOf(thread);
    if (position >= 0) ready.splice(position, 1);
    for (const { reject } of waiters.splice(0)) reject(new Error('a thread that writes files ended'));
  });
}

function settle(waiter: Waiter | undefined, reply: Exclude<ThreadReply, { kind: 'ready' }>): void {
  if (reply.kind === 'written') waiter?.resolve(reply.written);
  else waiter?.reject(Object.assign(new Error(reply.message), { code: reply.code }));
}
