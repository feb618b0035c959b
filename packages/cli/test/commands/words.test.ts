import { beforeEach, expect, test } from 'vitest';
import { makeProcessContext } from '../../src/process-context.ts';
import { makeTestStore, type TestStore } from '../command-line.ts';
import { addRun, RUN } from '../run-store.ts';

let store: TestStore;
beforeEach(() => {
  store = makeTestStore();
  addRun(store, { isDone: true });
});

test('an acknowledgement is said to be of the recorded calls alone', async () => {
  const argv = ['fork', RUN, '--from-node', 'all', '--acknowledge-writes'];
  const { stdout } = await store.run([...argv, 'all', '--dry-run']);
  expect(stdout).toContain(
    '\nacknowledged: 15, 20: each is made again if the child makes that very call; any other write of those nodes is asked about first\n',
  );
});

test('remove --yes names what goes before it goes, by the name of its graph, and then what was freed', async () => {
  const { stdout, stderr, exit } = await store.run(['remove', RUN, '--yes']);
  expect(exit).toBe(0);
  expect(stderr).toMatch(/^\w+ {2}\(letters\): .+ and 0 B that others hold too\n1 run, .+ to free\n$/);
  expect(stdout).toMatch(/^removed 1 run: .+ freed\n$/);
});

test.each([
  [[], '<id> is missing, or --all'],
  [[RUN, '--all'], '<id> and --all exclude each other'],
])('verify %j is a usage error', async (words, message) => {
  const { stdout, stderr, exit } = await store.run(['verify', ...words]);
  expect({ stdout, exit }).toEqual({ stdout: '', exit: 1 });
  expect(stderr).toBe(`ramet: ${message} (bad_usage)\n`);
});

test('help names no alias with a stray blank', async () => {
  const { stdout } = await store.run(['runs', 'list', '--help']);
  expect(stdout).toContain('Also: `ramet runs`\n');
});

test('a terminal that reports no columns counts as one of 80', () => {
  const kept = { isTTY: process.stdout.isTTY, columns: process.stdout.columns };
  try {
    Object.assign(process.stdout, { isTTY: true, columns: 0 });
    expect(makeProcessContext().context.stdout.columns).toBe(80);
    Object.assign(process.stdout, { columns: 132 });
    expect(makeProcessContext().context.stdout.columns).toBe(132);
  } finally {
    Object.assign(process.stdout, kept);
  }
});
