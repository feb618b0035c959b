/**
 * What every store of runs must do, as a suite: run it against each implementation.
 *
 * 1. It uses nothing but the `RunStore` interface and `forkSession`.
 * 2. It knows no path and no durability: those are each store's own tests.
 */
import { type EventDraft, isRefusal, planFork, type RunId } from '@ramet/core';
import { forkSession } from '@ramet/runtime/fork';
import type { OwnedLog, RunStore, SharedLog } from '@ramet/runtime/store';
import { describe, expect, it } from 'vitest';
import { buildSession, buildTurn, makeTestId, sha256 } from './log-builders.ts';

/** Opens an empty store. */
export type OpenStore = () => RunStore;

/** Runs the contract suite against a store. */
export function describeStore(name: string, openStore: OpenStore): void {
  describe(`${name} as a store of runs`, () => {
    describeStaging(openStore);
    describeOwning(openStore);
    describeReading(openStore);
    describeForks(openStore);
    describePayloads(openStore);
    describeKeys(openStore);
    describeRemoval(openStore);
  });
}

const FIRST = makeTestId(1);
const SECOND = makeTestId(2);

/** Puts a session of some turns into a store. */
export async function commitSession(store: RunStore, id: RunId, turns = 2): Promise<void> {
  const staged = store.stage(id);
  staged.append(buildSession({ id, turns: Array.from({ length: turns }, () => ({})) }));
  await staged.commit();
}

/** Owns a run, or fails the test. */
export async function ownOf(store: RunStore, id: RunId): Promise<OwnedLog> {
  return expectDone(await store.own(id));
}

/** Shares a run, or fails the test. */
export async function shareOf(store: RunStore, id: RunId): Promise<SharedLog> {
  return expectDone(await store.share(id));
}

/** The value, when it is no refusal. */
export function expectDone<T>(value: T): Exclude<T, { kind: 'refusal' }> {
  if (isRefusal(value)) throw new Error(`refused: ${value.code}: ${value.message}`);
  return value as Exclude<T, { kind: 'refusal' }>;
}

/** All bytes of a run's log. */
export function bytesOf(store: RunStore, id: RunId): Buffer {
  const reader = store.read(id);
  if (reader === null) throw new Error(`there is no run ${id}`);
  return Buffer.concat([...reader.readBytes()].map((line) => Buffer.from(line)));
}

/** Counted child ids. */
export function countIds(from = 100): () => RunId {
  let next = from;
  return () => makeTestId(next++);
}

function codeOf(value: unknown): string | null {
  return isRefusal(value) ? value.code : null;
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
        buildSession({ id: FIRST, turns: [{}] }).map((draft) => ('schema' in draft ? { ...draft, schema: 99 } : draft)),
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

function describeForks(openStore: OpenStore): void {
  describe('forks', () => {
    it('begin with their source, byte for byte, and add one event', async () => {
      const store = openStore();
      await commitSession(store, FIRST, 3);
      const source = bytesOf(store, FIRST);
      const ends = [...(store.read(FIRST)?.readEvents() ?? [])].filter((event) => event.type === 'session.end');
      const makeId = countIds();
      for (const { seq } of ends) {
        const fork = expectDone(await forkSession({ store, makeId }, FIRST, { at: seq }));
        const child = fork.session as RunId;
        const prefix = Buffer.concat(
          [...(store.read(FIRST)?.readBytes({ to: seq }) ?? [])].map((line) => Buffer.from(line)),
        );
        const bytes = bytesOf(store, child);
        expect(bytes.subarray(0, prefix.length)).toEqual(prefix);
        const added = bytes
          .subarray(prefix.length)
          .toString()
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line));
        expect(added).toMatchObject([{ type: 'session.fork', id: child, parent: FIRST, offset: seq, seq: seq + 1 }]);
        expect(added[0].digest).toBe(added[0].prev);
      }
      expect(bytesOf(store, FIRST)).toEqual(source);
      expect(store.listRuns()).toHaveLength(4);
    });

    it('go down to depth 20, each naming its parent', async () => {
      const store = openStore();
      await commitSession(store, FIRST, 1);
      const makeId = countIds();
      let parent = FIRST;
      for (let depth = 0; depth < 20; depth += 1) {
        const fork = expectDone(await forkSession({ store, makeId }, parent, {}));
        const child = fork.session as RunId;
        expect(fork.forkedFrom.id).toBe(parent);
        expect(bytesOf(store, child).subarray(0, bytesOf(store, parent).length)).toEqual(bytesOf(store, parent));
        const owner = await ownOf(store, child);
        await owner.append(buildTurn({}, depth + 2), { durable: true });
        owner.close();
        parent = child;
      }
      expect(store.read(parent)?.readOutline().damage).toBeNull();
    });

    it('name the run that was forked also at a turn it inherited', async () => {
      const store = openStore();
      await commitSession(store, FIRST, 2);
      const makeId = countIds();
      const child = expectDone(await forkSession({ store, makeId }, FIRST, {})).session as RunId;
      const [first] = [...(store.read(child)?.readEvents() ?? [])].filter((event) => event.type === 'session.end');
      const grandchild = expectDone(await forkSession({ store, makeId }, child, { at: first?.seq ?? -1 }));
      expect(grandchild.forkedFrom).toMatchObject({ id: child, offset: first?.seq });
    });

    it('make nothing when refused or only planned', async () => {
      const store = openStore();
      await commitSession(store, FIRST, 2);
      const context = { store, makeId: countIds() };
      expect(codeOf(await forkSession(context, FIRST, { at: 1 }))).toBe('not_a_boundary');
      expect(codeOf(await forkSession(context, FIRST, { at: 10_000 }))).toBe('not_a_boundary');
      expect(codeOf(await forkSession(context, SECOND, {}))).toBe('unknown_run');
      expect(expectDone(await forkSession(context, FIRST, { dryRun: true })).session).toBeNull();
      expect(store.listRuns()).toEqual([FIRST]);
      (await ownOf(store, FIRST)).close();
    });

    it('of a run this process owns are taken at a completed turn while the next one runs', async () => {
      const store = openStore();
      await commitSession(store, FIRST, 1);
      const owner = await ownOf(store, FIRST);
      await owner.append(buildTurn({}, 2), { durable: false });
      await owner.append(buildTurn({ open: true }, 3), { durable: false });
      const fork = expectDone(await forkSession({ store, makeId: countIds() }, FIRST, {}));
      const child = bytesOf(store, fork.session as RunId);
      expect(child.toString()).toContain('prompt 2');
      expect(child.toString()).not.toContain('prompt 3');
      await owner.append([{ type: 'session.end', reason: 'completed', checkpoint: 'none', why: 'test' }], {
        durable: true,
      });
      owner.close();
      expect(store.read(FIRST)?.readOutline().damage).toBeNull();
    });

    it('keep every byte when their parent is removed', async () => {
      const store = openStore();
      await commitSession(store, FIRST, 2);
      const child = expectDone(await forkSession({ store, makeId: countIds() }, FIRST, {})).session as RunId;
      const before = bytesOf(store, child);
      expect(await store.remove(FIRST)).toBeNull();
      expect(bytesOf(store, child)).toEqual(before);
      expect(expectDone(await forkSession({ store, makeId: countIds(200) }, child, {})).session).not.toBeNull();
    });

    it('are planned the same from a shared log and from a reader', async () => {
      const store = openStore();
      await commitSession(store, FIRST, 2);
      const shared = await shareOf(store, FIRST);
      const outline = store.read(FIRST)?.readOutline();
      expect(outline && planFork(outline, {})).toEqual(planFork(shared.readOutline(), {}));
      shared.close();
    });
  });
}

function describePayloads(openStore: OpenStore): void {
  const text = 'ramet '.repeat(900_000);

  async function commitLarge(store: RunStore): Promise<string> {
    const staged = store.stage(FIRST);
    staged.append(buildSession({ id: FIRST, turns: [{ prompt: text }, {}] }));
    await staged.commit();
    return sha256(text);
  }

  describe('payloads', () => {
    it('of 5 MiB leave the line and come back', async () => {
      const store = openStore();
      const digest = await commitLarge(store);
      expect(bytesOf(store, FIRST).length).toBeLessThan(20_000);
      expect(Buffer.from(store.read(FIRST)?.readPayload(digest) ?? []).toString()).toBe(text);
      expect(store.read(FIRST)?.readPayload('0'.repeat(64))).toBeNull();
      expect(store.read(FIRST)?.readPayload('../../lock')).toBeNull();
    });

    it('come along with a fork and outlive the parent', async () => {
      const store = openStore();
      const digest = await commitLarge(store);
      const fork = expectDone(await forkSession({ store, makeId: countIds() }, FIRST, {}));
      expect(fork.missingPayloads).toEqual([]);
      expect(await store.remove(FIRST)).toBeNull();
      expect(Buffer.from(store.read(fork.session as RunId)?.readPayload(digest) ?? []).toString()).toBe(text);
    });

    it('appended by an owner are there for readers', async () => {
      const store = openStore();
      await commitSession(store, FIRST, 1);
      const owner = await ownOf(store, FIRST);
      await owner.append(buildTurn({ prompt: text }, 2), { durable: true });
      await owner.append(buildTurn({ prompt: text }, 3), { durable: false });
      owner.close();
      expect(store.read(FIRST)?.readPayload(sha256(text))?.length).toBe(text.length);
    });
  });
}

function describeKeys(openStore: OpenStore): void {
  const hash = sha256('a key');

  describe('idempotency keys', () => {
    it('are bound once', () => {
      const store = openStore();
      expect(store.readKey(hash)).toBeNull();
      expect(store.claimKey(hash, { child: FIRST, request: 'r' })).toBe(true);
      expect(store.claimKey(hash, { child: SECOND, request: 'r' })).toBe(false);
      expect(store.readKey(hash)).toEqual({ child: FIRST, request: 'r' });
      store.retireKey(hash);
      expect(store.readKey(hash)).toEqual({ child: FIRST, request: 'r', removed: true });
      store.retireKey(sha256('another key'));
    });

    it('make one child, however often they are used', async () => {
      const store = openStore();
      await commitSession(store, FIRST, 2);
      const context = { store, makeId: countIds() };
      const first = expectDone(await forkSession(context, FIRST, { idempotencyKey: 'k' }));
      const owner = await ownOf(store, FIRST);
      await owner.append(buildTurn({}, 3), { durable: true });
      owner.close();
      const second = expectDone(await forkSession(context, FIRST, { idempotencyKey: 'k' }));
      expect(second).toMatchObject({ session: first.session, repeated: true, forkedFrom: first.forkedFrom });
      const other = expectDone(await forkSession(context, FIRST, { idempotencyKey: 'other' }));
      expect(other.session).not.toBe(first.session);
    });

    it('make one child for eight callers at once', async () => {
      const store = openStore();
      await commitSession(store, FIRST, 2);
      const context = { store, makeId: countIds() };
      const calls = Array.from({ length: 8 }, () => forkSession(context, FIRST, { idempotencyKey: 'k' }));
      const children = new Set((await Promise.all(calls)).map((result) => expectDone(result).session));
      expect(children.size).toBe(1);
      expect(store.listRuns()).toHaveLength(2);
    });

    it('refuse another request', async () => {
      const store = openStore();
      await commitSession(store, FIRST, 2);
      const context = { store, makeId: countIds() };
      expectDone(await forkSession(context, FIRST, { idempotencyKey: 'k' }));
      expect(codeOf(await forkSession(context, FIRST, { idempotencyKey: 'k', title: 'x' }))).toBe('key_reused');
      expect(store.listRuns()).toHaveLength(2);
    });

    it('bound by a builder that died make the child they were bound to', async () => {
      const store = openStore();
      await commitSession(store, FIRST, 2);
      const context = { store, makeId: countIds() };
      const done = expectDone(await forkSession(context, FIRST, { idempotencyKey: 'k' })).session as RunId;
      // The state a crash between the binding and the rename leaves: the key, and no child.
      const crashed = openStore();
      await commitSession(crashed, FIRST, 2);
      const record = store.readKey(keyOf('k'));
      expect(record?.child).toBe(done);
      if (record !== null) crashed.claimKey(keyOf('k'), record);
      const again = expectDone(
        await forkSession({ store: crashed, makeId: countIds(500) }, FIRST, { idempotencyKey: 'k' }),
      );
      expect(again.session).toBe(done);
      expect(crashed.listRuns()).toHaveLength(2);
    });

    it('make nothing after their child was removed', async () => {
      const store = openStore();
      await commitSession(store, FIRST, 2);
      const context = { store, makeId: countIds() };
      const child = expectDone(await forkSession(context, FIRST, { idempotencyKey: 'k' })).session as RunId;
      expect(await store.remove(child)).toBeNull();
      expect(codeOf(await forkSession(context, FIRST, { idempotencyKey: 'k' }))).toBe('child_removed');
      expect(store.listRuns()).toEqual([FIRST]);
    });

    function keyOf(key: string): string {
      return sha256(JSON.stringify(['fork', FIRST, key]));
    }
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
