/** Tells when the first process of a pid namespace, and with it every other process there, is dead. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '@ramet/core/codes';

const PATIENCE_MS = 10_000;
const LONGEST_PAUSE_MS = 50;

/** The host's id of the first process of the sandbox, from what bubblewrap wrote to its status descriptor. */
export function parseChildPid(status: string): number | null {
  const match = /"child-pid":\s*(\d+)/.exec(status);
  return match === null ? null : Number(match[1]);
}

/**
 * Waits until a namespace's first process is gone or a zombie: it becomes one only after the kernel has killed and
 * reaped all others (`zap_pid_ns_processes`). One that lives on is killed: when bubblewrap was, it may not have asked yet to
 * end with it. Throws `Failure('process_failed')` when one of them cannot die.
 */
export async function waitForDeath(pid: number): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  for (let pauseMs = 1; isAlive(pid); pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    if (pauseMs === LONGEST_PAUSE_MS && isFirstOfNamespace(pid)) killIfThere(pid);
    if (performance.now() > deadline) {
      throw new Failure(
        'process_failed',
        `A process of the sandbox does not end (first process ${pid}). Wait for its disk or network, then try again.`,
        {
          data: { pid },
        },
      );
    }
    await sleep(pauseMs);
  }
}

/** A number may be another process's by now: that one is not the first of a namespace within ours. */
function isFirstOfNamespace(pid: number): boolean {
  try {
    return /^NSpid:\t\d+(\t\d+)*\t1$/m.test(readFileSync(`/proc/${pid}/status`, 'latin1'));
  } catch {
    return false;
  }
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in parentheses may hold anything; the state follows the last parenthesis.
    const state = stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3);
    return state !== 'Z' && state !== 'X';
  } catch {
    return false;
  }
}
