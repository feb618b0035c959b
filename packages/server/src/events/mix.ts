/**
 * Mixes what comes item by item with what is only sometimes to be said, and with silence that must be broken.
 *
 * 1. The next item is asked for when the one before was taken: whoever takes slowly holds one.
 * 2. Ending it, by `return` or by the signal, ends the items and all that was begun here.
 */
import { KEEP_ALIVE } from './frames.ts';

/** Text of frames, or its UTF-8. */
export type Frames = string | Uint8Array;

export interface Mix<T> {
  readonly items: AsyncIterator<T, undefined>;
  /** Frames of one item. */
  render(item: T): Frames;
  /** Frames to be said now; empty when there are none. Looked at once at the beginning, and whenever `ring` was called. */
  say(): string;
  /** Begins to call `ring` when there may be something to say; returns what ends it. */
  watch(ring: () => void): () => void;
  readonly keepAliveMs: number;
  readonly signal: AbortSignal;
}

/** Yields frames in the order in which they come. */
export async function* mixFrames<T>(mix: Mix<T>): AsyncGenerator<Frames, void> {
  const { items, signal, keepAliveMs } = mix;
  const bell = makeBell();
  const arrivals = new Arrivals(items, bell.ring);
  let isSaying = true;
  let isQuiet = false;
  const stopWatching = mix.watch(() => {
    isSaying = true;
    bell.ring();
  });
  const timer = setInterval(() => {
    isQuiet = true;
    bell.ring();
  }, keepAliveMs);
  signal.addEventListener('abort', bell.ring, { once: true });
  try {
    arrivals.ask();
    while (!signal.aborted) {
      const arrived = arrivals.take();
      const said = isSaying ? mix.say() : '';
      isSaying = false;
      if (said !== '') yield said;
      if (arrived?.done === true) return;
      if (arrived !== null) yield mix.render(arrived.value);
      else if (said === '' && isQuiet) yield KEEP_ALIVE;
      else if (said === '') await bell.wait();
      if (arrived !== null || said !== '') isQuiet = false;
    }
  } finally {
    clearInterval(timer);
    stopWatching();
    signal.removeEventListener('abort', bell.ring);
    await items.return?.();
  }
}

/** The item that came and was not taken yet. */
class Arrivals<T> {
  readonly #items: AsyncIterator<T, undefined>;
  readonly #ring: () => void;
  #arrived: IteratorResult<T, undefined> | null = null;
  #failure: { readonly error: unknown } | null = null;

  constructor(items: AsyncIterator<T, undefined>, ring: () => void) {
    this.#items = items;
    this.#ring = ring;
  }

  /** Asks for the next one. */
  ask(): void {
    this.#items.next().then(
      (result) => {
        this.#arrived = result;
        this.#ring();
      },
      (error: unknown) => {
        this.#failure = { error };
        this.#ring();
      },
    );
  }

  /** Takes it and asks for the next; null when none came yet. Throws what asking threw. */
  take(): IteratorResult<T, undefined> | null {
    if (this.#failure !== null) throw this.#failure.error;
    const arrived = this.#arrived;
    this.#arrived = null;
    if (arrived !== null && arrived.done !== true) this.ask();
    return arrived;
  }
}

interface Bell {
  readonly ring: () => void;
  /** Until it was rung since the last wait. */
  wait(): Promise<void>;
}

function makeBell(): Bell {
  let isRung = false;
  let wake = (): void => {};
  return {
    ring: () => {
      isRung = true;
      wake();
    },
    wait: async () => {
      if (!isRung) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      isRung = false;
    },
  };
}
