/**
 * Lets a few at a time do something dear; the others wait in the order in which they came.
 *
 * 1. No more than `waiting` wait: whoever comes after that is told so at once.
 * 2. Whose signal is aborted waits no longer, and does nothing.
 */

export interface TurnstileLimits {
  readonly atOnce: number;
  readonly waiting: number;
}

export class Turnstile {
  readonly #limits: TurnstileLimits;
  /** They are told whether it is their turn. */
  readonly #queue = new Set<(isTurn: boolean) => void>();
  #busy = 0;

  constructor(limits: TurnstileLimits) {
    this.#limits = limits;
  }

  /** Does the work when it is its turn; null where too many wait already, or the signal was aborted before. */
  async pass<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T | null> {
    const { atOnce, waiting } = this.#limits;
    if (this.#busy < atOnce) this.#busy += 1;
    else if (this.#queue.size >= waiting || !(await this.#wait(signal))) return null;
    try {
      return await work();
    } finally {
      this.#busy -= 1;
      this.#letNext();
    }
  }

  async #wait(signal: AbortSignal): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const leave = (): void => {
      if (this.#queue.delete(resolve)) resolve(false);
    };
    this.#queue.add(resolve);
    signal.addEventListener('abort', leave, { once: true });
    const isTurn = await promise;
    signal.removeEventListener('abort', leave);
    return isTurn;
  }

  #letNext(): void {
    const [next] = this.#queue;
    if (next === undefined) return;
    this.#queue.delete(next);
    this.#busy += 1;
    next(true);
  }
}
