/** What following costs the writer, and how soon a follower has what was written. */
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isRefusal, type RunId } from '@ramet/core';
import { type FeedItem, type Feeds, openFeeds } from '@ramet/runtime/follow';
import type { FileStore, OwnedLog } from '@ramet/runtime/store';
import { type Area, draftTurn, makeSession, openStore } from './area.ts';
import { measurePair, type Row } from './measure.ts';

const FOLLOWERS = 1000;
const STANDING = 10;
const APPENDS = 300;
const ROUNDS = 9;
const NEAR = 50;

/** A writer with and without followers in its own process, then the way of one append to fifty of them. */
export async function measureFollowing(area: Area): Promise<readonly Row[]> {
  const store = openStore(join(area.folder, 'follow'));
  const feeds = openFeeds(store);
  const alone = await ownNew(store);
  const followed = await ownNew(store);
  const near = await ownNew(store);
  const before = measureMemory();
  for (let index = 0; index < FOLLOWERS; index += 1) {
    const following = await startFollowing(feeds, followed.id);
    if (index < STANDING) await following.next();
    else void readAll(following, () => {});
  }
  const writing = await measurePair({
    name: `append 1 event, durable, p99 of ${APPENDS}, ${FOLLOWERS} followers`,
    floor: 'the same without followers',
    rounds: ROUNDS,
    subject: () => measureAppends(followed),
    base: () => measureAppends(alone),
    target: { ratio: 1.1 },
    note: () => `${(measureMemory() - before).toFixed(0)} MB more than before they followed (aim: 50)`,
  });
  const delivery = await measureDelivery(feeds, near);
  feeds.close();
  for (const log of [alone, followed, near]) log.close();
  return [writing, delivery];
}

async function ownNew(store: FileStore): Promise<OwnedLog> {
  const log = await store.own(await makeSession(store, 5));
  if (isRefusal(log)) throw new Error(log.message);
  return log;
}

async function startFollowing(feeds: Feeds, id: RunId): Promise<AsyncIterableIterator<FeedItem, undefined>> {
  const following = await feeds.follow(id);
  if (isRefusal(following)) throw new Error(following.message);
  return following;
}

async function readAll(following: AsyncIterable<FeedItem>, onLine: (offset: number) => void): Promise<void> {
  for await (const item of following) if (item.kind === 'line') onLine(item.offset);
}

async function measureAppends(log: OwnedLog): Promise<number> {
  const [draft] = draftTurn(2000);
  if (draft === undefined) throw new Error('a turn has a message');
  const times: number[] = [];
  for (let index = 0; index < APPENDS; index += 1) {
    const started = performance.now();
    await log.append([draft], { durable: true });
    times.push(performance.now() - started);
  }
  return percentile99(times);
}

/** From the moment the append has returned. */
async function measureDelivery(feeds: Feeds, log: OwnedLog): Promise<Row> {
  let arrived = 0;
  let onAll = (): void => {};
  for (let index = 0; index < NEAR; index += 1) {
    const following = await startFollowing(feeds, log.id);
    void readAll(following, (offset) => {
      arrived += offset === log.next - 1 ? 1 : 0;
      if (arrived === NEAR) onAll();
    });
  }
  const [draft] = draftTurn(2000);
  const deliverOnce = async (): Promise<number> => {
    arrived = 0;
    const all = new Promise<void>((resolve) => {
      onAll = resolve;
    });
    await log.append(draft === undefined ? [] : [draft], { durable: true });
    const appended = performance.now();
    await all;
    return performance.now() - appended;
  };
  return measurePair({
    name: `from an append to the last of ${NEAR} followers, p99 of 100`,
    floor: 'an append',
    rounds: ROUNDS,
    subject: async () => {
      const times: number[] = [];
      for (let index = 0; index < 100; index += 1) times.push(await deliverOnce());
      return percentile99(times);
    },
    base: () => measureAppends(log),
    target: { ms: 20 },
  });
}

function percentile99(times: readonly number[]): number {
  return [...times].sort((one, other) => one - other)[Math.floor(times.length * 0.99) - 1] ?? Number.NaN;
}

/** What the process holds, in MB, without what is to be collected. */
function measureMemory(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1024 / 1024;
}
