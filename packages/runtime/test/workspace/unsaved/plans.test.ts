import { rmSync } from 'node:fs';
import { isRefusal } from '@ramet/core';
import { expect, test } from 'vitest';
import { openFileStore } from '../../../src/store/index.ts';
import { planPrune, planRemoval } from '../../../src/upkeep/index.ts';
import { makeSite, type Run, type Site } from '../diff/fixture.ts';

function open(site: Site) {
  return { store: openFileStore({ home: site.home, now: () => 0 }), env: {} };
}

async function losses(site: Site, ...runs: readonly Run[]): Promise<(readonly string[])[]> {
  const plan = await planRemoval(
    open(site),
    runs.map(({ id }) => id),
  );
  if (isRefusal(plan)) throw new Error(plan.message);
  return plan.runs.map((run) => run.unsaved.map((reason) => reason.message));
}

test('a removal names the work that no run which stays holds', async () => {
  const site = await makeSite();
  const parent = await site.startRun();
  await parent.turn('echo mine > mine');
  const child = await site.forkRun(parent);
  expect(await losses(site, parent)).toEqual([[]]);
  expect(await losses(site, parent, child)).toEqual([
    ['1 file is nowhere else: mine'],
    ['1 file is nowhere else: mine'],
  ]);
  await child.turn('echo other > other');
  expect(await losses(site, child)).toEqual([['1 file is nowhere else: other']]);
  await child.turn('echo after > one', { log: false });
  expect(await losses(site, child)).toEqual([
    ['its workspace was changed after its last checkpoint', '1 file is nowhere else: other'],
  ]);
});

test('a child whose workspace was never made still holds what its parent left', async () => {
  const site = await makeSite();
  const parent = await site.startRun();
  await parent.turn('echo mine > mine');
  const child = await site.forkRun(parent);
  rmSync(child.workspace.path, { recursive: true });
  rmSync(`${site.home}/runs/${parent.id}`, { recursive: true });
  expect(await losses(site, child)).toEqual([['1 file is nowhere else: mine']]);
});

test('a prune takes one of two runs that hold the same work, and keeps the other', async () => {
  const site = await makeSite();
  const parent = await site.startRun();
  await parent.turn('echo mine > mine');
  const child = await site.forkRun(parent);
  const goal = { kind: 'to_size', bytes: 0 } as const;
  const plan = await planPrune(open(site), { goal, includeUnsaved: false, nowMs: 0 });
  expect(plan.runs).toHaveLength(1);
  expect(plan.kept).toHaveLength(1);
  expect(plan.kept[0]?.reasons).toEqual(['1 file is nowhere else: mine']);
  expect([plan.runs[0]?.id, plan.kept[0]?.id].sort()).toEqual([parent.id, child.id].sort());
  const all = await planPrune(open(site), { goal, includeUnsaved: true, nowMs: 0 });
  expect(all.runs).toHaveLength(2);
});
