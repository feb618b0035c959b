/**
 * One follower of a run: a cursor over its feed.
 *
 * 1. It gets each line from its first offset on, in order: none twice, none left out, but for what a `rewind` takes back.
 * 2. It holds one page of lines at most, and that only while it stands behind the ring.
 */
import { findPlace, type LinePlace, readPage } from './pages.ts';
import type { RunFeed } from './run-feed.ts';
import type { FeedItem, FollowOptions, LogLine } from './types.ts';

/** A consumer that never waits gives way to others after so many items. */
const ITEMS_AT_ONCE = 8;
const DONE = { done: true, value: undefined } as const;

export class Follower implements AsyncIterableIterator<FeedItem, undefined> {
  readonly #feed: RunFeed;
  readonly #signal: AbortSignal | undefined;
  /** Offset of the line to deliver next. */
  #next: number;
  /** Position among all live items. */
  #liveAt: number;
  #page: LogLine[] = [];
  #place: LinePlace | null = null;
  #rewind: number | null = null;
  #isDone = false;
  /** Calls of `next` that are not answered. They are answered one after the other. */
  #asked = 0;
  #last: Promise<unknown> = Promise.resolve();
  #wakeUp = (): void => {};
  #taken = 0;

  constructor(feed: RunFeed, { from = 0, signal }: FollowOptions) {
    this.#feed = feed;
    this.#signal = signal;
    this.#next = from;
    feed.join(this);
    this.#liveAt = feed.live.startFor(feed.next);
    if (from > feed.next) this.#rewind = feed.next;
    signal?.addEventListener('abort', this.#leave, { once: true });
    if (signal?.aborted) this.#leave();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<FeedItem, undefined>> {
    const item = this.#asked === 0 ? this.#takeAtOnce() : null;
    if (item !== null) return item;
    this.#asked += 1;
    const answer = this.#last.then(() => this.#waitForItem());
    this.#last = answer.catch(() => {});
    return answer;
  }

  async return(): Promise<IteratorResult<FeedItem, undefined>> {
    this.#leave();
    return DONE;
  }

  /** What this follower has from an offset on is not in the log any more. */
  rewind(offset: number): void {
    this.#forgetPage();
    if (offset < this.#next) this.#rewind = Math.min(this.#rewind ?? offset, offset);
  }

  readonly #leave = (): void => {
    this.#isDone = true;
    this.#forgetPage();
    this.#signal?.removeEventListener('abort', this.#leave);
    this.#feed.waiters.remove(this.#wakeUp);
    this.#feed.leave(this);
    this.#wakeUp();
  };

  /** An item that is there, where it is this one's turn: most are, and cost no more than that. */
  #takeAtOnce(): Promise<IteratorResult<FeedItem, undefined>> | null {
    if (this.#isDone || (this.#taken + 1) % ITEMS_AT_ONCE === 0) return null;
    try {
      const value = this.#tryTakeItem();
      if (value === null) return null;
      this.#taken += 1;
      return Promise.resolve({ done: false, value });
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async #waitForItem(): Promise<IteratorResult<FeedItem, undefined>> {
    try {
      return await this.#waitForNext();
    } finally {
      this.#asked -= 1;
    }
  }

  async #waitForNext(): Promise<IteratorResult<FeedItem, undefined>> {
    this.#taken += 1;
    if (this.#taken % ITEMS_AT_ONCE === 0) await new Promise<void>((resolve) => this.#feed.waiters.queue(resolve));
    while (!this.#isDone) {
      const item = this.#tryTakeItem();
      if (item !== null) return { done: false, value: item };
      await new Promise<void>((resolve) => {
        this.#wakeUp = resolve;
        this.#feed.waiters.add(resolve);
      });
    }
    return DONE;
  }

  #tryTakeItem(): FeedItem | null {
    try {
      return this.#takeItem();
    } catch (error) {
      this.#leave();
      throw error;
    }
  }

  #takeItem(): FeedItem | null {
    if (this.#rewind !== null) return this.#goBack(this.#rewind);
    const live = this.#feed.live.find(this.#liveAt, this.#next);
    if (live !== null) {
      this.#liveAt = live.after;
      return live.item;
    }
    const line = this.#next < this.#feed.next ? this.#takeLine() : null;
    if (line !== null) {
      this.#next += 1;
      return line;
    }
    const reason = this.#feed.end;
    if (reason === null) return null;
    this.#leave();
    return { kind: 'end', reason };
  }

  #goBack(offset: number): FeedItem {
    this.#rewind = null;
    this.#next = offset;
    this.#forgetPage();
    return { kind: 'rewind', offset };
  }

  #forgetPage(): void {
    this.#page = [];
    this.#place = null;
  }

  /** Null where there is none any more: the run was removed. */
  #takeLine(): LogLine | null {
    const held = this.#feed.ring.at(this.#next);
    if (held !== null) {
      this.#forgetPage();
      return held;
    }
    if (this.#page.length === 0) this.#readPage();
    return this.#page.shift() ?? null;
  }

  #readPage(): void {
    const feed = this.#feed;
    try {
      if (feed.end?.kind === 'removed') return;
      const page = readPage(feed.log, this.#place ?? findPlace(feed.log, this.#next), feed.next);
      this.#page = [...page.lines];
      this.#place = page.after;
    } catch (error) {
      // The feed knows whether the run is gone; a line that was rewound is none to deliver.
      feed.refresh();
      if (feed.end?.kind !== 'removed' && this.#rewind === null) throw error;
    }
  }
}
