/**
 * A log that is owned for as long as somebody works with it, and what is opened for that work.
 *
 * 1. On a refusal or an error nothing of it stays open or locked.
 * 2. What was opened is ended in reverse order, the lock last, also where one of it cannot be ended.
 */
import { isRefusal, type Refusal, type RunId } from '@ramet/core';
import type { OwnedLog, RunStore } from '../store/index.ts';

/** An owned log, and what to end when it is let go: whoever opens something adds how. */
export interface HeldLog {
  readonly log: OwnedLog;
  readonly closers: Closer[];
}

type Closer = () => void | Promise<void>;

/** What was opened for a log; `close` ends it, the lock last. */
export type Held<T> = T & { close(): Promise<void> };

/** Owns a log and opens what working with it takes. */
export async function holdLog<T extends object>(
  store: Pick<RunStore, 'own'>,
  id: RunId,
  open: (held: HeldLog) => Promise<T | Refusal>,
): Promise<Held<T> | Refusal> {
  const log = await store.own(id);
  if (isRefusal(log)) return log;
  const closers: Closer[] = [() => log.close()];
  try {
    const opened = await open({ log, closers });
    if (!isRefusal(opened)) return { ...opened, close: () => closeAll(closers) };
    await closeAll(closers);
    return opened;
  } catch (error) {
    await closeAll(closers).catch(() => undefined);
    throw error;
  }
}

/** Throws what the first that could not be ended threw, once all the others have ended. */
async function closeAll(closers: Closer[]): Promise<void> {
  let failure: { readonly error: unknown } | null = null;
  for (let closer = closers.pop(); closer !== undefined; closer = closers.pop()) {
    try {
      await closer();
    } catch (error) {
      failure ??= { error };
    }
  }
  if (failure !== null) throw failure.error;
}
