import type { RunId } from '@ramet/core';
import type { RunChange } from '@ramet/runtime/follow';
import type { FileStore } from '@ramet/runtime/store';
import { buildTurn, makeTestId } from '@ramet/testkit';
import { ownOf } from '@ramet/testkit/store-contract';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FIRST, makeHome, makeSession, openTestStore, SECOND } from '../store/helpers.ts';
import { endActors, returnActors, takeActor } from '../store/processes.ts';
import { openTestFeeds } from './helpers.ts';

let home: string;
let store: FileStore;

beforeEach(async () => {
  home = makeHome();
  store = openTestStore(home);
  await makeSession(store, 2);
});
afterEach(() => returnActors({ home, id: FIRST }));
afterAll(endActors);

type Changes = AsyncIterableIterator<RunChange, undefined>;

/** Waits for a change, passing over others. */
async function waitFor(changes: Changes, kind: RunChange['kind'], id?: RunId): Promise<RunId> {
  for await (const change of changes) {
    if (change.kind === kind && (id === undefined || change.id === id)) return change.id;
  }
  throw new Error('the changes are over');
}

/** Without `for await`, which would end them. */
function keepOpen(changes: Changes): Changes {
  return { next: () => changes.next(), [Symbol.asyncIterator]: () => keepOpen(changes) };
}

describe('changes of a store', () => {
  it('tell of runs this process makes, appends to and removes', async () => {
    const changes = keepOpen(openTestFeeds(store).changes());
    await makeSession(store, 1, SECOND);
    await waitFor(changes, 'changed', SECOND);
    const owner = await ownOf(store, FIRST);
    await owner.append(buildTurn({}, 3), { durable: false });
    await waitFor(changes, 'changed', FIRST);
    owner.close();
    await store.remove(SECOND);
    await waitFor(changes, 'removed', SECOND);
  });

  it.each([true, false])('tell of what other processes do (told by the system: %s)', async (watch) => {
    const changes = keepOpen(openTestFeeds(store, { watch }).changes());
    const actor = takeActor();
    const forked = (await actor.tell({ home, id: FIRST, act: 'fork' })) as { session: RunId };
    await waitFor(changes, 'changed', forked.session);
    await actor.tell({ home, id: FIRST, act: 'own and append' });
    await waitFor(changes, 'changed', FIRST);
    await actor.tell({ home, id: forked.session, act: 'remove' });
    await waitFor(changes, 'removed', forked.session);
  });

  it('tell of a run that another process owned before, and of its being let go', async () => {
    const actor = takeActor();
    await actor.tell({ home, id: FIRST, act: 'own' });
    const changes = keepOpen(openTestFeeds(store).changes());
    // Its owner is looked for behind the first answer.
    await makeSession(store, 1, SECOND);
    await waitFor(changes, 'changed', SECOND);
    await actor.tell({ home, id: FIRST, act: 'close' });
    await waitFor(changes, 'changed', FIRST);
  });

  it('tell one who does not listen for a while each run once', async () => {
    const feeds = openTestFeeds(store);
    const slow = keepOpen(feeds.changes());
    const quick = keepOpen(feeds.changes());
    const owner = await ownOf(store, FIRST);
    for (let number = 3; number < 6; number += 1) {
      await owner.append(buildTurn({}, number), { durable: false });
      await waitFor(quick, 'changed', FIRST);
    }
    owner.close();
    await makeSession(store, 1, SECOND);
    await waitFor(quick, 'changed', SECOND);
    expect([(await slow.next()).value, (await slow.next()).value].map((change) => change?.id)).toEqual([FIRST, SECOND]);
  });

  it('end with the signal and with the feeds', async () => {
    const feeds = openTestFeeds(store);
    const abort = new AbortController();
    const waiting = feeds.changes(abort.signal).next();
    abort.abort();
    expect((await waiting).done).toBe(true);
    const other = feeds.changes().next();
    feeds.close();
    expect((await other).done).toBe(true);
  });

  it('of a store without a folder begin when it is there', async () => {
    const empty = openTestStore(makeHome());
    const changes = keepOpen(openTestFeeds(empty).changes());
    const id = makeTestId(5);
    await makeSession(empty, 1, id);
    await waitFor(changes, 'changed', id);
  });
});
