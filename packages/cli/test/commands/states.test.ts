import { makeTestId } from '@ramet/testkit';
import { expect, test } from 'vitest';
import { makeTestStore } from '../command-line.ts';

const PLAN = { project: null, workspace: 'none' as const };
const COST = { text: 'Done.', cost: { amount: 1.5, currency: 'USD' } };

test.each([
  ['completed', 'idle'],
  ['failed', 'idle (failed)'],
  ['limit', 'idle (limit)'],
  ['interrupted', 'idle (stopped)'],
] as const)('shows a session whose last turn is %s as %s, and says idle to programs', async (reason, shown) => {
  const store = makeTestStore();
  const id = makeTestId(1);
  store.addSession({ ...PLAN, id, turns: [{ checkpoint: null }, { reason, checkpoint: null }] });
  const [, line] = (await store.run(['sessions'])).stdout.split('\n');
  expect(line).toContain(`  ${shown}  `);
  expect((await store.run(['show', id])).stdout).toMatch(new RegExp(`^state +${shown.replace(/[()]/g, '.')}$`, 'm'));
  const [listed] = JSON.parse((await store.run(['sessions', '--json'])).stdout).sessions;
  const view = JSON.parse((await store.run(['show', id, '--json'])).stdout);
  for (const found of [listed, view]) expect(found).toMatchObject({ state: 'idle', lastEnd: { reason } });
});

test('shows the cost of sessions at 80 columns as soon as one is known', async () => {
  const store = makeTestStore();
  store.addSession({ ...PLAN, id: makeTestId(1), turns: [{ checkpoint: null }] });
  expect((await store.run(['sessions'], { columns: 80 })).stdout).not.toContain('COST');
  store.addSession({ ...PLAN, id: makeTestId(2), turns: [{ replies: [COST], checkpoint: null }] });
  const { stdout } = await store.run(['sessions'], { columns: 80 });
  expect(stdout).toMatch(/COST/);
  expect(stdout).toContain('1.5 USD');
  expect((await store.run(['sessions'], { columns: 60 })).stdout).not.toContain('COST');
});

test.each([['sessions'], ['show'], ['log'], ['verify'], ['usage'], ['doctor']])(
  'fits an 80-column terminal: %s',
  async (verb) => {
    const store = makeTestStore();
    const id = makeTestId(1);
    const turn = { prompt: 'what is wrong here?', replies: [COST], checkpoint: null };
    store.addSession({
      ...PLAN,
      id,
      title: 'a title '.repeat(20),
      turns: [turn, { reason: 'failed', checkpoint: null }],
    });
    const words = ['show', 'log', 'verify'].includes(verb ?? '') ? [verb ?? '', id] : [verb ?? ''];
    const { stdout } = await store.run(words, { columns: 80 });
    expect(stdout).not.toBe('');
    // A path or the title of the page itself is never broken.
    const lines = stdout.split('\n').filter((line) => !line.includes(store.home) && !line.startsWith('a title'));
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  },
);
