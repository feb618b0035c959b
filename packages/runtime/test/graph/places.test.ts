/** Files of runs, limits, MCP tools, and agents that die. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LoggedEvent, RunId } from '@ramet/core';
import { resolveCall } from '@ramet/runtime/runs';
import { planRemoval } from '@ramet/runtime/upkeep';
import {
  accept,
  askSink,
  callShell,
  callTool,
  cutRunLog,
  type GraphHarness,
  makeFunction,
  makeGraphHarness,
  type ScriptReply,
  startSink,
  writeFiles,
} from '@ramet/testkit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createWorkspaceLock } from '../../src/graph/places/workspace-lock.ts';

let harness: GraphHarness;

beforeEach(() => {
  harness = makeGraphHarness();
});

afterEach(() => {
  harness.remove();
});

const echo = makeFunction('echo', (input) => input);

function program(command: string, extra: object = {}) {
  return { kind: 'tool' as const, exec: { command }, ...extra };
}

describe('a fork', () => {
  test('finds the files of its boundary, and each copy cut anew', async () => {
    const nodes = {
      one: program('echo one > file; echo 1'),
      two: program('echo two >> file; wc -l < file'),
      own: program('echo own >> file; wc -l < file', { workspace: 'own' }),
      three: program('wc -l < file'),
    };
    const edges = [
      { from: 'one', to: 'two' },
      { from: 'two', to: 'own' },
      { from: 'own', to: 'three' },
    ];
    const source = await harness.start({ nodes, edges });
    expect(source).toMatchObject({ status: 'completed', output: 2 });
    const child = await harness.forkAt(source.run, { fromNode: 'two' });
    expect(await harness.resume(child)).toMatchObject({ status: 'completed', output: 2 });
    const [first, , second] = harness.eventsOfType(source.run, 'workspace.checkpoint');
    expect(harness.eventsOfType(child, 'workspace.restore')).toMatchObject([
      { checkpoint: harness.eventsOfType(source.run, 'workspace.checkpoint')[1]?.id, outcome: 'restored' },
      { node: 'own', outcome: 'restored' },
    ]);
    expect(first?.node).toBeUndefined();
    // What was restored is what its checkpoint says: there is nothing to keep before the first node.
    const [forked] = harness.eventsOfType(child, 'graph.start');
    const own = harness
      .eventsOfType(child, 'workspace.checkpoint')
      .filter(({ seq }) => seq > (forked?.forkedFrom?.offset ?? 0));
    expect(own.map(({ node }) => node)).toEqual(['two', 'own']);
    expect(second?.node).toBe('two');
    expect(readFileSync(join(harness.workspaceOf(child), 'file'), 'utf8')).toBe('one\ntwo\n');
    expect(readFileSync(join(harness.workspaceOf(source.run), 'file'), 'utf8')).toBe('one\ntwo\n');
    expect(harness.problems()).toEqual([]);
  });
});

describe('the run’s files', () => {
  test('held by an agent that waits for a person, make others wait, and the run is parked', async () => {
    const nodes = {
      agent: { kind: 'agent', tools: ['shell'] },
      late: program('echo 1'),
    } as const;
    const asked = { tool: 'shell', do: 'ask' } as const;
    const script = { agent: [callShell('echo x > x'), { text: 'done' }] };
    const model = harness.writeNodeScript(script);
    const parked = await harness.start({ nodes }, { settings: { model, rules: [asked], onAsk: 'park' } });
    expect(parked).toMatchObject({ status: 'parked', parked: { calls: [{ node: 'agent' }] } });
    expect(harness.story(parked.run).filter((line) => line.startsWith('node.exit'))).toEqual([]);
    const result = await harness.resume(parked.run, {
      settings: { ask: async () => ({ answer: 'allow', scope: 'once', by: 'person' }) },
    });
    expect(result).toMatchObject({ status: 'completed', output: { agent: 'done', late: 1 } });
  });

  test('are a folder in place where that is asked for, without checkpoints', async () => {
    const nodes = { write: program('echo hi > here; echo 1') };
    const result = await harness.start({ nodes }, { run: { workspace: 'directory' } });
    expect(result).toMatchObject({ status: 'completed', output: 1 });
    expect(existsSync(join(harness.repository, 'here'))).toBe(true);
    expect(harness.eventsOfType(result.run, 'workspace.checkpoint')).toEqual([]);
    const own = await harness.tryStart(
      { schema: 1, nodes: { write: program('echo 1', { workspace: 'own' }) } },
      { run: { workspace: 'directory' } },
    );
    expect(own).toMatchObject({ code: 'no_workspace' });
  });

  test('go to readers together and to a writer alone, in the order in which they asked', async () => {
    const lock = createWorkspaceLock();
    const { signal } = new AbortController();
    const order: string[] = [];
    const waits = (): void => {};
    const take = async (name: string, access: 'read' | 'write') => {
      const release = await lock.acquire(access, { signal, waits });
      order.push(name);
      return release;
    };
    const [one, two] = await Promise.all([take('read 1', 'read'), take('read 2', 'read')]);
    const writer = take('write', 'write');
    const late = take('read 3', 'read');
    one?.();
    one?.();
    await Promise.resolve();
    expect(order).toEqual(['read 1', 'read 2']);
    two?.();
    (await writer)();
    await late;
    expect(order).toEqual(['read 1', 'read 2', 'write', 'read 3']);
  });

  test('waited for by one that is stopped are nobody’s to wait for', async () => {
    const lock = createWorkspaceLock();
    const stop = new AbortController();
    const never = new AbortController();
    const release = await lock.acquire('write', { signal: never.signal, waits: () => {} });
    const told: boolean[] = [];
    const stopped = lock.acquire('write', { signal: stop.signal, waits: (waiting) => told.push(waiting) });
    const next = lock.acquire('read', { signal: never.signal, waits: () => {} });
    stop.abort();
    await expect(stopped).rejects.toThrow();
    expect(told).toEqual([true, false]);
    release();
    (await next)();
  });
});

describe('the copy of a node whose process died', () => {
  test('is work that a removal would lose, is gone on with, and is gone when the node is done', async () => {
    let run = '' as RunId;
    const death = new Error('the process dies here');
    const observer = {
      run: (id: RunId) => {
        run = id;
      },
      event: ({ type }: LoggedEvent) => {
        if (type === 'tool.result') throw death;
      },
    };
    const nodes = { own: program('echo work >> mine; wc -l < mine', { workspace: 'own' }) };
    await expect(harness.tryStart({ schema: 1, nodes }, { settings: { observer } })).rejects.toBe(death);
    const plan = async () => accept(await planRemoval(harness.services, [run])).runs.flatMap(({ unsaved }) => unsaved);
    const left = expect.objectContaining({
      kind: 'not_comparable',
      message: expect.stringContaining('copies of nodes'),
    });
    expect(await plan()).toContainEqual(left);
    const { seq } = harness.eventsOfType(run, 'tool.intent')[0] ?? { seq: 0 };
    cutRunLog(join(harness.store.pathsOf(run).folder, 'log'), seq + 1);
    expect(await harness.resume(run)).toMatchObject({ status: 'completed', output: 2 });
    expect(await plan()).not.toContainEqual(left);
    expect(readdirSync(join(harness.store.pathsOf(run).folder, 'workspaces'))).toEqual([]);
  });
});

describe('budgets', () => {
  test('of steps and of time end a run, and a larger one lets it go on', async () => {
    const body = { nodes: { x: { kind: 'tool', tool: 'echo' } } } as const;
    const nodes = { f: { kind: 'fold', until: 'pass >= 5', maxPasses: 9, body } } as const;
    const stopped = await harness.start(
      { nodes, limits: { maxSteps: 50 } },
      { functions: [echo], settings: { limits: { maxSteps: 3 } } },
    );
    expect(stopped).toMatchObject({ status: 'failed', error: { code: 'limit_reached' } });
    expect(harness.eventsOfType(stopped.run, 'node.enter')).toHaveLength(3);
    expect(await harness.resume(stopped.run, { functions: [echo] })).toMatchObject({ status: 'completed' });
    let aborted = false;
    const slow = makeFunction('slow', () => null, {
      run: (_, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            aborted = true;
            resolve({ output: { type: 'error-text', value: 'stopped' }, aborted: true });
          });
        }),
    });
    const late = await harness.start(
      { nodes: { s: { kind: 'tool', tool: 'slow' } }, limits: { maxTimeMs: 100 } },
      { functions: [slow] },
    );
    expect(late).toMatchObject({ status: 'failed', error: { code: 'limit_reached' } });
    expect(aborted).toBe(true);
    expect(harness.story(late.run)).toContain('node.exit s interrupted');
  });
});

describe('Ctrl-C', () => {
  test('in a program that may have reached the outside leaves its outcome to a person', async () => {
    const interrupt = new AbortController();
    const sink = await startSink();
    sink.onRequest = () => interrupt.abort();
    const command = ['bash', '-c', `${askSink(sink, 'mail')}; read -r forever < <(sleep 60)`];
    const nodes = { w: { kind: 'tool', exec: { command, sandbox: false } }, late: program('echo 1') } as const;
    const edges = [{ from: 'w', to: 'late' }];
    const stopped = await harness.start({ nodes, edges }, { settings: { signal: interrupt.signal } });
    expect(stopped.status).toBe('interrupted');
    const parked = await harness.resume(stopped.run);
    expect(parked).toMatchObject({ status: 'parked', parked: { calls: [{ node: 'w', reason: 'outcome_unknown' }] } });
    expect(sink.seen).toEqual(['/mail']);
    const offset = parked.parked?.calls[0]?.offset ?? 0;
    accept(await resolveCall(harness.store, { id: stopped.run, offset, resolution: 'happened' }));
    expect(await harness.resume(stopped.run)).toMatchObject({ status: 'completed', output: 1 });
    await sink.close();
  });
});

describe('a tool of an MCP server', () => {
  test('is called by a node, with the key of the call, and without a question', async () => {
    const outbox = join(harness.area.folder, 'outbox');
    const server = join(import.meta.dirname, '../mcp/servers/mail.ts');
    const mail = { command: process.execPath, args: [server, outbox] };
    writeFiles(join(harness.area.folder, 'config/ramet'), { 'ramet.json': JSON.stringify({ mcpServers: { mail } }) });
    const nodes = { send: { kind: 'tool', tool: 'mcp__mail__send', input: { to: 'ada' } } } as const;
    const result = await harness.start({ nodes });
    expect(result).toMatchObject({ status: 'completed', output: { receipt: 'r-ada' } });
    expect(harness.eventsOfType(result.run, 'tool.intent')).toMatchObject([{ effect: 'write', contained: false }]);
    expect(readFileSync(outbox, 'utf8')).toBe('{"to":"ada"}\n');
    const died = await harness.start({
      nodes: { die: { kind: 'tool', tool: 'mcp__mail__die', input: { to: 'bob' } } },
    });
    expect(died).toMatchObject({ status: 'parked', parked: { calls: [{ node: 'die', reason: 'outcome_unknown' }] } });
  });
});

describe('an agent', () => {
  /** Dies as soon as an event is recorded. */
  function dieAt(is: (event: LoggedEvent) => boolean) {
    const death = new Error('the process dies here');
    const observer = {
      event: (event: LoggedEvent) => {
        if (is(event)) throw death;
      },
    };
    return { death, observer };
  }

  const nodes = { work: { kind: 'agent', tools: ['shell', 'note'] } } as const;

  test('that died goes on with its conversation, in a new attempt', async () => {
    const noted: unknown[] = [];
    const note = makeFunction('note', (input) => {
      noted.push(input);
      return 'noted';
    });
    const replies: readonly ScriptReply[] = [callTool('note', 1), callTool('note', 2), { text: 'done' }];
    const model = harness.writeNodeScript({ work: replies });
    const { death, observer } = dieAt(({ type, seq }) => type === 'tool.result' && seq > 0 && noted.length === 2);
    let id = '' as RunId;
    const run = (run: RunId): void => {
      id = run;
    };
    const started = harness.tryStart(
      { schema: 1, nodes },
      { functions: [note], settings: { model, observer: { ...observer, run } } },
    );
    await expect(started).rejects.toBe(death);
    expect(await harness.resume(id, { functions: [note] })).toMatchObject({ status: 'completed', output: 'done' });
    expect(noted).toEqual([1, 2]);
    expect(harness.eventsOfType(id, 'message')).toHaveLength(1);
    expect(harness.eventsOfType(id, 'node.enter').map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(harness.problems()).toEqual([]);
  });

  test('whose attempt failed begins anew, and is asked about what it wrote before', async () => {
    const sink = await startSink();
    const command = askSink(sink, 'mail');
    const failing = { work: { ...nodes.work, output: { type: 'number' }, retry: { attempts: 2 } } } as const;
    const script = { work: [callShell(command), { text: 'no' }, { text: 'still no' }] };
    const model = harness.writeNodeScript(script);
    const asked: string[] = [];
    const result = await harness.start(
      { nodes: failing },
      {
        functions: [makeFunction('note', () => null)],
        settings: {
          model,
          sandbox: 'none',
          rules: [{ tool: 'shell', do: 'allow' }],
          ask: async ({ reason, outstanding }) => {
            asked.push(`${reason} (${outstanding.length})`);
            return { answer: 'deny', scope: 'once', by: 'person' };
          },
        },
      },
    );
    expect(result).toMatchObject({ status: 'failed', error: { code: 'output_invalid' } });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain('has made this very write already');
    expect(sink.seen).toEqual(['/mail']);
    await sink.close();
  });

  test('that died in a write waits for a person’s word, and is given it as the call’s result', async () => {
    const sink = await startSink();
    const model = harness.writeNodeScript({ work: [callShell(askSink(sink, 'mail')), { text: 'done' }] });
    let id = '' as RunId;
    const { death, observer } = dieAt(({ type }) => type === 'tool.result');
    const settings = { model, sandbox: 'none', rules: [{ tool: 'shell', do: 'allow' }] } as const;
    const functions = [makeFunction('note', () => null)];
    const run = (run: RunId): void => {
      id = run;
    };
    const started = harness.tryStart(
      { schema: 1, nodes },
      { functions, settings: { ...settings, observer: { ...observer, run } } },
    );
    await expect(started).rejects.toBe(death);
    const { seq } = harness.eventsOfType(id, 'tool.intent')[0] ?? { seq: 0 };
    cutRunLog(join(harness.store.pathsOf(id).folder, 'log'), seq + 1);
    const parked = await harness.resume(id, { functions, settings });
    expect(parked).toMatchObject({ status: 'parked', parked: { calls: [{ node: 'work', offset: seq }] } });
    accept(await resolveCall(harness.store, { id, offset: seq, resolution: 'happened' }));
    expect(await harness.resume(id, { functions, settings })).toMatchObject({ status: 'completed', output: 'done' });
    expect(sink.seen).toEqual(['/mail']);
    expect(harness.problems()).toEqual([]);
    await sink.close();
  });
});
