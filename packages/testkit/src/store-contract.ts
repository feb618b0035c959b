/**
 * What every store of runs must do, as a suite: run it against each implementation.
 *
 * 1. It uses nothing but the `RunStore` interface and `forkSession`.
 * 2. It knows no path and no durability: those are each store's own tests.
 */
import type { EventDraft, RunId } from '@ramet/core';
import { forkSession } from '@ramet/runtime/fork';
import { describe, expect, it } from 'vitest';
import { buildSession, buildTurn, makeTestId } from './log-builders.ts';
import {
  bytesOf,
  codeOf,
  commitSession,
  countIds,
  FIRST,
  type OpenStore,
  ownOf,
  SECOND,
  shareOf,
} from './store-acts.ts';
import { describeForks, describeKeys, describePayloads } from './store-contract-forks.ts';
import { describeRuns } from './store-contract-runs.ts';

export { bytesOf, countIds, expectDone, type OpenStore, ownOf, shareOf } from './store-acts.ts';

/** Runs the contract suite against a store. */
export function describeStore(name: string, openStore: OpenStore): void {
  describe(`${name} as a store of runs`, () => {
    describeStaging(openStore);
    describeOwning(openStore);
    describeReading(openStore);
    describeForks(openStore);
    describePayloads(openStore);
    describeKeys(openStore);
    describeRuns(openStore);
    describeRemoval(openStore);
  });
}

function describeStaging(openStore: OpenStore): void {
  describe('staging', () => {
    it('shows a staged run to nobody before it is committed', async () => {
      const store = openStore();
      const staged = store.stage(FIRST);
      staged.append(buildSession({ id: FIRST, turns: [{}] }));
      expect(store.listRuns()).toEqual([]);
      expect(store.read(FIRST)).toBeNull();
      expect(codeOf(await store.own(FIRST))).toBe('unknown_run');
      expect(store.isStaged(FIRST)).toBe(true);
      await staged.commit();
      expect(store.listRuns()).toEqual([FIRST]);
      expect(store.isStaged(FIRST)).toBe(false);
    });

    it('keeps nothing of a discarded run', async () => {
      const store = openStore();
      const staged = store.stage(FIRST);
      staged.append(buildSession({ id: FIRST, turns: [] }));
      staged.discard();
      staged.discard();
      expect(store.isStaged(FIRST)).toBe(false);
      expect(store.read(FIRST)).toBeNull();
      await commitSession(store, FIRST);
      expect(store.listRuns()).toEqual([FIRST]);
    });

    it('keeps nothing of a run whose last step before the commit fails', async () => {
      const store = openStore();
      const staged = store.stage(FIRST);
      staged.append(buildSession({ id: FIRST, turns: [] }));
      const failing = staged.commit(() => {
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
      expect(store.listRuns()).toEqual([]);
      expect(store.isStaged(FIRST)).toBe(false);
    });

    it('does not build one run twice at once', () => {
      const store = openStore();
      const staged = store.stage(FIRST);
      expect(() => store.stage(FIRST)).toThrow(expect.objectContaining({ code: 'owned_elsewhere' }));
      staged.discard();
    });

    it('does not put a run in the place of another', async () => {
      const store = openStore();
      await commitSession(store, FIRST);
      const before = bytesOf(store, FIRST);
      const staged = store.stage(FIRST);
      staged.append(buildSession({ id: FIRST, turns: [{}, {}, {}] }));
      await expect(staged.commit()).rejects.toThrow();
      expect(bytesOf(store, FIRST)).toEqual(before);
    });

    it('refuses a name that is no run id', () => {
      const store = openStore();
      for (const name of ['../x', '', '.', 'a/b', makeTestId(0xabc).toUpperCase(), `${FIRST}/..`, 'x'.repeat(10_000)]) {
        expect(() => store.stage(name as RunId)).toThrow('a run is named by a run id');
        expect(store.read(name as RunId)).toBeNull();
      }
    });
  });
}

function describeOwning(openStore: OpenStore): void {
  describe('owning', () => {
    it('appends where the last owner ended', async () => {
      const store = openStore();
      await commitSession(store, FIRST, 1);
      const first = await ownOf(store, FIRST);
      const start = first.next;
      const events = await first.append(buildTurn({}, 2), { durable: true });
      expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => start + index));
      first.close();
      const second = await ownOf(store, FIRST);
      expect(second.next).toBe(start + events.length);
      expect(second.repaired).toBe(false);
      await second.append(buildTurn({}, 3), { durable: false });
      second.close();
      expect([...(store.read(FIRST)?.readEvents() ?? [])].map((event) => event.seq)).toEqual(
        Array.from({ length: start + 2 * events.length }, (_, index) => index),
      );
    });

    it('has one owner at a time', async () => {
      const store = openStore();
      await commitSession(store, FIRST);
      const owner = await ownOf(store, FIRST);
      const refusal = await store.own(FIRST);
      expect(refusal).toMatchObject({ code: 'owned_elsewhere', data: { id: FIRST, owner: { self: true } } });
      expect(store.ownerOf(FIRST)).toMatchObject({ self: true, pid: process.pid });
      owner.close();
      owner.close();
      expect(store.ownerOf(FIRST)).toBeNull();
      (await ownOf(store, FIRST)).close();
    });

    it('appends nothing after it is closed', async () => {
      const store = openStore();
      await commitSession(store, FIRST);
      const before = bytesOf(store, FIRST);
      const owner = await ownOf(store, FIRST);
      owner.close();
      await expect(owner.append(buildTurn({}, 3), { durable: true })).rejects.toThrow('was closed');
      expect(bytesOf(store, FIRST)).toEqual(before);
    });

    it('serves appends in the order they are asked for', async () => {
      const store = openStore();
      await commitSession(store, FIRST, 1);
      const owner = await ownOf(store, FIRST);
      const titles = Array.from({ length: 20 }, (_, index) => `title ${index}`);
      const appends = titles.map((title, index) =>
        owner.append([{ type: 'session.title', title }], { durable: index % 3 === 0 }),
      );
      const events = (await Promise.all(appends)).flat();
      expect(events.map((event) => event.title)).toEqual(titles);
      owner.close();
      expect(store.read(FIRST)?.readOutline().damage).toBeNull();
    });

    it('appends nothing of a batch in which one event cannot be encoded', async () => {
      const store = openStore();
      await commitSession(store, FIRST, 1);
      const before = bytesOf(store, FIRST);
      const owner = await ownOf(store, FIRST);
      const good: EventDraft = { type: 'session.title', title: 'good' };
      const bad = { type: 'session.title' } as unknown as EventDraft;
      await expect(owner.append([good, bad], { durable: true })).rejects.toThrow('bug');
      expect(bytesOf(store, FIRST)).toEqual(before);
      await owner.append([good], { durable: true });
      owner.close();
      expect(store.read(FIRST)?.readOutline().damage).toBeNull();
    });

    it('does not append to a log of a newer schema', async () => {
      const store = openStore();
      const staged = store.stage(FIRST);
      staged.append(
        buildSession({ id: FIRST, turns: [{}] }).map((draft) =>
          draft.type === 'session.start' ? { ...draft, schema: 99 } : draft,
        ),
      );
      await staged.commit();
      expect(codeOf(await store.own(FIRST))).toBe('log_newer');
      expect(codeOf(await forkSession({ store, makeId: countIds() }, FIRST, {}))).toBe('log_newer');
      expect([...(store.read(FIRST)?.readEvents() ?? [])].length).toBeGreaterThan(0);
      expect(store.ownerOf(FIRST)).toBeNull();
    });
  });
}

function describeReading(openStore: OpenStore): void {
  describe('reading', () => {
    it('gives events and bytes of a range', async () => {
      const store = openStore();
      await commitSession(store, FIRST, 3);
      const all = [...(store.read(FIRST)?.readEvents() ?? [])];
      const some = [...(store.read(FIRST)?.readEvents({ from: 2, to: 5 }) ?? [])];
      expect(some).toEqual(all.slice(2, 6));
      const lines = [...(store.read(FIRST)?.readBytes({ from: 2, to: 5 }) ?? [])].map((line) =>
        Buffer.from(line).toString(),
      );
      expect(lines.map((line) => JSON.parse(line))).toEqual(some);
      expect(lines.every((line) => line.endsWith('\n'))).toBe(true);
      expect([...(store.read(FIRST)?.readEvents({ from: 1_000 }) ?? [])]).toEqual([]);
    });

    it('reads what an owner appended while it goes on', async () => {
      const store = openStore();
      await commitSession(store, FIRST, 1);
      const owner = await ownOf(store, FIRST);
      await owner.append([{ type: 'session.title', title: 'seen' }], { durable: false });
      const outline = store.read(FIRST)?.readOutline();
      expect(outline?.heads.at(-1)?.title?.title).toBe('seen');
      owner.close();
    });

    it('shares one log with many, and with no owner', async () => {
      const store = openStore();
      await commitSession(store, FIRST);
      const first = await shareOf(store, FIRST);
      const second = await shareOf(store, FIRST);
      expect(codeOf(await store.own(FIRST))).toBe('owned_elsewhere');
      expect(codeOf(await store.remove(FIRST))).toBe('owned_elsewhere');
      first.close();
      first.close();
      expect(codeOf(await store.own(FIRST))).toBe('owned_elsewhere');
      second.close();
      (await ownOf(store, FIRST)).close();
    });

    it('knows no run that is not there', async () => {
      const store = openStore();
      expect(store.read(FIRST)).toBeNull();
      expect(store.listRuns()).toEqual([]);
      expect(store.ownerOf(FIRST)).toBeNull();
      for (const answer of [await store.own(FIRST), await store.share(FIRST), await store.remove(FIRST)]) {
        expect(codeOf(answer)).toBe('unknown_run');
      }
    });
  });
}

function describeRemoval(openStore: OpenStore): void {
  describe('removal', () => {
    it('leaves nothing, and the id may be used again', async () => {
      const store = openStore();
      await commitSession(store, FIRST);
      await commitSession(store, SECOND);
      expect(await store.remove(FIRST)).toBeNull();
      expect(store.listRuns()).toEqual([SECOND]);
      expect(store.read(FIRST)).toBeNull();
      expect(codeOf(await store.remove(FIRST))).toBe('unknown_run');
      await commitSession(store, FIRST);
      expect([...store.listRuns()].sort()).toEqual([FIRST, SECOND]);
    });

    it('is refused while the run has an owner', async () => {
      const store = openStore();
      await commitSession(store, FIRST);
      const owner = await ownOf(store, FIRST);
      expect(codeOf(await store.remove(FIRST))).toBe('owned_elsewhere');
      await owner.append(buildTurn({}, 3), { durable: true });
      owner.close();
      expect(await store.remove(FIRST)).toBeNull();
    });
  });
}
