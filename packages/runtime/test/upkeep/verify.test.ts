import { chmodSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRefusal, type RunId } from '@ramet/core';
import type { FileStore } from '@ramet/runtime/store';
import { type Verification, verifyRun } from '@ramet/runtime/upkeep';
import { expect, test } from 'vitest';
import { makeSessions, makeTurn } from './stores.ts';

async function verify(store: FileStore, id: RunId): Promise<Verification> {
  const result = await verifyRun(store, id);
  if (isRefusal(result)) throw new Error(result.message);
  return result;
}

/** Changes one byte and leaves size and times as they were, as a bad disk would. */
function flipByte(path: string, position: number): void {
  const { mode, atime, mtime } = statSync(path);
  const bytes = readFileSync(path);
  bytes[position] = (bytes[position] ?? 0) ^ 0x01;
  chmodSync(path, 0o600);
  writeFileSync(path, bytes);
  chmodSync(path, mode);
  utimesSync(path, atime, mtime);
}

test('a sound family verifies, each on its own', async () => {
  const { store, add, fork, append } = makeSessions();
  const parent = await add({ turns: [makeTurn(1, 3_000), makeTurn(2)] });
  const child = await fork(parent);
  await append(child, makeTurn(3, 3_000));
  const grandchild = await fork(child);
  for (const id of [parent, child, grandchild]) expect((await verify(store, id)).problems).toEqual([]);
  expect(await verify(store, grandchild)).toMatchObject({ forks: 2 });
});

test('a flipped byte in a shared segment is found, and every run that holds the file is named', async () => {
  const { store, add, fork } = makeSessions();
  const parent = await add({ turns: [makeTurn(1, 3_000), makeTurn(2)] });
  const child = await fork(parent);
  const other = await add({ turns: [makeTurn(1)] });
  flipByte(join(store.pathsOf(parent).log, '000000000000.jsonl'), 700);
  const found = await verify(store, child);
  expect(found.problems).toMatchObject([{ kind: 'log', file: 'log/000000000000.jsonl', sharedWith: [parent] }]);
  expect((await verify(store, other)).problems).toEqual([]);
});

test('any flipped byte of a log is found', async () => {
  const { store, add } = makeSessions();
  const id = await add({ turns: [makeTurn(1)] });
  const path = join(store.pathsOf(id).log, '000000000000.jsonl');
  const size = statSync(path).size;
  const lastLine = readFileSync(path, 'utf8').trimEnd().lastIndexOf('\n') + 1;
  // The bytes of the last line are vouched for by nothing after them: only what makes it no event is found there.
  for (let position = 0; position < Math.min(size, lastLine); position += 7) {
    flipByte(path, position);
    expect((await verify(store, id)).problems, `byte ${position}`).not.toEqual([]);
    flipByte(path, position);
  }
  expect((await verify(store, id)).problems).toEqual([]);
});

test('a damaged and a missing payload are named', async () => {
  const { store, add } = makeSessions();
  const id = await add({ turns: [{ prompt: 'a'.repeat(300_000) }, { prompt: 'b'.repeat(300_000) }] });
  const blobs = store.pathsOf(id).blobs;
  const [first = ''] = readdirSync(blobs);
  flipByte(join(blobs, first), 5);
  const { problems, payloads } = await verify(store, id);
  expect(payloads).toBe(2);
  expect(problems).toMatchObject([{ kind: 'payload', file: `blobs/${first}` }]);
});

test('a fork whose parent tells another story is named', async () => {
  const { store, add, fork } = makeSessions();
  const parent = await add({ turns: [makeTurn(1)] });
  const child = await fork(parent);
  await store.remove(parent);
  await add({ id: parent, turns: [makeTurn(9)] });
  const { problems } = await verify(store, child);
  expect(problems).toMatchObject([{ kind: 'descent' }]);
});

test('a child verifies when its parent is gone', async () => {
  const { store, add, fork } = makeSessions();
  const parent = await add({ turns: [makeTurn(1, 3_000)] });
  const child = await fork(parent);
  await store.remove(parent);
  expect((await verify(store, child)).problems).toEqual([]);
});

test('a child of a turn its parent had inherited verifies, with and without the parent', async () => {
  const { store, add, fork, append } = makeSessions();
  const root = await add({ turns: [makeTurn(1)] });
  const inherited = (await verify(store, root)).events - 1;
  const parent = await fork(root);
  await append(parent, makeTurn(2));
  const child = await fork(parent, { at: inherited });
  expect((await verify(store, child)).problems).toEqual([]);
  await store.remove(parent);
  await store.remove(root);
  expect((await verify(store, child)).problems).toEqual([]);
});

test('a run in a folder of another name is named', async () => {
  const { store, add } = makeSessions();
  const [one, two] = [await add({ turns: [makeTurn(1)] }), await add({ turns: [makeTurn(1)] })];
  const text = readFileSync(join(store.pathsOf(one).log, '000000000000.jsonl'));
  writeFileSync(join(store.pathsOf(two).log, '000000000000.jsonl'), text);
  expect((await verify(store, two)).problems).toMatchObject([{ kind: 'id' }]);
});
