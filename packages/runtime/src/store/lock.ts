/**
 * The operating system's lock on a run: held by an open file description, released by the kernel at any death.
 *
 * 1. Liveness is never guessed from a PID or a time; what the file says is for messages only.
 * 2. After locking, the descriptor is compared with the path: the lock of a removed run is never taken.
 * 3. The descriptor is never passed to a child process (Node opens with O_CLOEXEC).
 */
import { closeSync, constants, fstatSync, ftruncateSync, openSync, readFileSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { tryLock } from 'fs-native-extensions';
import { codeOf, diskFailure, FILE_MODE, writeAll } from './durable.ts';
import type { OwnerInfo } from './types.ts';

/** How long an owner tries before it believes that somebody else owns the run: a reader's probe is shorter. */
const RETRY_MS = 300;
const STEP_MS = 15;

export interface HeldLock {
  release(): void;
}

/** Takes a lock with a short retry; null when another holds it or the file is gone. */
export async function acquireLock(path: string, mode: 'exclusive' | 'shared'): Promise<HeldLock | null> {
  const deadline = performance.now() + RETRY_MS;
  for (;;) {
    const lock = tryAcquireLock(path, mode);
    if (lock !== null || performance.now() > deadline) return lock;
    await sleep(STEP_MS);
  }
}

/** Takes a lock at once or not at all. An exclusive one creates the file and says in it who holds it. */
export function tryAcquireLock(
  path: string,
  mode: 'exclusive' | 'shared',
  options: { readonly create: boolean } = { create: true },
): HeldLock | null {
  const fd = openLockFile(path, mode, options.create);
  if (fd === null) return null;
  if (!tryLock(fd, { shared: mode === 'shared' }) || !isSameFile(fd, path)) {
    closeSync(fd);
    return null;
  }
  if (mode === 'exclusive') writeOwner(fd);
  return { release: () => closeSync(fd) };
}

/** What the holder of a lock wrote about itself. */
export function readOwner(path: string): OwnerInfo {
  try {
    const owner = JSON.parse(readFileSync(path, 'utf8')) as { pid?: unknown; host?: unknown; start?: unknown };
    return {
      ...(typeof owner.pid === 'number' ? { pid: owner.pid } : {}),
      ...(typeof owner.host === 'string' ? { host: owner.host } : {}),
      ...(typeof owner.start === 'string' ? { start: owner.start } : {}),
      self: false,
    };
  } catch {
    return { self: false };
  }
}

function openLockFile(path: string, mode: 'exclusive' | 'shared', create: boolean): number | null {
  const flags = mode === 'shared' ? constants.O_RDONLY : constants.O_RDWR | (create ? constants.O_CREAT : 0);
  try {
    return openSync(path, flags | constants.O_NOFOLLOW, FILE_MODE);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw diskFailure(`cannot open the lock ${path}`, error);
  }
}

function isSameFile(fd: number, path: string): boolean {
  const held = fstatSync(fd);
  const named = statSync(path, { throwIfNoEntry: false });
  return named !== undefined && named.ino === held.ino && named.dev === held.dev;
}

/** Failing to write it changes nothing but messages. */
function writeOwner(fd: number): void {
  const start = new Date(performance.timeOrigin).toISOString();
  try {
    ftruncateSync(fd, 0);
    writeAll(fd, Buffer.from(`${JSON.stringify({ pid: process.pid, host: hostname(), start })}\n`), 0);
  } catch {
    // A full disk must not keep anyone from taking a lock.
  }
}
