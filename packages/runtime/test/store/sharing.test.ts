/** A run is shared by whoever verifies or forks it while its owner, in the same process, lets go of it. */
import { auditStore } from '@ramet/testkit';
import { ownOf, shareOf } from '@ramet/testkit/store-contract';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { FileStore } from '../../src/store/index.ts';
import { FIRST, makeHome, makeSession, openTestStore } from './helpers.ts';

let home: string;
let store: FileStore;

beforeEach(async () => {
  home = makeHome();
  store = openTestStore(home, 2_000);
  await makeSession(store, 4);
});

afterEach(() => {
  expect(auditStore(home)).toEqual([]);
});

it('shares a run whose owner lets go of it at that very moment', async () => {
  const owner = await ownOf(store, FIRST);
  const sharing = shareOf(store, FIRST);
  owner.close();
  const log = await sharing;
  expect(log.readOutline().damage).toBeNull();
  log.close();
});
