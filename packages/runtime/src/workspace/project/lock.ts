/**
 * Exclusive locks of the operating system on files below `projects/`. The kernel releases them at any death.
 * They are short: nothing that waits for a person or a model happens under one.
 */
import { open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '@ramet/core/codes';
import { tryLockSpan } from '../../store/index.ts';

const POLL_MS = 10;
const WHOLE = { offset: 0, length: 0 };

/** Runs `action` while holding the lock on `path`; throws `Failure('state_unusable')` after `waitMs` without it. */
export async function withFileLock<T>(path: string, waitMs: number, action: () => Promise<T>): Promise<T> {
  const file = await open(path, 'a+', 0o600);
  try {
    // Polled, not awaited in the thread pool: waiters there would keep the holder from its own file operations.
    for (let waited = 0; !tryLockSpan(file.fd, WHOLE, 'exclusive'); waited += POLL_MS) {
      if (waited >= waitMs) {
        throw new Failure(
          'state_unusable',
          `Another process has held ${path} for ${waitMs} ms: end it, then try again.`,
        );
      }
      await sleep(POLL_MS);
    }
    return await action();
  } finally {
    await file.close();
  }
}
