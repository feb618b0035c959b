import { readStoreUsage } from '@ramet/runtime/inspect';
import { expect, test } from 'vitest';
import { makeSessions, makeTurn } from '../upkeep/stores.ts';

test('counts every reply of a family once, before and after the parent is removed', async () => {
  const { store, add, fork, append } = makeSessions();
  const parent = await add({ turns: [makeTurn(100, 3_000), makeTurn(10)] });
  const child = await fork(parent);
  await append(child, makeTurn(5));
  const grandchild = await fork(child);
  await append(grandchild, makeTurn(2));
  await append(parent, makeTurn(1000));
  const before = readStoreUsage(store);
  expect(before.total).toMatchObject({ inputTokens: 1117, replies: 5 });
  const of = (id: string) => before.sessions.find((session) => session.id === id);
  expect(of(parent)?.own.inputTokens).toBe(1110);
  expect(of(child)).toMatchObject({ own: { inputTokens: 5 }, inherited: { inputTokens: 110 } });
  expect(of(grandchild)).toMatchObject({ own: { inputTokens: 2 }, inherited: { inputTokens: 115 } });
  await store.remove(parent);
  const after = readStoreUsage(store);
  expect(after.total.inputTokens).toBe(117);
  expect(after.removed).toMatchObject([{ id: parent, usage: { inputTokens: 110 } }]);
});

test('of two forks of a removed run, the one that holds more counts', async () => {
  const { store, add, fork } = makeSessions();
  const parent = await add({ turns: [makeTurn(1), makeTurn(10)] });
  const boundaries = [...(store.read(parent)?.readEvents() ?? [])].filter(({ type }) => type === 'session.end');
  await fork(parent, { at: boundaries[0]?.seq ?? 0 });
  await fork(parent);
  await store.remove(parent);
  expect(readStoreUsage(store).total.inputTokens).toBe(11);
});
