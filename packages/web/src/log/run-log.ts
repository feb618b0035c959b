/**
 * The log of a session or run as a page holds it: its end first, what comes as it comes, what is earlier when it is
 * wanted.
 *
 * 1. The events held are without a gap: from `first` on, in order, each once.
 * 2. A view never changes; the next one is another. One is published for all that happens within a moment.
 * 3. What streams is for eyes only, and gone when the event that holds it is there.
 */
import { type Client, type Followed, followRun, type Live } from '@ramet/client';
import type { LoggedEvent } from '@ramet/core/events';
import { sleep } from '../data/sleep.ts';
import { addLive, dropLive, type LiveText } from './live-text.ts';
import { type LogEnd, readEnd } from './log-end.ts';
import { readJson } from './read-json.ts';

/** How much of its end is loaded at first, and of what is earlier each time. */
const TAIL_EVENTS = 400;
const EARLIER_EVENTS = 1000;
const PAGE_EVENTS = 5000;
const GATHER_MS = 25;

export interface LogView {
  readonly events: readonly LoggedEvent[];
  /** Offset of the first event held; 0: the whole log is. */
  readonly first: number;
  /** Another number when events were put before the others or taken back; else some were only added. */
  readonly generation: number;
  readonly connection: 'connecting' | 'online' | 'offline' | 'ended';
  /** Whether the end of the log was reached since the page was opened. */
  readonly isLoaded: boolean;
  readonly isLoadingEarlier: boolean;
  readonly live: readonly LiveText[];
  /** Who works on it, and what it asks; null until it is told. */
  readonly state: Live | null;
  readonly end?: LogEnd;
  /** What was thrown, when it cannot be followed. */
  readonly error?: unknown;
}

const NOTHING: LogView = {
  events: [],
  first: 0,
  generation: 0,
  connection: 'connecting',
  isLoaded: false,
  isLoadingEarlier: false,
  live: [],
  state: null,
};

export interface RunLogOptions {
  readonly client: Client;
  readonly id: string;
  /** How many events of its end are loaded at first; absent: some hundreds. */
  readonly tail?: number;
  /** Called for each event that was appended after the page was opened. */
  readonly onEvent?: (event: LoggedEvent) => void;
}

/** Holds one log; `open` follows it until the signal aborts. */
export class RunLog {
  readonly #options: RunLogOptions;
  readonly #listeners = new Set<() => void>();
  #view: LogView = NOTHING;
  /** What the next view will hold. */
  #events: LoggedEvent[] = [];
  #draft: LogView = NOTHING;
  #total = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #signal: AbortSignal | null = null;

  constructor(options: RunLogOptions) {
    this.#options = options;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly view = (): LogView => this.#view;

  /** Loads the end of the log and follows it. */
  async open(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    this.#events = [];
    this.#draft = { ...NOTHING, generation: this.#draft.generation + 1 };
    try {
      await this.#follow(signal);
    } catch (error) {
      if (!signal.aborted) this.#change({ error, connection: 'ended' });
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { client, id } = this.#options;
    const { total } = await client.call('readEvents', { path: { id }, query: { from: 0, limit: 1 } }, signal);
    const first = Math.max(0, total - (this.#options.tail ?? TAIL_EVENTS));
    this.#total = total;
    this.#change({ first, isLoaded: total === 0 });
    await this.#loadPages(first, signal);
    const from = first + this.#events.length;
    for await (const followed of followRun(client, { id, from, signal, sleep })) {
      if (signal.aborted) return;
      this.#take(followed);
    }
  }

  /** Loads all but the end in pages: a stream, whose lines come one by one, takes several times as long. */
  async #loadPages(first: number, signal: AbortSignal): Promise<void> {
    const { client, id } = this.#options;
    for (let from = first; from < this.#total - TAIL_EVENTS; from = first + this.#events.length) {
      const query = { from, limit: Math.min(PAGE_EVENTS, this.#total - TAIL_EVENTS - from) };
      const { events } = await client.call('readEvents', { path: { id }, query }, signal);
      if (signal.aborted || events.length === 0) return;
      this.#events.push(...(events as unknown as readonly LoggedEvent[]));
    }
  }

  /** Loads what is before the first event held. */
  readonly loadEarlier = async (): Promise<void> => {
    const { first, isLoadingEarlier } = this.#draft;
    const signal = this.#signal;
    if (first === 0 || isLoadingEarlier || signal === null) return;
    this.#change({ isLoadingEarlier: true });
    const { client, id } = this.#options;
    const from = Math.max(0, first - EARLIER_EVENTS);
    try {
      const query = { from, limit: first - from };
      const { events } = await client.call('readEvents', { path: { id }, query }, signal);
      const isWhole = events.length === first - from;
      if (signal.aborted || !isWhole) return this.#change({ isLoadingEarlier: false });
      this.#events = [...(events as unknown as readonly LoggedEvent[]), ...this.#events];
      this.#change({ first: from, generation: this.#draft.generation + 1, isLoadingEarlier: false });
    } catch {
      // The button is there again; the page says that the connection is gone.
      if (!signal.aborted) this.#change({ isLoadingEarlier: false });
    }
  };

  #take(followed: Followed): void {
    switch (followed.kind) {
      case 'line':
        this.#takeLine(followed.offset, followed.line);
        break;
      case 'rewind':
        this.#takeBack(followed.offset);
        break;
      case 'live':
        this.#change({ live: addLive(this.#draft.live, followed.data) });
        break;
      case 'state':
        this.#change({ state: readJson<Live>(followed.data) });
        break;
      case 'online':
        // What streams is told again from where the log stands.
        this.#change({ connection: 'online', live: [] });
        break;
      case 'offline':
        this.#change({ connection: 'offline' });
        break;
      case 'end':
        this.#change({ connection: 'ended', end: readEnd(followed.data) });
        break;
    }
  }

  #takeLine(offset: number, line: string): void {
    const event = readJson<LoggedEvent>(line);
    const next = this.#draft.first + this.#events.length;
    if (event === null || offset > next) return;
    if (offset < next) this.#takeBack(offset);
    this.#events.push(event);
    this.#change({
      live: dropLive(this.#draft.live, event.type),
      isLoaded: this.#draft.isLoaded || offset + 1 >= this.#total,
    });
    if (offset >= this.#total) this.#options.onEvent?.(event);
  }

  #takeBack(offset: number): void {
    const kept = Math.max(0, offset - this.#draft.first);
    if (kept >= this.#events.length) return;
    this.#events = this.#events.slice(0, kept);
    this.#change({ first: Math.min(this.#draft.first, offset), generation: this.#draft.generation + 1 });
  }

  #change(change: Partial<LogView>): void {
    this.#draft = { ...this.#draft, ...change };
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#view = { ...this.#draft, events: this.#events.slice() };
      for (const listener of this.#listeners) listener();
    }, GATHER_MS);
  }
}
