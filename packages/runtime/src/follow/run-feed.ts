/**
 * What all followers of one run in this process share: the tail of its log, the newest lines, and what is live.
 *
 * 1. The tail is read once for all. Hearing of an append costs the writer the same however many follow: the log is looked
 *    at later, at most once in `paceMs`, with many followers less often, and followers go on a few at a time (`waiters.ts`).
 * 2. A follower is a cursor. What it has not taken is in the ring or on the disk, never in a queue of its own.
 * 3. When lines that were delivered are gone, each follower that had them is told where to go back to, before anything else.
 * 4. After its end nothing is read; what is in the ring is still delivered.
 */
import { CHAIN_START, parseLine, type RunId } from '@ramet/core';
import type { StoreChange } from '../store/announcer.ts';
import type { RunPaths } from '../store/layout.ts';
import type { FolderOutline } from '../store/log-folder.ts';
import { hasRun } from '../store/run-reader.ts';
import { sha256 } from '../store/sha256.ts';
import type { Follower } from './follower.ts';
import { LiveBuffer } from './live-buffer.ts';
import { LineRing } from './ring.ts';
import { LogTail, type TailAgain, type TailRead } from './tail.ts';
import type { FeedEnd, FeedSettings, LogLine } from './types.ts';
import { Waiters } from './waiters.ts';
import { watchFolder } from './watch.ts';

/** Lets a thousand followers go on at most twenty times a second: more lines at a time cost less than more times. */
const PAUSE_MS_PER_FOLLOWER = 0.05;

export interface RunFeedOptions {
  readonly id: RunId;
  readonly paths: RunPaths;
  readonly outline: FolderOutline;
  /** The log is owned by this process: it says itself when it appends. */
  readonly isOwn: boolean;
  readonly settings: FeedSettings;
  /**
   * Nothing more will be read: whoever comes next needs another feed, and is to be told what was published since the last
   * line.
   */
  readonly onEnd: (unheard: readonly Uint8Array[]) => void;
}

export class RunFeed {
  readonly waiters = new Waiters();
  readonly live: LiveBuffer;
  readonly ring: LineRing;
  /** The run's `log` folder. */
  readonly log: string;
  readonly #options: RunFeedOptions;
  readonly #tail: LogTail | null;
  readonly #followers = new Set<Follower>();
  #next: number;
  #end: FeedEnd | null = null;
  #failure: unknown = null;
  #watch: { stop(): void } | null = null;
  #timer: NodeJS.Timeout | undefined;
  /** Something may have been written since the last look. */
  #isStale = false;
  /** How many went on after the last look. */
  #woken = 0;

  constructor(options: RunFeedOptions) {
    const { paths, outline, settings, isOwn } = options;
    this.#options = options;
    this.log = paths.log;
    this.live = new LiveBuffer(settings);
    this.ring = new LineRing(settings.ringBytes);
    this.#next = outline.chain.seq;
    this.#tail = outline.damage === null ? openTail(paths.log, outline) : null;
    if (outline.damage !== null) this.#stop({ kind: 'damaged', damage: outline.damage });
    else this.#watchLog(isOwn);
    this.#look();
  }

  /** Offset of the line that comes next. */
  get next(): number {
    return this.#next;
  }

  /** Why nothing more is read, or null; throws what the disk said. */
  get end(): FeedEnd | null {
    if (this.#failure !== null) throw this.#failure;
    return this.#end;
  }

  join(follower: Follower): void {
    this.#followers.add(follower);
    this.refresh();
  }

  /** Looks at once: a log that was not looked at for a moment may be longer than what is known of it, or gone. */
  refresh(): void {
    this.#look();
  }

  /** The feed ends with its last follower. */
  leave(follower: Follower): void {
    if (this.#followers.delete(follower) && this.#followers.size === 0) this.close();
  }

  /** Publishes something that is in no event. */
  publish(bytes: Uint8Array): void {
    if (this.#isStale) this.#look();
    this.live.push(this.#next, bytes);
    this.waiters.wake();
  }

  /** Hears what this process did to the run. */
  heed(kind: StoreChange['kind']): void {
    if (this.isDone) return;
    if (kind === 'owned' || kind === 'released') this.#watchLog(kind === 'owned');
    this.#expect();
  }

  close(): void {
    if (!this.isDone) this.#stop({ kind: 'closed' });
  }

  /** Nothing more will be read. */
  get isDone(): boolean {
    return this.#end !== null || this.#failure !== null;
  }

  #watchLog(isOwn: boolean): void {
    const { settings } = this.#options;
    // An owner in this process says what it appends: to hear it again from the system would only cost.
    const wanted = isOwn ? { ...settings, watch: false, pollMs: settings.slowPollMs } : settings;
    this.waiters.hasWriter = isOwn;
    this.#watch?.stop();
    this.#watch = watchFolder(this.log, wanted, () => this.#expect());
  }

  /** Looks soon: at once when the last look is a while ago. */
  #expect(): void {
    if (this.#isStale) return;
    this.#isStale = true;
    if (this.#timer === undefined) this.#timer = setTimeout(this.#lookAndPause, 0);
  }

  readonly #lookAndPause = (): void => {
    this.#timer = undefined;
    if (!this.#isStale || this.isDone) return;
    this.#woken = 0;
    this.#look();
    const pauseMs = Math.max(this.#options.settings.paceMs, this.#woken * PAUSE_MS_PER_FOLLOWER);
    if (!this.isDone) this.#timer ??= setTimeout(this.#lookAndPause, pauseMs);
  };

  #look(): void {
    if (this.#tail === null || this.isDone) return;
    this.#isStale = false;
    try {
      this.#accept(this.#tail, this.#tail.read());
    } catch (error) {
      if (hasRun(this.#options.id, this.#options.paths)) this.#fail(error);
      else this.#stop({ kind: 'removed' });
    }
  }

  #accept(tail: LogTail, read: TailRead): void {
    this.#add(read.lines);
    if (read.kind === 'lines' && tail.isInPlace()) {
      if (read.more) this.#expect();
      return;
    }
    if (!hasRun(this.#options.id, this.#options.paths)) this.#stop({ kind: 'removed' });
    else this.#reconcile(tail.readAgain());
  }

  #add(lines: readonly LogLine[]): void {
    for (const line of lines) this.ring.push(line);
    this.#next += lines.length;
    if (lines.length > 0) this.#woken += this.waiters.wake();
  }

  /** Goes back to the last line that is still there, and on from it. */
  #reconcile({ first, lines, intact, damage }: TailAgain): void {
    const keep = intact ? this.#next : findFirstOther(this.ring, first, lines);
    if (keep < this.#next) this.#rewind(keep);
    this.#add(lines.slice(keep - first));
    if (damage !== null) this.#stop({ kind: 'damaged', damage });
    else this.#expect();
  }

  #rewind(offset: number): void {
    this.ring.cut(offset);
    this.live.clear();
    this.#next = offset;
    for (const follower of this.#followers) follower.rewind(offset);
    this.waiters.wake();
  }

  #fail(error: unknown): void {
    this.#failure = error;
    this.#release();
  }

  #stop(end: FeedEnd): void {
    this.#end = end;
    this.#release();
  }

  #release(): void {
    clearTimeout(this.#timer);
    this.#watch?.stop();
    this.#tail?.close();
    this.waiters.wake();
    // Where lines may have come since the last look, what was published may be in them.
    const isCurrent = this.#end?.kind === 'closed' && !this.#isStale;
    this.#options.onEnd(isCurrent ? this.live.listFor(this.#next) : []);
  }
}

/** Where the log ends, as its outline says. */
function openTail(log: string, { last, chain }: FolderOutline): LogTail | null {
  if (last === undefined) return null;
  const { segment, head } = last;
  const before = segment.first === 0 ? CHAIN_START : { seq: head.first, prev: head.prev, run: chain.run };
  return new LogTail({ log, segment: segment.name, before, chain, position: head.bytes });
}

/**
 * The first offset where a segment is not as it was read before; `lines` are those it has now, from offset `first` on. The
 * oldest line that is held says by its `prev` whether all before it are as they were; where it is not held, nothing does.
 */
function findFirstOther(ring: LineRing, first: number, lines: readonly LogLine[]): number {
  const { first: oldest } = ring;
  if (oldest === null) return first;
  if (oldest > first && !isFollowedBy(lines[oldest - 1 - first], ring.at(oldest))) return first;
  let offset = Math.max(oldest, first);
  while (isSame(lines[offset - first], ring.at(offset))) offset += 1;
  return offset;
}

function isFollowedBy(line: LogLine | undefined, next: LogLine | null): boolean {
  if (line === undefined || next === null) return false;
  const event = parseLine(Buffer.from(next.bytes).toString('utf8'));
  return typeof event !== 'string' && event.prev === sha256(line.bytes);
}

function isSame(line: LogLine | undefined, held: LogLine | null): boolean {
  return line !== undefined && held !== null && Buffer.compare(line.bytes, held.bytes) === 0;
}
