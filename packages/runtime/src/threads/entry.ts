/**
 * What the entry module of a thread begins with. Such a module exports its own `import.meta.url` and is imported by the
 * main thread only to learn it: from source it is the module itself, in the bundle a chunk of its own.
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { ThreadData } from './start.ts';

/** The port and the data of the thread this module is the entry of; null where it was merely imported. */
export function openEntry<T extends ThreadData>(
  serves: T['serves'],
): { readonly port: MessagePort; readonly data: T } | null {
  const data = workerData as ThreadData | null;
  return parentPort !== null && data?.serves === serves ? { port: parentPort, data: data as T } : null;
}
