/**
 * The feeds of a store: one for each run that somebody follows, shared by all who do.
 *
 * 1. A feed is there while it has followers. One that ended is dropped: whoever comes next gets a new one.
 * 2. What was published since a run's last line is told to whoever comes before the next one, also when nobody followed.
 */
import { Failure, isRefusal, type Refusal, type RunId, refuse } from '@ramet/core';
import type { StoreChange } from '../store/announcer.ts';
import type { FileStore } from '../store/index.ts';
import { type FolderOutline, readFolderOutline } from '../store/log-folder.ts';
import { refuseUnknown } from '../store/refusals.ts';
import { hasRun } from '../store/run-reader.ts';
import { scanAhead } from '../store/scan/index.ts';
import { Follower } from './follower.ts';
import { LiveBuffer } from './live-buffer.ts';
import { RunChanges } from './run-changes.ts';
import { RunFeed } from './run-feed.ts';
import { DEFAULT_SETTINGS, type FeedItem, type FeedSettings, type FollowOptions, type RunChange } from './types.ts';

export interface Feeds {
  /**
   * Follows a run, whoever owns it; refuses with `unknown_run`, and with `bad_input` an offset that is none. The iteration ends with an `end`, with the signal, or by
   * throwing what the disk said. One that is not ended otherwise must be ended by `return`.
   */
  follow(id: RunId, options?: FollowOptions): Promise<AsyncIterableIterator<FeedItem, undefined> | Refusal>;
  /** Tells those who stand or come to the end of a run's log something that is in no event; whoever is slow may miss it. */
  publish(id: RunId, value: unknown): void;
  /** Runs that appear, change or vanish from now on, in this process or another; ends with the signal or with `close`. */
  changes(signal?: AbortSignal): AsyncIterableIterator<RunChange, undefined>;
  /** Ends everything; each follower is told. */
  close(): void;
}

/** Stands for the offset of a run's next line where nobody looked at its log. */
const UNKNOWN = 0;

/** Opens the feeds of a store. */
export function openFeeds(store: FileStore, settings: Partial<FeedSettings> = {}): Feeds {
  return new StoreFeeds(store, { ...DEFAULT_SETTINGS, ...settings });
}

class StoreFeeds implements Feeds {
  readonly #store: FileStore;
  readonly #settings: FeedSettings;
  readonly #open = new Map<RunId, RunFeed>();
  readonly #opening = new Map<RunId, Promise<RunFeed | Refusal>>();
  /** Of runs without a feed: what was published since their last line. */
  readonly #unheard = new Map<RunId, LiveBuffer>();
  readonly #changes: RunChanges;
  readonly #unsubscribe: () => void;
  #isClosed = false;

  constructor(store: FileStore, settings: FeedSettings) {
    this.#store = store;
    this.#settings = settings;
    this.#changes = new RunChanges(store, settings);
    this.#unsubscribe = store.subscribe(this.#heed);
  }

  async follow(id: RunId, options: FollowOptions = {}): Promise<Follower | Refusal> {
    const { from = 0 } = options;
    if (!Number.isSafeInteger(from) || from < 0)
      return refuse('bad_input', `${from} is no offset to follow ${id} from`);
    for (;;) {
      if (this.#isClosed) throw new Failure('interrupted', `${id} is not followed: its feeds were closed`);
      const feed = this.#open.get(id) ?? (await this.#openOnce(id));
      if (isRefusal(feed)) return feed;
      // Its last follower may have left while this one waited for it. Only what ended by itself says something.
      if (feed.end?.kind !== 'closed') return new Follower(feed, options);
    }
  }

  publish(id: RunId, value: unknown): void {
    const bytes = Buffer.from(JSON.stringify(value));
    const feed = this.#open.get(id);
    if (feed === undefined) this.#keep(id, [bytes]);
    else feed.publish(bytes);
  }

  changes(signal?: AbortSignal): AsyncIterableIterator<RunChange, undefined> {
    return this.#changes.open(signal);
  }

  close(): void {
    this.#isClosed = true;
    this.#unheard.clear();
    this.#unsubscribe();
    for (const feed of this.#open.values()) feed.close();
    this.#changes.close();
  }

  readonly #heed = ({ id, kind }: StoreChange): void => {
    this.#unheard.delete(id);
    this.#open.get(id)?.heed(kind);
    this.#changes.heed(id);
  };

  #openOnce(id: RunId): Promise<RunFeed | Refusal> {
    const known = this.#opening.get(id);
    if (known !== undefined) return known;
    const opening = this.#openFeed(id).finally(() => this.#opening.delete(id));
    this.#opening.set(id, opening);
    return opening;
  }

  async #openFeed(id: RunId): Promise<RunFeed | Refusal> {
    const paths = this.#store.pathsOf(id);
    if (!hasRun(id, paths)) return refuseUnknown(id);
    try {
      const ahead = await scanAhead(paths.log);
      return this.#makeFeed(id, readFolderOutline(paths.log, { ahead }));
    } catch (error) {
      if (hasRun(id, paths)) throw error;
      return refuseUnknown(id);
    }
  }

  #makeFeed(id: RunId, outline: FolderOutline): RunFeed {
    const feed = new RunFeed({
      id,
      paths: this.#store.pathsOf(id),
      outline,
      isOwn: this.#store.ownerOf(id)?.self === true,
      settings: this.#settings,
      onEnd: (unheard) => {
        this.#open.delete(id);
        this.#keep(id, unheard);
      },
    });
    if (feed.isDone) return feed;
    for (const bytes of this.#unheard.get(id)?.listFor(UNKNOWN) ?? []) feed.publish(bytes);
    this.#unheard.delete(id);
    this.#open.set(id, feed);
    return feed;
  }

  #keep(id: RunId, published: readonly Uint8Array[]): void {
    if (published.length === 0 || this.#isClosed) return;
    const kept = this.#unheard.get(id) ?? new LiveBuffer(this.#settings);
    for (const bytes of published) kept.push(UNKNOWN, bytes);
    this.#unheard.set(id, kept);
  }
}
