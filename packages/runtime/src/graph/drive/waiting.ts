/** What a driver waits for: something of the run happened, a time has come, the person interrupts. */
import type { OpenRun } from './types.ts';

/** The longest wait of a timer. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export interface Waiting {
  /** Something happened; it may be called at any time, also before the wait. */
  readonly wake: () => void;
  /** Waits until something happened since the last wait, or until the earliest of these times (Unix milliseconds). */
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
  return {
    wake,
    forEvent: async (times = []) => {
      const due = Math.min(...times);
      const timer = new AbortController();
      if (!happened) {
        await new Promise<void>((resolve) => {
          resume = resolve;
          if (due === Number.POSITIVE_INFINITY) return;
          const waitMs = Math.min(Math.max(0, due - run.services.now()), MAX_TIMER_MS);
          run.services.sleep(waitMs, timer.signal).then(resolve, () => {});
        });
      }
      resume = () => {};
      happened = false;
      timer.abort();
    },
    stop: () => signal.removeEventListener('abort', wake),
  };
}
