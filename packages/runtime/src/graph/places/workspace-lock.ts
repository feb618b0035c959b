/**
 * Who may use a run's files: one that writes alone, or any that read; in the order in which they asked.
 */

export type Access = 'read' | 'write';

export interface WorkspaceLock {
  /** Waits for its turn; rejects with the signal's reason when that comes first. */
  acquire(access: Access, wait: LockWait): Promise<() => void>;
}

export interface LockWait {
  readonly signal: AbortSignal;
  /** Told when the wait begins because others are before, and when it ends. */
  readonly waits: (waiting: boolean) => void;
}

interface Waiting {
  readonly access: Access;
  readonly start: () => void;
}

/** A lock nobody holds. */
export function createWorkspaceLock(): WorkspaceLock {
  const queue: Waiting[] = [];
  let readers = 0;
  let writing = false;
  const isFree = (access: Access): boolean => !writing && (access === 'read' || readers === 0);
  const admit = (): void => {
    for (let [next] = queue; next !== undefined && isFree(next.access); [next] = queue) {
      queue.shift();
      enter(next.access);
      next.start();
    }
  };
  const enter = (access: Access): void => {
    if (access === 'write') writing = true;
    else readers += 1;
  };
  const releaseOnce = (access: Access): (() => void) => {
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      if (access === 'write') writing = false;
      else readers -= 1;
      admit();
    };
  };
  return {
    acquire: (access, { signal, waits }) =>
      new Promise((resolve, reject) => {
        const waiting: Waiting = {
          access,
          start: () => {
            signal.removeEventListener('abort', leave);
            waits(false);
            resolve(releaseOnce(access));
          },
        };
        const leave = (): void => {
          const at = queue.indexOf(waiting);
          if (at < 0) return;
          queue.splice(at, 1);
          waits(false);
          reject(signal.reason);
          admit();
        };
        if (signal.aborted) {
          reject(signal.reason);
          return;
        }
        signal.addEventListener('abort', leave, { once: true });
        waits(true);
        queue.push(waiting);
        admit();
      }),
  };
}
