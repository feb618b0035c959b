/** Sessions made of the conversations that agents of graph runs had, through the real store, workspace and sandbox. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { EventDraft, RunId } from '@ramet/core';
import type { ConversationResult } from '@ramet/runtime/fork';
import { type ConversationForkOptions, forkConversation } from '@ramet/runtime/graph';
import { listSessions, readStoreUsage, viewSession } from '@ramet/runtime/inspect';
import { planRemoval, verifyRun } from '@ramet/runtime/upkeep';
import { collectGarbage } from '@ramet/runtime/workspace/gc';
import { readProject } from '@ramet/runtime/workspace/project';
import { accept, callShell, type GraphHarness, makeGraphHarness, makeTestId } from '@ramet/testkit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

let harness: GraphHarness;

beforeEach(() => {
  harness = makeGraphHarness();
});

afterEach(() => {
  expect(harness.problems()).toEqual([]);
  harness.remove();
});

function program(command: string, extra: object = {}) {
  return { kind: 'tool' as const, exec: { command }, ...extra };
}

function tryFork(run: RunId, options: ConversationForkOptions) {
  return forkConversation(harness.servicesOf(), run, options);
}

async function sessionOf(run: RunId, options: ConversationForkOptions): Promise<RunId> {
  const { session } = accept(await tryFork(run, options));
  if (session === null) throw new Error('a dry run makes no session');
  return session;
}

function fileOf(session: RunId, name: string): string | null {
  const path = join(harness.workspaceOf(session), name);
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

/** One command, and the turn ends. */
async function goOn(session: RunId, command: string): Promise<void> {
  await harness.turn(session, command);
}

async function collect(): Promise<void> {
  const [session] = listSessions(harness.store);
  const project = accept(await readProject({ stateFolder: harness.home, id: session?.project ?? '' }));
  accept(await collectGarbage({ home: harness.home, project, dryRun: false }));
}

const NODES = {
  build: program('echo built > made; echo 1'),
  poet: { kind: 'agent', prompt: 'Write a poem', tools: ['*'] },
  after: program('echo late >> poem; echo 2'),
} as const;
const EDGES = [
  { from: 'build', to: 'poet' },
  { from: 'poet', to: 'after' },
];
const SCRIPT = {
  poet: [
    { ...callShell('echo roses > poem'), usage: { inputTokens: 100, outputTokens: 10 } },
    { text: 'done', usage: { inputTokens: 200, outputTokens: 20 } },
  ],
};

async function startPoet(): Promise<RunId> {
  const result = await harness.start({ nodes: NODES, edges: EDGES }, { script: SCRIPT });
  expect(result.status).toBe('completed');
  return result.run;
}

describe('a session of an agent', () => {
  test('holds its conversation, finds the files as the agent left them, and goes on', async () => {
    const run = await startPoet();
    const before = harness.logOf(run);
    const made: ConversationResult = accept(await tryFork(run, { node: 'poet' }));
    const session = made.session ?? run;
    const exit = harness.eventsOfType(run, 'node.exit').find(({ node }) => node === 'poet');
    expect(made).toMatchObject({
      turns: 1,
      repeated: false,
      forkedFrom: { id: run, offset: exit?.seq, fromNode: 'poet' },
    });
    expect(harness.eventsOf(session).map(({ type }) => type)).toEqual([
      'session.start',
      'workspace.open',
      'workspace.checkpoint',
      'session.config',
      'message',
      'model.request',
      'model.response',
      'tool.intent',
      'tool.result',
      'model.request',
      'model.response',
      'workspace.checkpoint',
      'session.end',
    ]);
    expect(fileOf(session, 'poem')).toBeNull();
    await goOn(session, 'cat poem made > both');
    expect(fileOf(session, 'both')).toBe('roses\nbuilt\n');
    expect(harness.eventsOfType(session, 'workspace.restore')).toMatchObject([
      { outcome: 'restored', checkpoint: made.workspace.checkpoint },
    ]);
    expect(harness.logOf(run).equals(before)).toBe(true);
    expect(accept(await verifyRun(harness.store, session))).toMatchObject({ problems: [], forks: 1 });
  });

  test('is listed as what it is, with no turn and no token of its own', async () => {
    const run = await startPoet();
    const session = await sessionOf(run, { node: 'poet', title: 'the poem' });
    const [listed] = listSessions(harness.store);
    expect(listed).toMatchObject({
      id: session,
      title: 'the poem',
      state: 'idle',
      turns: 1,
      ownTurns: 0,
      forkedFrom: { id: run, fromNode: 'poet' },
      own: { usage: { replies: 0 } },
      inherited: { usage: { replies: 2, inputTokens: 300 } },
    });
    expect(accept(viewSession(harness.store, session)).turns).toMatchObject([{ turn: 1, inherited: true }]);
    const removal = accept(await planRemoval({ store: harness.store, env: {} }, [run]));
    expect(removal.runs).toMatchObject([{ id: run, children: [session] }]);
  });

  test('counts each reply once in a store, whoever is removed', async () => {
    const run = await startPoet();
    const session = await sessionOf(run, { node: 'poet' });
    const twin = await sessionOf(run, { node: 'poet' });
    const reply = { ...callShell('true'), usage: { inputTokens: 7, outputTokens: 1 } };
    accept(await harness.run(session, [reply, { text: 'done', usage: { inputTokens: 0, outputTokens: 0 } }]));
    const fork = await harness.fork(session, 1);
    const child = await harness.forkAt(run, { fromNode: 'after' });
    expect(readStoreUsage(harness.store)).toMatchObject({ total: { inputTokens: 307 }, removed: [] });
    accept((await harness.store.remove(run)) ?? {});
    // The fork of the run holds the very lines.
    expect(readStoreUsage(harness.store).total.inputTokens).toBe(307);
    accept((await harness.store.remove(child)) ?? {});
    const removed = [{ id: run, usage: { inputTokens: 300, replies: 2 } }];
    expect(readStoreUsage(harness.store)).toMatchObject({ total: { inputTokens: 307 }, removed });
    for (const id of [twin, session]) accept((await harness.store.remove(id)) ?? {});
    expect(readStoreUsage(harness.store)).toMatchObject({ total: { inputTokens: 300 }, removed });
    expect(harness.eventsOfType(fork, 'session.start')[0]?.id).toBe(session);
  });

  test('goes on when the run is gone and what nobody needs was collected, and says that it cannot be compared', async () => {
    const run = await startPoet();
    const session = await sessionOf(run, { node: 'poet' });
    accept((await harness.store.remove(run)) ?? {});
    await collect();
    expect(accept(await verifyRun(harness.store, session))).toMatchObject({
      problems: [],
      checkpoints: 2,
      gone: { id: run, fromNode: 'poet' },
    });
    await goOn(session, 'cat poem > again');
    expect(fileOf(session, 'again')).toBe('roses\n');
  });

  test('is forked like any other, also at a turn that it took over', async () => {
    const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const nodes = { count: { kind: 'agent', tools: ['*'], output: schema } } as const;
    const script = { count: [callShell('echo 1 > n'), { text: 'one' }, { text: '{"n": 1}' }] };
    const { run } = await harness.start({ nodes }, { script });
    const session = await sessionOf(run, { node: 'count' });
    const view = accept(viewSession(harness.store, session));
    expect(view.turns).toMatchObject([{ checkpoint: null }, { checkpoint: { changed: { paths: ['n'] } } }]);
    const early = await harness.fork(session, 1);
    expect(accept(viewSession(harness.store, early))).toMatchObject({
      forkedFrom: { id: session },
      turns: [{ inherited: true }],
      own: { usage: { replies: 0 } },
    });
    const late = await harness.fork(session, 2);
    await goOn(late, 'cat n > m');
    expect(fileOf(late, 'm')).toBe('1\n');
    for (const id of [early, late]) expect(accept(await verifyRun(harness.store, id)).problems).toEqual([]);
  });

  test('of one item of a map is that item’s', async () => {
    const body = { nodes: { say: { kind: 'agent', tools: ['*'] } } } as const;
    const document = { nodes: { map: { kind: 'map', over: '["a", "b"]', concurrency: 1, body } } } as const;
    const script = {
      'map[0]/say': [callShell('echo a >> said'), { text: 'a' }],
      'map[1]/say': [callShell('echo b >> said'), { text: 'b' }],
    };
    const { run } = await harness.start(document, { script });
    expect(await tryFork(run, { node: 'say' })).toMatchObject({ code: 'node_visit_ambiguous' });
    const first = await sessionOf(run, { node: 'say', item: 0 });
    const second = await sessionOf(run, { node: 'say', visit: 2 });
    await goOn(first, 'cp said seen');
    await goOn(second, 'cp said seen');
    expect([fileOf(first, 'seen'), fileOf(second, 'seen')]).toEqual(['a\n', 'a\nb\n']);
  });

  test('with a copy of its own finds that copy, which was never merged', async () => {
    const nodes = {
      build: program('echo built > made; echo 1'),
      own: { kind: 'agent', tools: ['*'], workspace: 'own' },
    } as const;
    const script = { own: [callShell('echo mine >> made'), { text: 'done' }] };
    const { run } = await harness.start({ nodes, edges: [{ from: 'build', to: 'own' }] }, { script });
    const session = await sessionOf(run, { node: 'own' });
    await goOn(session, 'cp made seen');
    expect(fileOf(session, 'seen')).toBe('built\nmine\n');
    expect(fileOf(run, 'made')).toBe('built\n');
  });

  test('that had no files has an empty folder', async () => {
    const { run } = await harness.start(
      { nodes: { think: { kind: 'agent' } } },
      { script: { think: [{ text: 'two' }] } },
    );
    const made = accept(await tryFork(run, { node: 'think' }));
    expect(made.workspace).toEqual({ kind: 'none', checkpoint: null, why: 'no workspace', leftOut: [] });
    await goOn(made.session ?? run, 'ls > seen');
    expect(fileOf(made.session ?? run, 'seen')).toBe('seen\n');
  });

  test('that failed can be gone on with by hand', async () => {
    const nodes = { loop: { kind: 'agent', tools: ['*'], maxRequests: 1 } } as const;
    const { run, status } = await harness.start({ nodes }, { script: { loop: [callShell('echo half > half')] } });
    expect(status).toBe('failed');
    const session = await sessionOf(run, { node: 'loop' });
    await goOn(session, 'cp half whole');
    expect(fileOf(session, 'whole')).toBe('half\n');
  });

  test('keeps what its run was forbidden', async () => {
    const nodes = { poet: { kind: 'agent', tools: ['*'] } } as const;
    const rules = [{ tool: 'shell', match: 'rm *', do: 'deny', from: 'flag' }] as const;
    const { run } = await harness.start({ nodes }, { script: { poet: [{ text: 'done' }] }, settings: { rules } });
    const session = await sessionOf(run, { node: 'poet' });
    await goOn(session, 'rm base.txt');
    expect(harness.eventsOfType(session, 'tool.result')).toMatchObject([{ outcome: 'denied' }]);
    expect(fileOf(session, 'base.txt')).toBe('base\n');
  });
});

describe('making one', () => {
  test('with one key makes one, and another request with it is refused', async () => {
    const run = await startPoet();
    const first = accept(await tryFork(run, { node: 'poet', idempotencyKey: 'k' }));
    const again = accept(await tryFork(run, { node: 'poet', idempotencyKey: 'k' }));
    expect(again).toEqual({ ...first, repeated: true });
    expect(listSessions(harness.store)).toHaveLength(1);
    expect(await tryFork(run, { node: 'poet', idempotencyKey: 'k', title: 'other' })).toMatchObject({
      code: 'key_reused',
    });
    expect(await harness.tryForkAt(run, { fromNode: 'poet', idempotencyKey: 'k' })).toMatchObject({
      code: 'key_reused',
    });
    accept((await harness.store.remove(first.session ?? run)) ?? {});
    expect(await tryFork(run, { node: 'poet', idempotencyKey: 'k' })).toMatchObject({ code: 'child_removed' });
  });

  test('can be tried without making anything', async () => {
    const run = await startPoet();
    const planned = accept(await tryFork(run, { node: 'poet', dryRun: true }));
    expect(listSessions(harness.store)).toEqual([]);
    const made = accept(await tryFork(run, { node: 'poet' }));
    expect(planned).toEqual({ ...made, session: null });
  });

  test('is refused while the agent waits, and of a program', async () => {
    const nodes = { poet: { kind: 'agent', tools: ['shell'] }, build: program('echo 1') } as const;
    const model = harness.writeNodeScript({ poet: [callShell('echo x > x'), { text: 'done' }] });
    const rules = [{ tool: 'shell', do: 'ask' }] as const;
    const { run, status } = await harness.start({ nodes }, { settings: { model, rules, onAsk: 'park' } });
    expect(status).toBe('parked');
    expect(await tryFork(run, { node: 'poet' })).toMatchObject({ code: 'turn_open' });
    expect(await tryFork(run, { node: 'build' })).toMatchObject({ code: 'not_a_session' });
    expect(listSessions(harness.store)).toEqual([]);
  });

  test('is refused when a part of the conversation was lost, and nothing is made', async () => {
    const nodes = { poet: { kind: 'agent' } } as const;
    const { run } = await harness.start({ nodes }, { script: { poet: [{ text: 'long '.repeat(60_000) }] } });
    rmSync(harness.store.pathsOf(run).blobs, { recursive: true });
    await expect(tryFork(run, { node: 'poet' })).rejects.toMatchObject({ code: 'log_damaged' });
    expect(listSessions(harness.store)).toEqual([]);
    accept((await harness.store.remove(run)) ?? {});
  });
});

describe('verifying one', () => {
  test('finds one that says what its run does not, as the auditor does', async () => {
    const run = await startPoet();
    const session = await sessionOf(run, { node: 'poet' });
    const forged = makeTestId(7);
    const drafts = harness.eventsOf(session).map(({ seq: _seq, prev: _prev, time: _time, ...body }) => {
      if (body.type === 'session.start') return { ...body, id: forged };
      return body.type === 'message' ? { ...body, message: { role: 'user', content: 'Write a will' } } : body;
    });
    const staged = harness.store.stage(forged);
    staged.append(drafts as unknown as EventDraft[]);
    await staged.commit();
    const { problems } = accept(await verifyRun(harness.store, forged));
    expect(problems).toMatchObject([{ kind: 'descent', message: `the event at offset 4 is not what run ${run} says` }]);
    expect(harness.problems()).toEqual([expect.stringContaining('L33')]);
    accept((await harness.store.remove(forged)) ?? {});
  });
});
