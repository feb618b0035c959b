import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type EventDraft, isRefusal, type RunId } from '@ramet/core';
import { listSessions, readStoreUsage } from '@ramet/runtime/inspect';
import { type GraphRunView, listGraphRuns, viewGraphRun } from '@ramet/runtime/inspect/runs';
import { setTitle } from '@ramet/runtime/runs';
import { planRemoval, removeRuns, verifyRun } from '@ramet/runtime/upkeep';
import { buildConfig, buildSession, encodeLog, makeTestId, writeLogFolder } from '@ramet/testkit';
import { expect, test } from 'vitest';
import { makeRuns, type Runs, say } from './run-store.ts';

function listed({ store }: Runs, id: RunId) {
  const found = listGraphRuns(store).find((run) => run.id === id);
  if (found === undefined) throw new Error(`${id} is not listed`);
  return found;
}

function view({ store }: Runs, id: RunId): GraphRunView {
  const read = viewGraphRun(store, id);
  if (isRefusal(read)) throw new Error(read.message);
  return read.view;
}

const NO_WAITS = { gates: [], calls: [] };

test('says how a run stands that nobody drives, and what it waits for', async () => {
  const runs = makeRuns();
  const id = await runs.start();
  expect(listed(runs, id)).toMatchObject({ state: 'idle', graphName: 'three steps', nodes: { entered: 0, done: 0 } });
  await runs.append(id, say.enter('a'), say.call('a', true));
  expect(listed(runs, id)).toMatchObject({ state: 'interrupted', waits: NO_WAITS });
  await runs.append(id, say.exit('a', 'found'), say.enter('g'), say.ask('g'));
  const gate = { node: 'g', offset: 5, question: 'Go on?', answerSchema: { type: 'boolean' } };
  expect(listed(runs, id)).toMatchObject({
    state: 'parked',
    nodes: { entered: 2, done: 1 },
    waits: { gates: [gate], calls: [] },
  });
  await runs.append(id, say.answer('g', 5));
  expect(listed(runs, id)).toMatchObject({ state: 'idle', waits: NO_WAITS });
  await runs.append(id, say.exit('g', true), say.enter('b'), say.call('b', false));
  const call = { node: 'b', offset: 9, tool: 'exec', reason: 'outcome_unknown' };
  expect(listed(runs, id)).toMatchObject({ state: 'parked', waits: { gates: [], calls: [call] } });
  await runs.append(id, { type: 'run.abandon' });
  expect(listed(runs, id)).toMatchObject({ state: 'abandoned', waits: NO_WAITS });
});

test('takes a call that a person must allow for a wait until there is an answer', async () => {
  const runs = makeRuns();
  const id = await runs.start();
  const request = {
    type: 'approval.request',
    node: 'a',
    callId: 'call',
    tool: 'exec',
    input: {},
    reason: 'asks',
  } as const;
  await runs.append(id, say.enter('a'), request);
  const call = { node: 'a', offset: 2, tool: 'exec', reason: 'approval_pending' };
  expect(listed(runs, id)).toMatchObject({ state: 'parked', waits: { calls: [call], flags: [] } });
  await runs.append(id, { ...buildConfig('m'), sandbox: 'none' } as EventDraft, say.enter('a', 2));
  expect(listed(runs, id)).toMatchObject({ state: 'parked', waits: { calls: [call], flags: ['--no-sandbox'] } });
  await runs.append(id, {
    type: 'approval.answer',
    node: 'a',
    callId: 'call',
    answer: 'allow',
    by: 'person',
    scope: 'once',
  });
  expect(listed(runs, id)).toMatchObject({ state: 'interrupted', waits: NO_WAITS });
});

test('a run with more to do is not parked, whatever else of it waits', async () => {
  const runs = makeRuns({
    schema: 1,
    nodes: { a: { kind: 'tool', exec: { command: 'true' } }, b: { kind: 'tool', exec: { command: 'true' } } },
  });
  const id = await runs.start();
  await runs.append(id, say.enter('a'), say.call('a', false));
  expect(listed(runs, id)).toMatchObject({ state: 'interrupted', waits: { calls: [{ node: 'a' }] } });
  await runs.append(id, say.enter('b'), say.exit('b'));
  expect(listed(runs, id)).toMatchObject({ state: 'parked', waits: { calls: [{ node: 'a' }] } });
});

test('shows every place of a walk, and what a child inherited', async () => {
  const runs = makeRuns();
  const id = await runs.start({ title: 'the first' });
  await runs.append(id, say.enter('a'), say.call('a', true));
  await runs.append(id, {
    type: 'tool.result',
    node: 'a',
    callId: 'call',
    tool: 'exec',
    outcome: 'ok',
    output: { type: 'json', value: 1 },
  });
  await runs.append(id, say.exit('a', 'found'), say.enter('g'), say.ask('g'), say.answer('g', 6));
  await runs.append(id, say.exit('g', true), { type: 'node.skip', node: 'b', reason: 'no way leads here' });
  await runs.append(id, { type: 'run.complete', output: { done: true } });
  expect(view(runs, id)).toMatchObject({
    title: 'the first',
    state: 'completed',
    input: { topic: 'otters' },
    output: { done: true },
    walk: [
      {
        node: 'a',
        kind: 'tool',
        state: 'ok',
        visits: [{ offset: 1, inherited: false }],
        output: 'found',
        calls: [{ offset: 2, tool: 'exec', outcome: 'ok' }],
      },
      { node: 'g', kind: 'gate', state: 'ok', gate: { offset: 6, question: 'Go on?', answer: true } },
      { node: 'b', state: 'skipped', reason: 'no way leads here', visits: [] },
    ],
  });
  const child = await runs.fork(id, 'g');
  expect(listed(runs, child)).toMatchObject({ state: 'idle', forkedFrom: { id, offset: 4, fromNode: 'g' } });
  expect(view(runs, child)).toMatchObject({
    forkedFrom: { id, offset: 4, fromNode: 'g', acknowledgedWrites: [] },
    walk: [{ node: 'a', visits: [{ inherited: true }] }],
  });
  expect(listed(runs, child)).toMatchObject({ lastTime: listed(runs, child).createdAt });
  await runs.store.remove(id);
  expect(view(runs, child).forkedFrom).toMatchObject({ id, removed: true });
});

test('shows a run whose document is gone by what its log says', async () => {
  const runs = makeRuns();
  const id = await runs.start();
  await runs.append(id, say.enter('a'));
  rmSync(join(runs.store.layout.graphs, `${runs.graph.hash}.json`));
  expect(view(runs, id)).toMatchObject({ state: 'idle', walk: [{ node: 'a', kind: null, state: 'entered' }] });
  expect(await verifyRun(runs.store, id)).toMatchObject({ problems: [{ kind: 'document' }] });
});

test('keeps sessions and runs apart in lists, and refuses to show one as the other', async () => {
  const runs = makeRuns();
  const id = await runs.start();
  const session = makeTestId(0x5e55);
  writeLogFolder(
    join(runs.store.layout.runs, session),
    encodeLog(buildSession({ id: session, project: null, workspace: 'none', turns: [] })),
  );
  expect(listSessions(runs.store).map((found) => found.id)).toEqual([session]);
  expect(listGraphRuns(runs.store).map((found) => found.id)).toEqual([id]);
  expect(viewGraphRun(runs.store, session)).toMatchObject({ code: 'not_a_graph_run' });
  expect(viewGraphRun(runs.store, makeTestId(9))).toMatchObject({ code: 'unknown_run' });
});

test('a run gets a title, verifies with its descent, and is counted and removed', async () => {
  const runs = makeRuns();
  const id = await runs.start();
  await runs.append(id, say.enter('a'), say.exit('a'), say.enter('g'), say.ask('g'));
  const child = await runs.fork(id, 'g');
  await runs.append(child, say.enter('g'), say.ask('g'));
  expect(await setTitle(runs.store, child, 'another')).toMatchObject({ offset: 5 });
  expect(listed(runs, child)).toMatchObject({ title: 'another', titleFrom: 'own' });
  for (const run of [id, child]) expect(await verifyRun(runs.store, run)).toMatchObject({ id: run, problems: [] });
  const plan = await planRemoval({ store: runs.store, env: {} }, [id]);
  expect(plan).toMatchObject({ runs: [{ id, unsaved: [], children: [child] }] });
  expect(await removeRuns(runs.store, [id])).toEqual({ removed: [id], stopped: null });
  expect(await verifyRun(runs.store, child)).toMatchObject({ problems: [], forks: 1 });
});

test('verify finds a parent that has another line than its child says', async () => {
  const runs = makeRuns();
  const id = await runs.start();
  await runs.append(id, say.enter('a'), say.exit('a'), say.enter('g'), say.ask('g'));
  const child = await runs.fork(id, 'g');
  await runs.store.remove(id);
  const staged = runs.store.stage(id);
  staged.append([{ ...startOf(runs, child), id, forkedFrom: undefined } as never]);
  await staged.commit();
  await runs.append(id, say.enter('b'), say.exit('b'), say.enter('b', 2));
  const { problems } = (await verifyRun(runs.store, child)) as {
    readonly problems: readonly { readonly message: string }[];
  };
  expect(problems.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^parent .+ has digest .+ at offset 2, the fork names /),
    expect.stringMatching(/^parent .+ does not enter g at offset 3$/),
  ]);
});

function startOf({ store }: Runs, id: RunId): Record<string, unknown> {
  const [event] = [...(store.read(id)?.readEvents({ from: 0, to: 0 }) ?? [])];
  const { seq: _, prev: __, time: ___, ...start } = event ?? {};
  return start as Record<string, unknown>;
}

test('counts every reply once, also of a removed run whose forks and forks of forks hold it', async () => {
  const runs = makeRuns();
  const { store } = runs;
  const root = await runs.start();
  await runs.append(root, say.enter('a'), say.reply('a', 10), say.exit('a'), say.enter('g'), say.ask('g'));
  const one = await runs.fork(root, 'g');
  await runs.append(one, say.enter('g'), say.ask('g'), say.answer('g', 5), say.exit('g', true));
  await runs.append(one, say.enter('b'), say.reply('b', 7), say.exit('b'));
  const two = await runs.fork(one, 'b');
  await runs.append(two, say.enter('b'), say.reply('b', 5));
  const total = (): number => readStoreUsage(store).total.inputTokens;
  const ownOf = (): Record<string, number> =>
    Object.fromEntries(readStoreUsage(store).runs.map((run) => [run.id, run.own.inputTokens]));
  expect(ownOf()).toEqual({ [root]: 10, [one]: 7, [two]: 5 });
  expect(total()).toBe(22);
  await store.remove(one);
  // What it did after the point its fork begins at went with it.
  expect(readStoreUsage(store).removed).toEqual([]);
  expect(total()).toBe(15);
  await store.remove(root);
  expect(total()).toBe(15);
  expect(readStoreUsage(store).removed).toMatchObject([{ id: one, usage: { inputTokens: 10 } }]);
});
