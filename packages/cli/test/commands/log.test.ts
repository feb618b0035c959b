import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTestId } from '@ramet/testkit';
import { beforeEach, expect, test } from 'vitest';
import { makeTestStore, type TestStore } from '../command-line.ts';

const ID = makeTestId(0x10);
const TURN = { prompt: 'look', replies: [{ text: 'Seen.' }], checkpoint: null };

let store: TestStore;

beforeEach(() => {
  store = makeTestStore();
  store.addSession({ id: ID, project: null, workspace: 'none', turns: [TURN, { ...TURN, prompt: 'look again' }] });
});

/** Changes the line that holds a text, which the next line's `prev` gives away. */
function damage(text: string): void {
  const path = join(store.folderOf(ID), 'log/000000000000.jsonl');
  writeFileSync(path, readFileSync(path, 'utf8').replace(text, text.toUpperCase()), { mode: 0o600 });
}

test('prints what lies before the damage, then the damage', async () => {
  damage('look again');
  const { stdout, stderr, exit } = await store.run(['log', ID]);
  expect(stdout).toContain('Seen.');
  expect(stdout).not.toMatch(/^8 /m);
  expect(stderr).toMatch(
    /^ramet: the log of .+ is damaged in .+; turns that ended before it can still be forked .+\n$/,
  );
  expect(exit).toBe(2);
  const answer = JSON.parse((await store.run(['log', ID, '--json'])).stdout);
  expect(answer).toMatchObject({ code: 'log_damaged', id: ID, damage: { line: expect.any(Number) } });
  expect(answer.events).toHaveLength(stdout.trimEnd().split('\n').length);
  const raw = await store.run(['log', ID, '--raw']);
  expect(raw.stdout.trimEnd().split('\n')).toHaveLength(answer.events.length);
  expect(raw.exit).toBe(2);
});

test('does not offer to fork where no turn ended before the damage', async () => {
  damage('"look"');
  const { stderr } = await store.run(['log', ID]);
  expect(stderr).toContain('; no turn ended before it (log_damaged)');
});

test('says nothing of a damage behind what is asked for', async () => {
  damage('look again');
  expect(await store.run(['log', ID, '--to', '2'])).toMatchObject({ exit: 0, stderr: '' });
});

test('names the types when no event has the one asked for', async () => {
  const { stdout, stderr, exit } = await store.run(['log', ID, '--type', 'nope']);
  expect({ stdout, exit }).toEqual({ stdout: '', exit: 1 });
  expect(stderr).toMatch(/no event is of type 'nope'; .*tool\.intent/);
});

test('says that no event is of a known type or in the range', async () => {
  expect(await store.run(['log', ID, '--type', 'log.repair'])).toMatchObject({ exit: 0, stderr: 'no such event\n' });
  expect(await store.run(['log', ID, '--from', '900'])).toMatchObject({ exit: 0, stderr: 'no such event\n' });
});

test('refuses a range that ends before it begins, and what excludes each other', async () => {
  expect((await store.run(['log', ID, '--from', '3', '--to', '1'])).stderr).toContain('--from 3 is behind --to 1');
  expect((await store.run(['log', ID, '--raw', '--type', 'message'])).exit).toBe(1);
});

test('shows the clock on a terminal and the whole time to a pipe', async () => {
  expect((await store.run(['log', ID], { columns: 80 })).stdout).toMatch(/^0 +\d\d:\d\d:\d\d +session\.start/);
  expect((await store.run(['log', ID])).stdout).toMatch(/^0 +2030-01-01T00:00:00\.000Z +session\.start/);
});
