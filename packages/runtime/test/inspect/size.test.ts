import { lstatSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRefusal, type RunId } from '@ramet/core';
import { listSessions, viewSession } from '@ramet/runtime/inspect';
import { planRemoval, removeRuns } from '@ramet/runtime/upkeep';
import { makeSessionHarness, type SessionHarness } from '@ramet/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';

let h: SessionHarness;
beforeEach(() => {
  h = makeSessionHarness();
});
afterEach(() => h.remove());

/** Bytes of the files below `runs/`, each once. */
function sizeOfRuns(): number {
  const sizes = new Map<number, number>();
  for (const entry of readdirSync(h.store.layout.runs, { withFileTypes: true, recursive: true })) {
    if (entry.isDirectory()) continue;
    const { ino, size } = lstatSync(join(entry.parentPath, entry.name));
    sizes.set(ino, size);
  }
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
}

async function countRemoval(id: RunId) {
  const plan = await planRemoval({ store: h.store, env: h.services.env }, [id]);
  if (isRefusal(plan)) throw new Error(plan.message);
  return plan.bytes;
}

function listed(id: RunId) {
  return listSessions(h.store).find((session) => session.id === id)?.bytes;
}

test('lists, views and removals count the same, and that is what a removal frees', async () => {
  const { session: parent } = await h.turn(
    null,
    'seq 1 20000 > numbers; ln numbers again; mkdir -p a/b; echo x > a/b/c',
  );
  const child = await h.fork(parent, 1);
  expect(listed(child)).toEqual(await countRemoval(child));
  await h.turn(child, 'seq 1 9000 > more');
  for (const id of [child, parent]) {
    const counted = await countRemoval(id);
    const view = viewSession(h.store, id);
    expect(listed(id)).toEqual(counted);
    expect(isRefusal(view) ? view : view.bytes).toEqual(counted);
    const before = sizeOfRuns();
    await removeRuns(h.store, [id]);
    expect(before - sizeOfRuns()).toBe(counted.own);
  }
});

test('a list walks no workspace that was measured, and counts one that was not; a removal always counts', async () => {
  const { session } = await h.turn(null, 'true');
  const before = listed(session);
  writeFileSync(join(h.workspaceOf(session), 'later'), 'x'.repeat(100_000));
  expect(listed(session)).toEqual(before);
  expect((await countRemoval(session)).own).toBe((before?.own ?? 0) + 100_000);
  const measure = join(h.store.pathsOf(session).sandbox, 'private/size.json');
  for (const spoil of [() => writeFileSync(measure, '{"own":"much"}'), () => rmSync(measure)]) {
    spoil();
    expect(listed(session)).toEqual(await countRemoval(session));
  }
  await h.turn(session, 'true');
  expect(listed(session)?.own).toBeGreaterThan((before?.own ?? 0) + 100_000);
});
