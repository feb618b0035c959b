import type { FeedItem, Feeds } from '@ramet/runtime/follow';
import type { FileStore } from '@ramet/runtime/store';
import { buildTurn, makeTestId } from '@ramet/testkit';
import { ownOf } from '@ramet/testkit/store-contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { FIRST, makeHome, makeSession, openTestStore } from '../store/helpers.ts';
import { countLines, type Following, follow, nextItem, openTestFeeds, takeLines } from './helpers.ts';

let store: FileStore;
let feeds: Feeds;
let following: Following;
let known: number;

beforeEach(async () => {
  store = openTestStore(makeHome());
  await makeSession(store, 2);
  feeds = openTestFeeds(store, { liveItems: 3 });
  known = countLines(store, FIRST);
  following = await follow(feeds, FIRST, { from: known });
});

function show(item: FeedItem): unknown {
  return item.kind === 'live' ? [item.next, item.number, JSON.parse(Buffer.from(item.bytes).toString())] : item.kind;
}

describe('what is live', () => {
  it('reaches those who stand at the end, in its place between the lines', async () => {
    feeds.publish(FIRST, { text: 'a' });
    feeds.publish(FIRST, { text: 'b' });
    expect(show(await nextItem(following))).toEqual([known, 0, { text: 'a' }]);
    const owner = await ownOf(store, FIRST);
    await owner.append(buildTurn({}, 3), { durable: false });
    feeds.publish(FIRST, { text: 'c' });
    expect(show(await nextItem(following))).toEqual([known, 1, { text: 'b' }]);
    await takeLines(following, known, owner.next - 1);
    expect(show(await nextItem(following))).toEqual([owner.next, 0, { text: 'c' }]);
    owner.close();
  });

  it('reaches one who joins, as far as it came after the last line', async () => {
    feeds.publish(FIRST, 1);
    const owner = await ownOf(store, FIRST);
    await owner.append(buildTurn({}, 3), { durable: false });
    feeds.publish(FIRST, 2);
    const late = await follow(feeds, FIRST, { from: known });
    await takeLines(late, known, owner.next - 1);
    expect(show(await nextItem(late))).toEqual([owner.next, 0, 2]);
    owner.close();
  });

  it('is dropped for one who is slow, who can tell', async () => {
    for (let number = 0; number < 10; number += 1) feeds.publish(FIRST, number);
    expect(show(await nextItem(following))).toEqual([known, 7, 7]);
    expect(show(await nextItem(following))).toEqual([known, 8, 8]);
  });

  it('too large to be held is dropped alone', async () => {
    feeds.publish(FIRST, 'x'.repeat(300 * 1024));
    feeds.publish(FIRST, 'after');
    expect(show(await nextItem(following))).toEqual([known, 1, 'after']);
  });

  it('of a run nobody follows is told to who comes before the next line', async () => {
    await following.return?.();
    const owner = await ownOf(store, FIRST);
    feeds.publish(FIRST, 'gone');
    await owner.append(buildTurn({}, 3), { durable: false });
    feeds.publish(FIRST, 'one');
    feeds.publish(FIRST, 'two');
    const late = await follow(feeds, FIRST, { from: owner.next });
    expect(show(await nextItem(late))).toEqual([owner.next, 0, 'one']);
    feeds.publish(FIRST, 'three');
    expect(show(await nextItem(late))).toEqual([owner.next, 1, 'two']);
    await late.return?.();
    const later = await follow(feeds, FIRST, { from: owner.next });
    for (const [number, text] of ['one', 'two', 'three'].entries()) {
      expect(show(await nextItem(later))).toEqual([owner.next, number, text]);
    }
    owner.close();
  });

  it('of a run that was never there goes nowhere', () => {
    expect(() => feeds.publish(makeTestId(77), { text: 'x' })).not.toThrow();
  });
});
