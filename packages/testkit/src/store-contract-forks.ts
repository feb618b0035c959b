/** The part of the contract of a store that forks need: forks themselves, payloads, idempotency keys. */
import { planFork, type RunId } from '@ramet/core';
import { forkSession } from '@ramet/runtime/fork';
import type { RunStore } from '@ramet/runtime/store';
import { describe, expect, it } from 'vitest';
import { buildSession, buildTurn, sha256 } from './log-builders.ts';
import {
  bytesOf,
  codeOf,
  commitSession,
  countIds,
  expectDone,
  FIRST,
  type OpenStore,
  ownOf,
  SECOND,
  shareOf,
} from './store-acts.ts';

/** Forks, as every store must make them. */
export function describeForks(openStore: OpenStore): void {
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

/** Payloads, as every store must keep them. */
export function describePayloads(openStore: OpenStore): void {
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

/** Idempotency keys, as every store must hold them. */
export function describeKeys(openStore: OpenStore): void {
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
