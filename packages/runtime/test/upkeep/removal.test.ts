import { readdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isRefusal, type RunId } from '@ramet/core';
import { forkSession } from '@ramet/runtime/fork';
import { listSessions } from '@ramet/runtime/inspect';
import type { FileStore } from '@ramet/runtime/store';
import { planPrune, planRemoval, type RemovalPlan, removeRuns } from '@ramet/runtime/upkeep';
import { makeGraphHarness, makeTestId } from '@ramet/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { makeSessions, makeTurn } from './stores.ts';

/** Bytes a folder's files take, each file once, however many names it has. */
function sizeOf(folder: string): number {
  const sizes = new Map<number, number>();
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const { ino, size } = statSync(join(entry.parentPath, entry.name));
    sizes.set(ino, size);
  }
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
}

async function plan(store: FileStore, ids: readonly RunId[]): Promise<RemovalPlan> {
  const found = await planRemoval({ store, env: {} }, ids);
  if (isRefusal(found)) throw new Error(found.message);
  return found;
}

test('counts exactly what a removal frees, alone and together', async () => {
  const { store, add, fork, append } = makeSessions();
  const parent = await add({ turns: [makeTurn(1, 9_000), makeTurn(2, 3_000), makeTurn(3)] });
  const child = await fork(parent);
  await append(child, makeTurn(4, 4_000));
  const before = sizeOf(store.layout.home);
  const alone = await plan(store, [parent]);
  const together = await plan(store, [parent, child]);
  expect(alone.bytes.shared).toBeGreaterThan(9_000);
  expect(together.bytes).toEqual({ own: before, shared: 0 });
  await removeRuns(store, [parent]);
  expect(before - sizeOf(store.layout.home)).toBe(alone.bytes.own);
});

test('names forks that stay and removes nothing of theirs', async () => {
  const { store, add, fork } = makeSessions();
  const parent = await add({ turns: [makeTurn(1)] });
  const child = await fork(parent);
  const grandchild = await fork(child);
  expect((await plan(store, [parent])).runs).toMatchObject([{ id: parent, children: [child] }]);
  await removeRuns(store, [parent, child]);
  expect(listSessions(store).map(({ id, forkedFrom }) => ({ id, forkedFrom }))).toMatchObject([
    { id: grandchild, forkedFrom: { id: child, removed: true } },
  ]);
});

test('a running session in the plan removes nothing', async () => {
  const { store, add } = makeSessions();
  const [one, two] = [await add({ turns: [makeTurn(1)] }), await add({ turns: [makeTurn(1)] })];
  const owned = await store.own(two);
  expect(await planRemoval({ store, env: {} }, [one, two])).toMatchObject({ code: 'owned_elsewhere' });
  expect(await planRemoval({ store, env: {} }, [one, makeTestId(9)])).toMatchObject({ code: 'unknown_run' });
  if (!isRefusal(owned)) owned.close();
  expect(store.listRuns()).toHaveLength(2);
});

test('an idempotency key of a removed child makes no second one', async () => {
  const { store, add, fork } = makeSessions();
  const parent = await add({ turns: [makeTurn(1)] });
  const child = await fork(parent, { idempotencyKey: 'k' });
  await removeRuns(store, [child]);
  const context = { store, makeId: () => makeTestId(77) };
  expect(await forkSession(context, parent, { idempotencyKey: 'k' })).toMatchObject({ code: 'child_removed' });
});

test('prunes by age: the old ones, never a running one', async () => {
  const { store, add } = makeSessions();
  const [old, running, recent] = [
    await add({ turns: [makeTurn(1)] }),
    await add({ turns: [makeTurn(1)] }),
    await add({ turns: [makeTurn(1)] }),
  ];
  const owned = await store.own(running);
  const newest = Date.parse(listSessions(store)[0]?.lastTime ?? '');
  const options = { includeUnsaved: false, nowMs: newest + 86_400_000 + 1 };
  const found = await planPrune({ store, env: {} }, { ...options, goal: { kind: 'older_than', days: 1 } });
  if (!isRefusal(owned)) owned.close();
  expect(found.runs.map(({ id }) => id)).toEqual([old, recent]);
  expect(found.kept).toMatchObject([{ id: running, reasons: ['it is running'] }]);
  const none = await planPrune({ store, env: {} }, { ...options, goal: { kind: 'older_than', days: 2 } });
  expect(none.runs).toEqual([]);
});

test('prunes to a size: the oldest first, and no more than needed', async () => {
  const { store, add } = makeSessions();
  const ids = [];
  for (let index = 0; index < 4; index += 1) ids.push(await add({ turns: [makeTurn(1, 10_000)] }));
  const total = sizeOf(store.layout.home);
  const goal = { kind: 'to_size' as const, bytes: Math.floor(total * 0.6) };
  const found = await planPrune({ store, env: {} }, { goal, includeUnsaved: false, nowMs: 0 });
  expect(found.total.own).toBe(total);
  expect(found.runs.map(({ id }) => id)).toEqual(ids.slice(0, 2));
});

test('a session that somebody removes while it is counted is unknown', async () => {
  const h = makeGraphHarness();
  onTestFinished(() => h.remove());
  const { session } = await h.turn(null, 'echo one > one.txt', { prompt: 'make one' });
  const { folder } = h.store.pathsOf(session);
  // The person's configuration is looked for in the middle of counting.
  const env = new Proxy<Readonly<Record<string, string>>>({}, { get: () => void moveAway(folder) });
  expect(await planRemoval({ store: h.store, env }, [session])).toMatchObject({
    code: 'unknown_run',
    data: { id: session },
  });
});

function moveAway(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false }) !== undefined) renameSync(folder, `${folder}.removed`);
}
