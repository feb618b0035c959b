import { setImmediate as turn } from 'node:timers/promises';
import { isRefusal } from '@ramet/core';
import type { Feeds } from '@ramet/runtime/follow';
import type { FileStore } from '@ramet/runtime/store';
import { buildTurn, makeTestId } from '@ramet/testkit';
import { ownOf } from '@ramet/testkit/store-contract';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FIRST, makeHome, makeSession, openTestStore, readLog } from '../store/helpers.ts';
import { endActors, returnActors, takeActor } from '../store/processes.ts';
import { countLines, follow, nextItem, openTestFeeds, restOf, takeLines } from './helpers.ts';

let home: string;
let store: FileStore;
let feeds: Feeds;

beforeEach(async () => {
  home = makeHome();
  store = openTestStore(home, 2_000);
  await makeSession(store, 6);
  feeds = openTestFeeds(store);
});
afterEach(() => returnActors({ home, id: FIRST }));
afterAll(endActors);

/** Appends turns and answers how many lines there are then. */
async function appendTurns(from: number, count: number): Promise<number> {
  const owner = await ownOf(store, FIRST);
  for (let number = from; number < from + count; number += 1) {
    await owner.append(buildTurn({}, number), { durable: number % 2 === 0 });
  }
  const { next } = owner;
  owner.close();
  return next;
}

describe('a follower', () => {
  it('gets exactly the rest of the log, from any offset', async () => {
    const lines = countLines(store, FIRST);
    for (let from = 0; from < lines; from += 1) {
      const following = await follow(feeds, FIRST, { from });
      expect(await takeLines(following, from, lines - 1)).toEqual(restOf(store, FIRST, from));
      await following.return?.();
    }
  });

  it('gets what its own process appends, across the segments that are sealed meanwhile', async () => {
    const following = await follow(feeds, FIRST);
    const before = countLines(store, FIRST);
    await takeLines(following, 0, before - 1);
    const after = await appendTurns(7, 20);
    expect(await takeLines(following, before, after - 1)).toEqual(restOf(store, FIRST, before));
  });

  it('gets what is appended while it reads', async () => {
    const following = await follow(feeds, FIRST);
    const appending = appendTurns(7, 40);
    const first = countLines(store, FIRST);
    const seen = [await takeLines(following, 0, first - 1)];
    const after = await appending;
    seen.push(await takeLines(following, first, after - 1));
    expect(Buffer.concat(seen)).toEqual(readLog(store));
  });

  it.each([true, false])('gets what another process appends (told by the system: %s)', async (watch) => {
    const watching = openTestFeeds(store, { watch });
    const following = await follow(watching, FIRST);
    let known = countLines(store, FIRST);
    await takeLines(following, 0, known - 1);
    const actor = takeActor();
    for (let round = 0; round < 5; round += 1) {
      const next = nextItem(following);
      expect(await actor.tell({ home, id: FIRST, act: 'own and append' })).toEqual({ repaired: false });
      expect(await next).toMatchObject({ kind: 'line', offset: known });
      const lines = countLines(store, FIRST);
      expect(await takeLines(following, known + 1, lines - 1)).toEqual(restOf(store, FIRST, known + 1));
      known = lines;
    }
  });

  it('goes on when the run changes hands between processes', async () => {
    const following = await follow(feeds, FIRST);
    const actor = takeActor();
    await appendTurns(7, 2);
    await actor.tell({ home, id: FIRST, act: 'own and append' });
    await appendTurns(9, 2);
    await actor.tell({ home, id: FIRST, act: 'own and append' });
    const lines = countLines(store, FIRST);
    expect(await takeLines(following, 0, lines - 1)).toEqual(readLog(store));
  });

  it('that stands still gets everything later, from the disk, and holds up nobody', async () => {
    const small = openTestFeeds(store, { ringBytes: 3_000 });
    const still = await Promise.all(Array.from({ length: 100 }, () => follow(small, FIRST)));
    const quick = await Promise.all(Array.from({ length: 100 }, () => follow(small, FIRST)));
    const before = countLines(store, FIRST);
    const reading = quick.map((following) => takeLines(following, 0, before + 20 * 4));
    await appendTurns(7, 40);
    const log = readLog(store);
    for (const bytes of await Promise.all(reading)) expect(log.subarray(0, bytes.length)).toEqual(bytes);
    const lines = countLines(store, FIRST);
    for (const following of still.slice(0, 10)) expect(await takeLines(following, 0, lines - 1)).toEqual(log);
  });

  it('answers calls that are made before the first is answered in their order', async () => {
    const following = await follow(feeds, FIRST);
    const items = await Promise.all([following.next(), following.next(), following.next()]);
    expect(items.map(({ value }) => value)).toMatchObject([{ offset: 0 }, { offset: 1 }, { offset: 2 }]);
  });

  it('of a run there is not, or from no offset, is refused', async () => {
    const refused = await feeds.follow(makeTestId(99));
    expect(isRefusal(refused) && refused.code).toBe('unknown_run');
    for (const from of [-1, 0.5, Number.NaN]) {
      expect(await feeds.follow(FIRST, { from })).toMatchObject({ code: 'bad_input' });
    }
  });
});

describe('a following ends', () => {
  it('with the signal, also while it waits, and without a word', async () => {
    const abort = new AbortController();
    const following = await follow(feeds, FIRST, { from: countLines(store, FIRST), signal: abort.signal });
    const waiting = following.next();
    await turn();
    abort.abort();
    expect(await waiting).toEqual({ done: true, value: undefined });
    const late = await follow(feeds, FIRST, { signal: abort.signal });
    expect(await late.next()).toEqual({ done: true, value: undefined });
  });

  it('with return, and leaves others as they are', async () => {
    const [one, other] = [await follow(feeds, FIRST), await follow(feeds, FIRST)];
    await nextItem(one);
    await one.return?.();
    expect(await one.next()).toEqual({ done: true, value: undefined });
    expect(await takeLines(other, 0, countLines(store, FIRST) - 1)).toEqual(readLog(store));
  });

  it('when the feeds are closed, and says so', async () => {
    const following = await follow(feeds, FIRST, { from: countLines(store, FIRST) });
    const waiting = following.next();
    feeds.close();
    expect((await waiting).value).toEqual({ kind: 'end', reason: { kind: 'closed' } });
    expect((await following.next()).done).toBe(true);
    await expect(feeds.follow(FIRST)).rejects.toMatchObject({ code: 'interrupted' });
  });

  it('when this process removes the run, and says so', async () => {
    const following = await follow(feeds, FIRST, { from: countLines(store, FIRST) });
    const waiting = following.next();
    await store.remove(FIRST);
    expect((await waiting).value).toEqual({ kind: 'end', reason: { kind: 'removed' } });
    expect(isRefusal(await feeds.follow(FIRST))).toBe(true);
  });

  it.each([true, false])('when another process removes the run (told by the system: %s)', async (watch) => {
    const following = await follow(openTestFeeds(store, { watch }), FIRST, { from: countLines(store, FIRST) });
    const waiting = following.next();
    expect(await takeActor().tell({ home, id: FIRST, act: 'remove' })).toBe('done');
    expect((await waiting).value).toEqual({ kind: 'end', reason: { kind: 'removed' } });
  });

  it('early for one that stood behind what was held when the run was removed', async () => {
    const following = await follow(openTestFeeds(store, { ringBytes: 100 }), FIRST);
    await takeLines(following, 0, 0);
    await store.remove(FIRST);
    let item = await nextItem(following);
    while (item.kind === 'line') item = await nextItem(following);
    expect(item).toEqual({ kind: 'end', reason: { kind: 'removed' } });
  });
});
