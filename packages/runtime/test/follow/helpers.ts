import { isRefusal, type RunId } from '@ramet/core';
import { type FeedItem, type Feeds, type FollowOptions, openFeeds } from '@ramet/runtime/follow';
import type { FileStore } from '@ramet/runtime/store';
import { onTestFinished } from 'vitest';
import type { FeedSettings } from '../../src/follow/index.ts';
import { readLog } from '../store/helpers.ts';

export type Following = AsyncIterableIterator<FeedItem, undefined>;

/** Feeds that end with the test and look often. */
export function openTestFeeds(store: FileStore, settings: Partial<FeedSettings> = {}): Feeds {
  const feeds = openFeeds(store, { pollMs: 20, slowPollMs: 100, ...settings });
  onTestFinished(() => feeds.close());
  return feeds;
}

export async function follow(feeds: Feeds, id: RunId, options: FollowOptions = {}): Promise<Following> {
  const following = await feeds.follow(id, options);
  if (isRefusal(following)) throw new Error(following.message);
  return following;
}

/** The next item; a test that waits for one that never comes times out. */
export async function nextItem(following: Following): Promise<FeedItem> {
  const { done, value } = await following.next();
  if (done === true || value === undefined) throw new Error('the following is over');
  return value;
}

/** Takes lines from an offset through another, and answers their bytes; anything else, a gap or a repeat throws. */
export async function takeLines(following: Following, from: number, through: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for (let offset = from; offset <= through; offset += 1) {
    const item = await nextItem(following);
    if (item.kind !== 'line' || item.offset !== offset)
      throw new Error(`${JSON.stringify(item)} is not line ${offset}`);
    pieces.push(item.bytes, Buffer.from('\n'));
  }
  return Buffer.concat(pieces);
}

/** The log on the disk from a line on. */
export function restOf(store: FileStore, id: RunId, from: number): Buffer {
  const lines = readLog(store, id).toString('latin1').split('\n').slice(from);
  return Buffer.from(lines.join('\n'), 'latin1');
}

/** How many lines the log on the disk has. */
export function countLines(store: FileStore, id: RunId): number {
  return readLog(store, id).toString('latin1').split('\n').length - 1;
}
