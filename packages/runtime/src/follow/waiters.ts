/**
 * Those who wait for something new.
 *
 * 1. Waking costs the same however many wait; they go on a few at a time, so that what else this thread serves (the
 *    very writer they follow, for one) is never behind more than those few.
 */
const AT_ONCE = 16;

export class Waiters {
  readonly #waiting = new Set<() => void>();
  readonly #due: (() => void)[][] = [];
  #running = false;

  /** Adds one that goes on at the next `wake`. */
  add(goOn: () => void): void {
    this.#waiting.add(goOn);
  }

  /** Takes back one that has not gone on. */
  remove(goOn: () => void): void {
    this.#waiting.delete(goOn);
  }

  /** Lets all go on that wait now. */
  wake(): void {
    if (this.#waiting.size === 0) return;
    this.#due.push([...this.#waiting]);
    this.#waiting.clear();
    if (!this.#running) setImmediate(this.#run);
    this.#running = true;
  }

  readonly #run = (): void => {
    const group = this.#due[0] ?? [];
    for (const goOn of group.splice(-AT_ONCE)) goOn();
    if (group.length === 0) this.#due.shift();
    this.#running = this.#due.length > 0;
    if (this.#running) setImmediate(this.#run);
  };
}
