import { join } from 'node:path';
import { makeTestId, type TurnPlan } from '@ramet/testkit';
import { beforeAll, expect, test } from 'vitest';
import { makeTestStore, renderOutcome, type TestStore } from '../command-line.ts';

const PARENT = makeTestId(0xa11ce);
const CHILD = makeTestId(0xb0b);
const GRANDCHILD = makeTestId(0xc0de);

const FIX: TurnPlan = {
  prompt: 'make it pass',
  replies: [
    {
      text: 'Looking.',
      calls: [
        {
          tool: 'shell',
          input: { command: 'npm test' },
          output: { type: 'json', value: { exitCode: 1, stdout: '', stderr: 'not ok 1' } },
        },
      ],
      usage: { inputTokens: 1000, outputTokens: 50 },
      cost: { amount: 0.25, currency: 'USD' },
    },
    { text: 'Fixed.', usage: { inputTokens: 1200, outputTokens: 10 }, cost: { amount: 0.125, currency: 'USD' } },
  ],
  checkpoint: null,
};
const SEND: TurnPlan = {
  prompt: 'tell the others',
  replies: [{ calls: [{ tool: 'send', input: { to: 'all', text: 'done' }, contained: false }] }, { text: 'Sent.' }],
  checkpoint: null,
};

let store: TestStore;

beforeAll(() => {
  store = makeTestStore();
  const parent = store.addSession({
    id: PARENT,
    title: 'fix build',
    workspace: 'none',
    project: null,
    turns: [FIX, SEND],
  });
  const child = store.addFork(parent, { id: CHILD, at: parent.findIndex(({ event }) => event.type === 'session.end') });
  store.addFork(child, { id: GRANDCHILD, title: '構築を直す、もう一度' });
});

const SHORT_PARENT = PARENT.slice(-6);
const SHORT_CHILD = CHILD.slice(-6);

const CASES: readonly (readonly [name: string, argv: readonly string[], columns?: number])[] = [
  ['sessions', ['sessions']],
  ['sessions-narrow', ['sessions'], 50],
  ['sessions-tree', ['sessions', '--tree']],
  ['sessions-json', ['sessions', '--json']],
  ['show', ['show', SHORT_PARENT]],
  ['show-child', ['show', SHORT_CHILD]],
  ['show-json', ['show', SHORT_CHILD, '--json']],
  ['log', ['log', SHORT_PARENT], 100],
  ['usage', ['usage']],
  ['usage-json', ['usage', '--json']],
  ['verify', ['verify', SHORT_PARENT]],
  ['verify-json', ['verify', SHORT_CHILD, '--json']],
  ['fork-dry-run', ['fork', SHORT_PARENT, '--at', '9', '--dry-run']],
  ['fork-dry-run-json', ['fork', SHORT_PARENT, '--at', '9', '--dry-run', '--json']],
  ['fork-not-a-boundary', ['fork', SHORT_PARENT, '--at', '3']],
  ['fork-not-a-boundary-json', ['fork', SHORT_PARENT, '--at', '3', '--json']],
  ['remove-unconfirmed', ['remove', SHORT_PARENT]],
  ['remove-dry-run', ['remove', SHORT_PARENT, SHORT_CHILD, '--dry-run']],
  ['remove-unconfirmed-json', ['remove', SHORT_PARENT, '--json']],
  ['prune-dry-run', ['prune', '--older-than', '30', '--dry-run']],
  ['unknown-run', ['show', 'ffffff']],
  ['unknown-command', ['shwo', 'ffffff']],
  ['unknown-flag', ['fork', '--att', '3', SHORT_PARENT]],
  ['unknown-flag-json', ['fork', '--att', '3', SHORT_PARENT, '--json']],
  ['bad-value', ['fork', SHORT_PARENT, '--at', 'x']],
  ['missing-argument', ['fork']],
  ['no-prompt', ['run']],
];

test.each(CASES.map(([name, argv, columns]) => ({ name, argv, columns })))(
  'prints $name',
  async ({ name, argv, columns }) => {
    const outcome = await store.run(argv, columns === undefined ? {} : { columns });
    await expect(renderOutcome(store, argv, outcome)).toMatchFileSnapshot(
      join(import.meta.dirname, `../golden/${name}.txt`),
    );
  },
);

const HELPED = [
  ...'run fork sessions show log title verify usage diff apply resolve remove prune gc serve trust doctor version'.split(
    ' ',
  ),
  ...['runs', 'resume', 'answer', 'abandon', 'graph', 'graph run', 'graph validate', 'graph schema'],
];

test.each(['', ...HELPED])('explains "%s" with an example', async (word) => {
  const argv = word === '' ? ['--help'] : [...word.split(' '), '--help'];
  const outcome = await store.run(argv);
  expect(outcome.stdout).toContain('$ ramet ');
  expect(outcome.exit).toBe(0);
  expect(outcome.stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  const name = word === '' ? 'help' : `help-${word.replace(' ', '-')}`;
  await expect(renderOutcome(store, argv, outcome)).toMatchFileSnapshot(
    join(import.meta.dirname, `../golden/${name}.txt`),
  );
});

test.each([
  ['rm', 'remove'],
  ['ls', 'sessions'],
  ['list', 'sessions'],
])('takes "%s" for "%s"', async (alias, name) => {
  const words = name === 'remove' ? [SHORT_PARENT, '--dry-run'] : ['--json'];
  expect(await store.run([alias, ...words])).toEqual(await store.run([name, ...words]));
});

test('takes "help fork" for "fork --help"', async () => {
  expect(await store.run(['help', 'fork'])).toEqual(await store.run(['fork', '--help']));
  expect(await store.run(['help'])).toEqual(await store.run(['--help']));
});

test.each([
  ['forkk', 'fork'],
  ['shwo', 'show'],
  ['rnu', 'run'],
  ['cat', null],
  ['st', null],
  ['destroy', null],
])('for "%s" suggests %s', async (word, near) => {
  const { stderr, exit } = await store.run([word]);
  expect(exit).toBe(1);
  expect(/did you mean (.+)\?/.exec(stderr)?.[1] ?? null).toBe(near);
});
