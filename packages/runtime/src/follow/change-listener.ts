import type { RunId } from '@ramet/core';
import type { RunChange } from './types.ts';

/** What one listener has not taken yet. */
export class ChangeListener implements AsyncIterableIterator<RunChange, undefined> {
  readonly #pending = new Map<RunId, RunChange>();
  readonly #signal: AbortSignal | undefined;
  readonly #onDone: () => void;
  #isDone = false;
  #goOn = (): void => {};

  constructor(signal: AbortSignal | undefined, onDone: () => void) {
    this.#signal = signal;
    this.#onDone = onDone;
    this.#isDone = signal?.aborted ?? false;
    signal?.addEventListener('abort', this.#end, { once: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<RunChange, undefined>> {
    while (!this.#isDone) {
      for (const [id, value] of this.#pending) {
        this.#pending.delete(id);
        return { done: false, value };
      }
      await new Promise<void>((resolve) => {
        this.#goOn = resolve;
      });
    }
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<RunChange, undefined>> {
    this.#end();
    return { done: true, value: undefined };
  }

  add(changes: readonly RunChange[]): void {
    for (const change of changes) this.#pending.set(change.id, change);
    this.#goOn();
  }

  readonly #end = (): void => {
    this.#isDone = true;
    this.#pending.clear();
    this.#signal?.removeEventListener('abort', this.#end);
    this.#onDone();
    this.#goOn();
  };
}
