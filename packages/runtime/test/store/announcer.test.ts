import type { EventDraft } from '@ramet/core';
import { buildTurn } from '@ramet/testkit';
import { ownOf } from '@ramet/testkit/store-contract';
import { expect, it } from 'vitest';
import { FIRST, makeHome, makeSession, openTestStore, readLog } from './helpers.ts';

it('a store tells what this process does to a run, when it is done, until it is asked to stop', async () => {
  const store = openTestStore(makeHome());
  const heard: string[] = [];
  const stop = store.subscribe(({ kind, id }) => heard.push(`${kind} ${id === FIRST}`));
  await makeSession(store, 1);
  expect(heard).toEqual(['placed true', 'owned true', 'released true']);
  const owner = await ownOf(store, FIRST);
  let bytes = 0;
  const stopToo = store.subscribe(({ kind }) => {
    if (kind === 'appended') bytes = readLog(store).length;
  });
  await owner.append(buildTurn({}, 2), { durable: true });
  expect(bytes).toBe(readLog(store).length);
  owner.close();
  stopToo();
  await store.remove(FIRST);
  expect(heard.slice(3)).toEqual(['owned true', 'appended true', 'released true', 'removed true']);
  stop();
  await makeSession(store, 1);
  expect(heard).toHaveLength(7);
});

it('a run that was not appended to, not owned or not placed is not spoken of', async () => {
  const store = openTestStore(makeHome());
  await makeSession(store, 1);
  const heard: string[] = [];
  store.subscribe(({ kind }) => heard.push(kind));
  const owner = await ownOf(store, FIRST);
  const tooLarge: EventDraft = { type: 'session.title', title: 'x'.repeat(2 ** 21), node: 'x'.repeat(2 ** 21) };
  await expect(owner.append([tooLarge], { durable: true })).rejects.toMatchObject({ code: 'event_too_large' });
  owner.close();
  await expect(owner.append(buildTurn({}, 2), { durable: true })).rejects.toThrow();
  store.stage(FIRST).discard();
  expect(heard).toEqual(['owned', 'released']);
});
