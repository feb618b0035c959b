/**
 * Those who wait for something new, or for their turn.
 *
 * 1. They go on a few at a time, so that what else this thread serves is never behind more than those few.
 * 2. While this thread serves the very writer they follow, a crowd rests between: it gets a tenth of the time or so, and
 *    comes later to what a writer that never pauses has written.
 */
/** Each takes several items: whoever else waits for this thread, a writer first of all, waits for so many at most. */
const AT_ONCE = 2;
/** More than these are a crowd, of which so many go on between two rests. */
const CROWD = 100;
const BETWEEN_RESTS = 8;
const REST_MS = 1;

export class Waiters {
  readonly #waiting = new Set<() => void>();
  #due: (() => void)[] = [];
  /** How many of `#due` have gone on. */
  #gone = 0;
  #running = false;
  /** How many have gone on since the last rest. */
  #sinceRest = 0;
  /** Whether the writer they follow is served by this thread. */
  hasWriter = false;

  /** Adds one that goes on at the next `wake`. */
  add(goOn: () => void): void {
    this.#waiting.add(goOn);
  }

  /** Adds one that goes on after those that are to go on already. */
  queue(goOn: () => void): void {
    this.#due.push(goOn);
    this.#start();
  }

  /** Takes back one that waits for the next `wake`. */
  remove(goOn: () => void): void {
    this.#waiting.delete(goOn);
  }

  /** Lets all go on that wait now; answers how many. */
  wake(): number {
    const count = this.#waiting.size;
    for (const goOn of this.#waiting) this.#due.push(goOn);
    this.#waiting.clear();
    this.#start();
    return count;
  }

  #start(): void {
    if (this.#running || this.#due.length === 0) return;
    this.#running = true;
    const isCrowd = this.hasWriter && this.#due.length - this.#gone > CROWD;
    if (!isCrowd || this.#sinceRest < BETWEEN_RESTS) {
      setImmediate(this.#run);
      return;
    }
    this.#sinceRest = 0;
    setTimeout(this.#run, REST_MS);
  }

  readonly #run = (): void => {
    const end = Math.min(this.#gone + AT_ONCE, this.#due.length);
    this.#sinceRest += end - this.#gone;
    for (; this.#gone < end; this.#gone += 1) this.#due[this.#gone]?.();
    // Those who queue again and again must not keep all who have gone on.
    if (this.#gone * 2 >= this.#due.length) {
      this.#due = this.#due.slice(this.#gone);
      this.#gone = 0;
    }
    this.#running = false;
    this.#start();
  };
}
