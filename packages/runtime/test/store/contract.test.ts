import { openFileStore, openMemoryStore } from '@ramet/runtime/store';
import { auditStore } from '@ramet/testkit';
import { describeStore } from '@ramet/testkit/store-contract';
import { afterEach, expect } from 'vitest';
import { makeHome } from './helpers.ts';

let now = Date.UTC(2030, 0, 1);
const clock = (): number => now++;
const homes: string[] = [];

function freshHome(): string {
  const home = makeHome();
  homes.push(home);
  return home;
}

afterEach(() => {
  for (const home of homes.splice(0)) expect(auditStore(home)).toEqual([]);
});

describeStore('the memory store', () => openMemoryStore({ now: clock }));
describeStore('the file store', () => openFileStore({ home: freshHome(), now: clock }));
describeStore('the file store with tiny segments', () =>
  openFileStore({ home: freshHome(), now: clock, sealBytes: 400 }),
);
