/** What a driver waits for: something of the run happened, a time has come, the person interrupts. */
import type { OpenRun } from './types.ts';

/** The longest wait of a timer. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Why a timer is let go; without a reason each abort makes an error of its own, with its stack. */
const OVER = 'the wait is over';

export interface Waiting {
  /** Something happened; it may be called at any time, also before the wait. */
  readonly wake: () => void;
  /** All that has happened so far is known: only what happens from now on ends the next wait. */
  readonly know: () => void;
  /** Waits until something happens that is not known, or until the earliest of these times (Unix milliseconds). */
  forEvent(times?: readonly number[]): Promise<void>;
  stop(): void;
}

/** Watches a run's signal until `stop`. */
export function createWaiting(run: OpenRun): Waiting {
  const { signal } = run.settings;
  let happened = false;
  let resume: () => void = () => {};
  const wake = (): void => {
    happened = true;
    resume();
  };
  signal.addEventListener('abort', wake);
  const know = (): void => {
    happened = false;
  };
  return {
    wake,
    know,
    forEvent: async (times = []) => {
      if (!happened) {
        const { promise, resolve } = Promise.withResolvers<void>();
        resume = resolve;
        const stopTimer = startTimer(run, Math.min(...times), resolve);
        await promise;
        stopTimer();
      }
      resume = () => {};
      know();
    },
    stop: () => signal.removeEventListener('abort', wake),
  };
}

/** Calls back at a time, if it is finite, unless it is stopped before. */
function startTimer({ services }: OpenRun, due: number, callBack: () => void): () => void {
  if (due === Number.POSITIVE_INFINITY) return () => {};
  const timer = new AbortController();
  const waitMs = Math.min(Math.max(0, due - services.now()), MAX_TIMER_MS);
  services.sleep(waitMs, timer.signal).then(callBack, () => {});
  return () => timer.abort(OVER);
}
