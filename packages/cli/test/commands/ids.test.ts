import { readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeRunId } from '@ramet/core';
import { digestTree, makeTestId } from '@ramet/testkit';
import { expect, test } from 'vitest';
import { makeTestStore } from '../command-line.ts';

const QUIET = { project: null, workspace: 'none' as const, turns: [{ checkpoint: null }] };

/** Ids made within one minute, with random ends. */
function makeIds(count: number) {
  let state = 1;
  const nextByte = (): number => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return (state >>> 16) & 0xff;
  };
  return Array.from({ length: count }, (_, index) =>
    makeRunId(1_893_456_000_000 + index * 100, Uint8Array.from({ length: 10 }, nextByte)),
  );
}

test('prints short ids that are unique and accepted, for hundreds of sessions of one minute', async () => {
  const store = makeTestStore();
  const ids = makeIds(400);
  for (const id of ids) store.addSession({ ...QUIET, id, title: 'fix build' });
  const { stdout } = await store.run(['sessions']);
  const shown = stdout
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split(/\s/)[0] ?? '');
  expect(new Set(shown).size).toBe(ids.length);
  for (const short of shown.filter((_, index) => index % 20 === 0)) {
    const { stdout: json, exit } = await store.run(['show', short, '--json']);
    expect(exit).toBe(0);
    expect(JSON.parse(json).id.replaceAll('-', '')).toMatch(new RegExp(`${short}$`));
  }
  for (const verb of ['show', 'fork', 'remove']) {
    const outcome = await store.run([verb, ids[0]?.slice(0, 8) ?? '', '--json']);
    expect(outcome.exit).toBe(1);
    expect(JSON.parse(outcome.stdout).code).toBe('ambiguous_id');
  }
});

test('a mistyped id starts nothing, and a title is no id', async () => {
  const store = makeTestStore();
  store.addSession({ ...QUIET, id: makeTestId(0xabcdef), title: 'abcdee' });
  const before = readdirSync(join(store.home, 'runs'));
  for (const argv of [
    ['run', '--session', 'abcdee', 'go on'],
    ['run', '--fork', 'abcdee', 'go on'],
    ['fork', 'abcdee'],
    ['remove', 'abcdee', '--yes'],
  ]) {
    expect((await store.run(argv)).exit).toBe(1);
  }
  expect(readdirSync(join(store.home, 'runs'))).toEqual(before);
});

test('one wrong id among many removes nothing', async () => {
  const store = makeTestStore();
  for (const number of [0xaaaaa1, 0xaaaaa2]) store.addSession({ ...QUIET, id: makeTestId(number) });
  for (const wrong of ['zzz', 'ffffff', '../x', 'aaaa']) {
    const { exit, stdout } = await store.run(['remove', 'aaaaa1', wrong, '--yes', '--json']);
    expect(exit).toBe(1);
    expect(JSON.parse(stdout).code).toMatch(/^(malformed_id|unknown_run)$/);
  }
  expect((await store.run(['sessions', '--json'])).stdout).toContain('aaaaa1');
});

const PATHS = ['../x', '..%2fx', '%2e%2e/x', '/etc/passwd', 'x/../../y', '', '.', '..', '\0', 'f'.repeat(10_000)];
const VERBS: readonly (readonly string[])[] = [
  ['show'],
  ['log'],
  ['verify'],
  ['usage'],
  ['fork'],
  ['remove', '--yes'],
  ['run', 'go', '--session'],
  ['run', 'go', '--fork'],
  ['resolve', '--offset', '1', '--retry'],
  ['fork', '--from-node', 'a', '--acknowledge-writes', 'all'],
  ['runs', 'show'],
  ['runs', 'fork'],
  ['resume'],
  ['abandon'],
];

/** Those that take one more word. */
const LONGER: readonly (readonly [verb: string, word: string])[] = [
  ['title', 'new'],
  ['answer', 'true'],
];

test.each(PATHS)('refuses the path %j as an id, and touches nothing beside the store', async (path) => {
  const store = makeTestStore();
  const id = makeTestId(0xabcdef);
  store.addSession({ ...QUIET, id });
  writeFileSync(join(store.home, 'x'), 'canary');
  symlinkSync('/etc', join(store.home, 'runs', makeTestId(0x11111)));
  const before = digestTree(store.home);
  const lines = [...VERBS.map((verb) => [...verb, path]), ...LONGER.map(([verb, word]) => [verb, path, word])];
  for (const words of lines) {
    const outcome = await store.run([...words, '--json']);
    expect(outcome.exit).toBe(1);
    expect(JSON.parse(outcome.stdout).code).toMatch(/^(malformed_id|bad_usage)$/);
  }
  expect(digestTree(store.home)).toEqual(before);
});

test('a link among the runs is no run, and upper case is no id', async () => {
  const store = makeTestStore();
  const id = makeTestId(0xabcdef);
  store.addSession({ ...QUIET, id });
  const link = makeTestId(0x11111);
  symlinkSync(store.folderOf(id), join(store.home, 'runs', link));
  for (const verb of VERBS.filter(([name]) => name !== 'usage')) {
    const outcome = await store.run([...verb, link, '--json']);
    expect(outcome).toMatchObject({ exit: 1, stdout: expect.stringContaining('"unknown_run"') });
    expect((await store.run([...verb, id.toUpperCase()])).exit).toBe(1);
  }
});
