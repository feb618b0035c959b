/** What staging costs when many runs are staged at once: how often folders of others are looked at. */
import { existsSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeTestId } from '@ramet/testkit';
import { expect, it, vi } from 'vitest';
import { makeHome, openTestStore } from './helpers.ts';

vi.mock('node:fs', async (importOriginal) => {
  const fs = await importOriginal<typeof import('node:fs')>();
  return { ...fs, lstatSync: vi.fn(fs.lstatSync), readdirSync: vi.fn(fs.readdirSync) };
});

/** Stages that many runs of a new store, one after the other while all are open; counts looks into the staging folder. */
function countLooks(runs: number): number {
  const store = openTestStore(makeHome());
  const { staging } = store.layout;
  vi.mocked(lstatSync).mockClear();
  vi.mocked(readdirSync).mockClear();
  const staged = Array.from({ length: runs }, (_, index) => store.stage(makeTestId(0x1000 + index)));
  const looked = vi.mocked(lstatSync).mock.calls.filter(([path]) => dirname(String(path)) === staging);
  const listed = vi.mocked(readdirSync).mock.calls.filter(([path]) => path === staging);
  for (const run of staged) run.discard();
  return looked.length + listed.length;
}

it('many at once look at each other in proportion to their number', () => {
  expect(countLooks(200)).toBeLessThan(2 * 200 + 20);
});

it('what was left is swept all the same, once as many runs were staged as were being built', () => {
  const store = openTestStore(makeHome());
  const open = [0, 1, 2].map((index) => store.stage(makeTestId(0x2000 + index)));
  const left = join(store.layout.staging, makeTestId(0x3000));
  mkdirSync(left);
  for (let index = 0; index < open.length; index += 1) store.stage(makeTestId(0x4000 + index)).discard();
  expect(existsSync(left)).toBe(false);
  for (const run of open) run.discard();
});
