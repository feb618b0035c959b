import { buildSession, encodeLog, makeTestId } from '@ramet/testkit';
import { expect, test } from 'vitest';
import { makeTestStore, type TestStore } from '../command-line.ts';

const ID = makeTestId(0xdead01);

/** A session whose owner died in the middle of a call that can leave the workspace; the intent is its last event. */
function makeCutSession(): { readonly store: TestStore; readonly offset: number } {
  const store = makeTestStore();
  const call = { tool: 'send', input: { to: 'all' }, contained: false as const };
  const plan = {
    id: ID,
    project: null,
    workspace: 'none' as const,
    turns: [{ open: true, replies: [{ calls: [call] }] }],
  };
  const lines = encodeLog(buildSession(plan).slice(0, -1));
  store.addLines(ID, lines);
  return { store, offset: lines.length - 1 };
}

test('a turn without an owner is shown as interrupted, and open', async () => {
  const { store } = makeCutSession();
  const { sessions } = JSON.parse((await store.run(['sessions', '--json'])).stdout);
  expect(sessions).toMatchObject([{ id: ID, state: 'interrupted' }]);
  expect(JSON.parse((await store.run(['show', ID, '--json'])).stdout).turns).toMatchObject([{ turn: 1, end: null }]);
  const titled = await store.run(['title', ID, 'new', '--json']);
  expect(titled.exit).toBe(3);
  expect(JSON.parse(titled.stdout).code).toBe('turn_open');
});

test.each([
  {
    flags: ['--happened', '--result', '{"id":"m1"}'],
    resolution: 'happened',
    output: { type: 'json', value: { id: 'm1' } },
  },
  { flags: ['--did-not-happen'], resolution: 'did_not_happen', output: undefined },
  { flags: ['--retry'], resolution: 'retry', output: undefined },
])('resolve $flags is recorded for that call', async ({ flags, resolution, output }) => {
  const { store, offset } = makeCutSession();
  const outcome = await store.run(['resolve', ID, '--offset', String(offset), ...flags, '--json']);
  expect(JSON.parse(outcome.stdout)).toEqual({
    id: ID,
    offset,
    callId: 'call-1.1.0',
    tool: 'send',
    resolution,
    flags: [],
  });
  const { events } = JSON.parse((await store.run(['log', ID, '--type', 'tool.resolve', '--json'])).stdout);
  expect(events).toMatchObject([{ callId: 'call-1.1.0', intent: offset, resolution, ...(output && { output }) }]);
});

test('resolve refuses an offset where no call waits, naming those that do', async () => {
  const { store, offset } = makeCutSession();
  const outcome = await store.run(['resolve', ID, '--offset', '0', '--retry', '--json']);
  expect(outcome.exit).toBe(1);
  expect(JSON.parse(outcome.stdout)).toMatchObject({ code: 'nothing_to_do', waiting: [offset] });
});

test.each([
  [['--offset', '5']],
  [['--offset', '5', '--happened']],
  [['--offset', '5', '--happened', '--retry']],
  [['--offset', '5', '--retry', '--result', '1']],
  [['--offset', '5', '--happened', '--result', '{']],
  [['--retry']],
])('resolve %j is a usage error', async (flags) => {
  const { store } = makeCutSession();
  const outcome = await store.run(['resolve', ID, ...flags, '--json']);
  expect(outcome.exit).toBe(1);
  expect(JSON.parse(outcome.stdout).code).toBe('bad_usage');
});
