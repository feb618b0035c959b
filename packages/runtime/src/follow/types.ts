import type { RunId } from '@ramet/core';
import type { LogDamage } from '../store/index.ts';

/** One complete line of a log; the same for all who follow it. */
export interface LogLine {
  readonly kind: 'line';
  readonly offset: number;
  /** Without its newline. Shared by all who get it: never written to. */
  readonly bytes: Uint8Array;
}

/** What a follower gets, in the order of the log. */
export type FeedItem =
  | LogLine
  | LiveItem
  /**
   * What was delivered from this offset on is not in the log: an append failed and was cut back, or a machine crashed. Whoever
   * holds it drops it; the lines that follow begin at this offset.
   */
  | { readonly kind: 'rewind'; readonly offset: number }
  /** The last item. */
  | { readonly kind: 'end'; readonly reason: FeedEnd };

/** Something that is in no event: text as it streams, a command's output, a notice. */
export interface LiveItem {
  readonly kind: 'live';
  /** Where the log's next line went when it was published: it comes before the line of this offset. */
  readonly next: number;
  /** Its number among those published at that place, from 0: a gap tells of some that were dropped. */
  readonly number: number;
  /** JSON of what was published. */
  readonly bytes: Uint8Array;
}

/** Why nothing more comes. */
export type FeedEnd =
  | { readonly kind: 'removed' }
  /** Every line before the damage was delivered. */
  | { readonly kind: 'damaged'; readonly damage: LogDamage }
  /** The feeds were closed. */
  | { readonly kind: 'closed' };

export interface FollowOptions {
  /** Offset of the first line to deliver; absent: 0. One beyond the log is answered with a `rewind` to its end. */
  readonly from?: number;
  /** Ends the iteration without an `end`. */
  readonly signal?: AbortSignal;
}

/** A run appeared or changed, or is gone. Several changes at about one time are told once. */
export interface RunChange {
  readonly kind: 'changed' | 'removed';
  readonly id: RunId;
}

/** Limits and periods; tests make them small. */
export interface FeedSettings {
  /** Bytes of the newest lines that one feed holds for all its followers. */
  readonly ringBytes: number;
  /** Most live items and their bytes that a feed holds. */
  readonly liveItems: number;
  readonly liveBytes: number;
  /** Least time between two looks at one log. */
  readonly paceMs: number;
  /** Whether the operating system is asked to tell of changes to folders. */
  readonly watch: boolean;
  /** How often a folder is looked at that the system does not watch for us, and one that it does: it may miss some. */
  readonly pollMs: number;
  readonly slowPollMs: number;
}

export const DEFAULT_SETTINGS: FeedSettings = {
  ringBytes: 4 * 1024 * 1024,
  liveItems: 1024,
  liveBytes: 256 * 1024,
  paceMs: 5,
  watch: true,
  pollMs: 250,
  slowPollMs: 2000,
};
