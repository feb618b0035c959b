import { randomBytes } from 'node:crypto';
import { isRefusal, makeRunId, type RunId } from '@ramet/core';
import { forkSession } from '@ramet/runtime/fork';
import { listAllRuns } from '@ramet/runtime/inspect';
import { setTitle } from '@ramet/runtime/runs';
import { openFileStore } from '@ramet/runtime/store';
import { makeSessionHarness, type SessionHarness } from '@ramet/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keepDetails } from '../../src/handlers/rows.ts';
import { Summaries } from '../../src/handlers/summaries.ts';

let h: SessionHarness;
let nowMs: number;
let summaries: Summaries;
let session: RunId;

beforeEach(async () => {
  // Small segments, so that forks share some.
  h = makeSessionHarness({ sealBytes: 2000 });
  session = (await h.turn(null, 'echo one > one.txt')).session;
  await h.turn(session, 'echo two > two.txt');
  nowMs = 0;
  summaries = new Summaries(h.store, () => nowMs);
});

afterEach(() => {
  summaries.rest();
  h.remove();
});

/** Another process: its store tells this one nothing. */
function openElsewhere() {
  const store = openFileStore({ home: h.home, now: Date.now });
  const makeId = () => makeRunId(Date.now(), randomBytes(10));
  return { store, fork: (source: RunId) => forkSession({ store, makeId }, source, {}) };
}

describe('kept summaries', () => {
  it('are the very same while nothing changed, and what a list reads', () => {
    const first = summaries.list();
    expect(first).toEqual(listAllRuns(h.store));
    nowMs += 1000;
    expect(summaries.list()).toBe(first);
  });

  it('hold what this process did in the very next answer', async () => {
    summaries.list();
    const acts: (() => Promise<unknown>)[] = [
      () => h.fork(session, 1),
      () => h.turn(session, 'echo three > three.txt'),
      () => setTitle(h.store, session, 'another title'),
      async () => h.turn(await h.fork(session, 2), 'echo four > four.txt'),
      async () => h.store.remove(await h.fork(session, 1)),
      () => h.store.remove(session),
    ];
    for (const act of acts) {
      await act();
      expect(summaries.list()).toEqual(listAllRuns(h.store));
    }
  });

  it('hold what another process did at the next look', async () => {
    const other = openElsewhere();
    const child = await other.fork(session);
    if (isRefusal(child) || child.session === null) throw new Error('no fork');
    summaries.list();
    const acts: (() => Promise<unknown>)[] = [
      () => setTitle(other.store, session, 'from elsewhere'),
      () => other.fork(session),
      () => other.store.remove(child.session as RunId),
    ];
    for (const act of acts) {
      await act();
      nowMs += 100;
      expect(summaries.list()).toEqual(listAllRuns(h.store));
    }
  });

  it('say whether another process owns a run, also after it let go', async () => {
    summaries.list();
    const owned = await openElsewhere().store.own(session);
    if (isRefusal(owned)) throw new Error(owned.message);
    nowMs += 100;
    expect(summaries.find(session)).toMatchObject({ state: 'running', owner: { self: false } });
    owned.close();
    nowMs += 100;
    expect(summaries.find(session)?.state).toBe('idle');
  });

  it('are looked after for at most a tenth of the time, however long a look takes', async () => {
    let looks = 0;
    const listRuns = (): readonly RunId[] => {
      looks += 1;
      nowMs += 50;
      return h.store.listRuns();
    };
    const slow = new Summaries({ ...h.store, listRuns }, () => nowMs);
    slow.list();
    for (const [wait, expected] of [
      [449, 1],
      [1, 2],
      [450, 3],
    ] as const) {
      nowMs += wait;
      slow.list();
      expect(looks).toBe(expected);
    }
    const child = await openElsewhere().fork(session);
    if (isRefusal(child) || child.session === null) throw new Error('no fork');
    expect(slow.find(child.session)?.id).toBe(child.session);
    slow.rest();
  });

  it('are of this moment where one run is asked about', async () => {
    const before = summaries.find(session);
    expect(summaries.find(session)).toBe(before);
    await setTitle(openElsewhere().store, session, 'from elsewhere');
    expect(summaries.find(session)?.title).toBe('from elsewhere');
    expect(summaries.find(makeRunId(0, new Uint8Array(10)))).toBeNull();
  });
});

describe('details', () => {
  it('are made once for a row, anew for another, and are not kept without end', () => {
    let made = 0;
    const detailOf = keepDetails(() => {
      made += 1;
      return made;
    });
    const [row] = summaries.list();
    if (row === undefined) throw new Error('no row');
    expect([detailOf(row), detailOf(row), detailOf({ ...row })]).toEqual([1, 1, 2]);
    for (let count = 0; count < 100; count += 1) detailOf({ ...row, id: makeRunId(count, new Uint8Array(10)) });
    expect(detailOf({ ...row })).toBe(103);
  });
});
