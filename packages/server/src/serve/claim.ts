import { type Refusal, refuse } from '@ramet/core';
import { acquireLock, type HeldLock, makeFolder } from '@ramet/runtime/store';
import { daemonPathsOf, readEndpoint } from '../endpoint/index.ts';

/** Makes this process the daemon of a state folder, for as long as it lives; refuses while another is. */
export async function claimStateFolder(home: string): Promise<HeldLock | Refusal> {
  const { folder, lock } = daemonPathsOf(home);
  makeFolder(folder);
  const held = await acquireLock(lock, 'exclusive');
  if (held !== null) return held;
  const first = readEndpoint(home);
  const where = first === null ? 'it is just starting' : `it listens on ${first.url} (process ${first.pid})`;
  const message = `there is a daemon of ${home} already: ${where}; use that one, or end it first`;
  return refuse('owned_elsewhere', message, { home, ...(first === null ? {} : { endpoint: { ...first } }) });
}
