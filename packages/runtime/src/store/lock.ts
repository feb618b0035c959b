/**
 * The operating system's lock on a run: held by an open file description, released by the kernel at any death.
 *
 * 1. Liveness is never guessed from a PID or a time; what the file says is for messages only.
 * 2. After locking, the descriptor is compared with the path: the lock of a removed run is never taken.
 * 3. The descriptor is never passed to a child process (Node opens with O_CLOEXEC).
 * 4. The lock is the file's first byte. Its second byte is locked by an exclusive holder only, so that others can see one
 *    without touching the first: looking never makes an attempt to own fail, however often and slowly somebody looks.
 * 5. A lock file that is missing is made again, by sharers too: it says nothing about the run.
 */
import { closeSync, constants, fstatSync, ftruncateSync, openSync, readFileSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf, diskFailure, FILE_MODE, pause, writeAll } from './durable.ts';
import { type LockSpan, tryLockSpan } from './os-lock.ts';
import type { OwnerInfo } from './types.ts';

/** How long an owner tries before it believes that somebody else owns the run: a fork is shorter. */
const RETRY_MS = 300;
const STEP_MS = 15;

/** Offsets of the bytes that are locked. */
const OWNERSHIP: LockSpan = { offset: 0, length: 1 };
const PRESENCE: LockSpan = { offset: 1, length: 1 };

/** How long an owner waits for those who look at this moment; then it is an owner that is not seen. */
const LOOKERS = 50;
const LOOKER_MS = 1;

export type LockMode = 'exclusive' | 'shared';

export interface HeldLock {
  release(): void;
}

/** Takes a lock with a short retry; null when another holds it or its folder is gone. */
export async function acquireLock(path: string, mode: LockMode): Promise<HeldLock | null> {
  const deadline = performance.now() + RETRY_MS;
  for (;;) {
    const lock = tryAcquireLock(path, mode);
    if (lock === 'missing') return null;
    if (lock !== 'held') return lock;
    if (performance.now() > deadline) return null;
    await sleep(STEP_MS);
  }
}

/**
 * Takes a lock at once or not at all; `held` by another, or `missing`: there is no file, or, where it would be created,
 * no folder for it. An exclusive lock says in the file who holds it.
 */
export function tryAcquireLock(
  path: string,
  mode: LockMode,
  options: { readonly create: boolean } = { create: true },
): HeldLock | 'held' | 'missing' {
  const fd = openLockFile(path, mode, options.create);
  if (fd === null) return 'missing';
  if (!tryLockSpan(fd, OWNERSHIP, mode) || !isSameFile(fd, path)) {
    closeSync(fd);
    return 'held';
  }
  if (mode === 'exclusive') {
    showPresence(fd);
    writeOwner(fd);
  }
  let open = true;
  const release = (): void => {
    if (open) closeSync(fd);
    open = false;
  };
  return { release };
}

/** Whether somebody holds the exclusive lock; disturbs nobody. */
export function isHeldExclusively(path: string): boolean {
  const fd = openLockFile(path, 'shared', false);
  if (fd === null) return false;
  try {
    return !tryLockSpan(fd, PRESENCE, 'shared');
  } finally {
    closeSync(fd);
  }
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

function showPresence(fd: number): void {
  for (let attempt = 0; attempt < LOOKERS && !tryLockSpan(fd, PRESENCE, 'exclusive'); attempt += 1) pause(LOOKER_MS);
}

function openLockFile(path: string, mode: LockMode, create: boolean): number | null {
  const own = constants.O_RDWR | (create ? constants.O_CREAT : 0);
  try {
    return openSync(path, (mode === 'shared' ? constants.O_RDONLY : own) | constants.O_NOFOLLOW, FILE_MODE);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw diskFailure(`cannot open the lock ${path}`, error);
    return mode === 'shared' && create ? openLockFile(path, 'exclusive', true) : null;
  }
}

function isSameFile(fd: number, path: string): boolean {
  const held = fstatSync(fd);
  const named = statSync(path, { throwIfNoEntry: false });
  return named !== undefined && named.ino === held.ino && named.dev === held.dev;
}

/**
 * Failing to write it changes nothing but messages. Every owner writes, for whoever watches the file; but it is shortened
 * only where it is too long: that would wait for whatever the file system's journal is writing.
 */
function writeOwner(fd: number): void {
  const start = new Date(performance.timeOrigin).toISOString();
  const owner = Buffer.from(`${JSON.stringify({ pid: process.pid, host: hostname(), start })}\n`);
  try {
    writeAll(fd, owner, 0);
    if (fstatSync(fd).size > owner.length) ftruncateSync(fd, owner.length);
  } catch {
    // A full disk must not keep anyone from taking a lock.
  }
}
