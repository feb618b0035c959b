import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRefusal, type RunId } from '@ramet/core';
import { abandonRun, answerGate, resumeRun } from '@ramet/runtime/graph';
import { accept, cel, type GraphHarness, makeFunction, makeGraphHarness, makeRunSettings } from '@ramet/testkit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

let harness: GraphHarness;

beforeEach(() => {
  harness = makeGraphHarness();
});

afterEach(() => {
  harness.remove();
});

const echo = makeFunction('echo', (input) => input);

/** A tool node that answers its input. */
function echoNode(input?: unknown) {
  return { kind: 'tool' as const, tool: 'echo', ...(input === undefined ? {} : { input }) };
}

describe('a run', () => {
  test('walks tools, a branch, a map and a fold to its output', async () => {
    const result = await harness.start(
      {
        nodes: {
          first: echoNode({ items: [3, 1, 2], size: cel('input.size') }),
          way: { kind: 'branch', cases: [{ when: 'nodes.first.output.size > 2', take: 'large' }], otherwise: 'small' },
          double: {
            kind: 'map',
            over: 'nodes.first.output.items',
            concurrency: 2,
            body: { nodes: { twice: echoNode(cel('item * 2')) } },
          },
          never: echoNode('never'),
          grow: {
            kind: 'fold',
            initial: 1,
            until: 'output > 20',
            maxPasses: 10,
            body: { nodes: { more: echoNode(cel('previous * 3')) } },
          },
        },
        edges: [
          { from: 'first', to: 'way' },
          { from: 'way', to: 'double', on: 'large' },
          { from: 'way', to: 'never', on: 'small' },
          { from: 'double', to: 'grow' },
        ],
        output: { doubled: cel('nodes.double.output'), grown: cel('nodes.grow.output') },
      },
      { input: { size: 3 }, functions: [echo] },
    );
    expect(result).toMatchObject({ status: 'completed', output: { doubled: [6, 2, 4], grown: 27 } });
    expect(harness.eventsOfType(result.run, 'node.skip')).toMatchObject([
      { node: 'never', reason: "'way' took 'large'" },
    ]);
    expect(
      harness
        .eventsOf(result.run)
        .slice(0, 3)
        .map(({ type }) => type),
    ).toEqual(['graph.start', 'workspace.open', 'session.config']);
    expect(harness.problems()).toEqual([]);
  });

  test('starts every independent node before one of them has ended', async () => {
    let waiting = 0;
    let open = (): void => {};
    const all = new Promise<void>((resolve) => {
      open = resolve;
    });
    const barrier = makeFunction('barrier', async (input) => {
      waiting += 1;
      if (waiting === 4) open();
      await all;
      return input;
    });
    const node = { kind: 'tool', tool: 'barrier' } as const;
    const map = { kind: 'map', over: '[1, 2]', concurrency: 2, body: { nodes: { item: node } } } as const;
    const result = await harness.start({ nodes: { a: node, b: node, map } }, { functions: [barrier], input: 1 });
    expect(result).toMatchObject({ status: 'completed', output: { a: 1, b: 1, map: [1, 2] } });
  });

  test('costs one sync for each step of a chain', async () => {
    const syncs: boolean[] = [];
    const { store } = harness;
    const own = store.own.bind(store);
    const counted = {
      ...store,
      own: async (id: RunId) => {
        const log = await own(id);
        if (isRefusal(log)) return log;
        return {
          ...log,
          append: (...parameters: Parameters<typeof log.append>) => {
            syncs.push(parameters[1].durable);
            return log.append(...parameters);
          },
        };
      },
    };
    const ids = Array.from({ length: 10 }, (_, index) => `n${index}`);
    const id = await harness.start({ nodes: { wait: { kind: 'gate', question: 'Go?' } } });
    const document = {
      nodes: {
        gate: { kind: 'gate', question: 'Go?' } as const,
        ...Object.fromEntries(ids.map((name) => [name, echoNode()])),
      },
      edges: ids.map((name, index) => ({ from: index === 0 ? 'gate' : `n${index - 1}`, to: name })),
    };
    const parked = await harness.start(document, { functions: [echo] });
    await harness.answer(parked.run, 'gate', true);
    syncs.length = 0;
    const services = { ...harness.services, store: counted, functions: [echo] };
    const result = await resumeRun(services, { id: parked.run, settings: makeRunSettings() });
    expect(result).toMatchObject({ status: 'completed', output: true });
    expect(syncs.filter((durable) => durable)).toHaveLength(ids.length + 1);
    expect(id.status).toBe('parked');
  });

  test('refuses a document with all that is wrong with it, and an input that does not fit', async () => {
    const broken = {
      schema: 1,
      nodes: {
        a: { kind: 'tool', tool: 'no_such_tool' },
        b: { kind: 'agent', tools: ['shel'], output: { type: 'strin' } },
      },
    };
    expect(await harness.tryStart(broken)).toMatchObject({ code: 'bad_graph' });
    const unknown = {
      schema: 1,
      nodes: { a: { kind: 'tool', tool: 'no_such_tool' }, b: { kind: 'agent', tools: ['shel'] } },
    };
    expect(await harness.tryStart(unknown)).toMatchObject({
      code: 'bad_graph',
      data: { problems: [{ at: '/nodes/a/tool' }, { at: '/nodes/b/tools/0' }] },
    });
    const document = {
      schema: 1,
      input: {
        type: 'object',
        properties: { day: { pattern: '^[0-9]{4}$' }, name: { pattern: '^a+$' } },
        required: ['day'],
      },
      nodes: { a: echoNode() },
    };
    for (const input of [{}, { day: 'x' }, { day: '2024', name: 'b' }]) {
      expect(await harness.tryStart(document, { input, functions: [echo] })).toMatchObject({ code: 'bad_input' });
    }
    expect(await harness.tryStart(document, { input: { day: '2024', name: 'aa' }, functions: [echo] })).toMatchObject({
      status: 'completed',
    });
    expect(harness.store.listRuns()).toHaveLength(1);
  });

  test('tries a node again as its retry says, and says so', async () => {
    let tries = 0;
    const flaky = makeFunction('flaky', () => {
      tries += 1;
      if (tries < 3) throw Object.assign(new Error('not yet'));
      return tries;
    });
    const answering = {
      ...flaky,
      run: async (...parameters: Parameters<typeof flaky.run>) =>
        flaky.run(...parameters).catch(() => ({ output: { type: 'error-text' as const, value: 'not yet' } })),
    };
    const retry = { attempts: 3, delayMs: 1 };
    const result = await harness.start(
      { nodes: { a: { kind: 'tool', tool: 'flaky', retry } } },
      { functions: [answering] },
    );
    expect(result).toMatchObject({ status: 'completed', output: 3 });
    const exits = harness.eventsOfType(result.run, 'node.exit');
    expect(exits.map(({ attempt, outcome, retryAt }) => [attempt, outcome, retryAt !== undefined])).toEqual([
      [1, 'failed', true],
      [2, 'failed', true],
      [3, 'ok', false],
    ]);
    const keys = harness.eventsOfType(result.run, 'tool.intent').map(({ key }) => key);
    expect(new Set(keys).size).toBe(1);
  });

  test('fails with the node that failed, and tries it again when it is resumed', async () => {
    let broken = true;
    const late = makeFunction('late', (input) => input, {
      run: async (input) =>
        broken ? { output: { type: 'error-text', value: 'out of order' } } : { output: { type: 'json', value: input } },
    });
    const nodes = { before: echoNode('kept'), a: { kind: 'tool', tool: 'late' } as const };
    const edges = [{ from: 'before', to: 'a' }];
    const failed = await harness.start({ nodes, edges }, { functions: [echo, late] });
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'node_failed', message: 'a: out of order' } });
    broken = false;
    const resumed = await harness.resume(failed.run, { functions: [echo, late] });
    expect(resumed).toMatchObject({ status: 'completed', output: 'kept' });
    const enters = harness.eventsOfType(failed.run, 'node.enter').map(({ node, attempt }) => [node, attempt]);
    expect(enters).toEqual([
      ['before', 1],
      ['a', 1],
      ['a', 2],
    ]);
    const again = await resumeRun(harness.services, { id: failed.run, settings: makeRunSettings() });
    expect(again).toMatchObject({ code: 'run_ended' });
  });

  test('fails, and does not fall, when values grow too deep for any event', async () => {
    const grow = {
      kind: 'fold',
      initial: 0,
      until: 'false',
      maxPasses: 300,
      body: { nodes: { wrap: echoNode({ in: cel('previous') }) } },
    } as const;
    const failed = await harness.start({ nodes: { grow } }, { functions: [echo] });
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'node_failed' } });
    // No tool is in this one: what the document itself puts together grows.
    const way = { kind: 'branch', cases: [{ when: 'true', take: 'on' }], ends: ['on'] } as const;
    const body = { nodes: { way }, output: { in: cel('previous') } };
    const nodes = { wrapped: { ...grow, body } };
    expect(await harness.start({ nodes })).toMatchObject({ status: 'failed', error: { code: 'event_too_large' } });
    const deep = JSON.parse(`${'['.repeat(100)}${']'.repeat(100)}`) as unknown;
    expect(
      await harness.tryStart({ schema: 1, nodes: { a: echoNode() } }, { functions: [echo], input: deep }),
    ).toMatchObject({ code: 'bad_input' });
  });

  test('is abandoned once, and never gone on with', async () => {
    const parked = await harness.start({ nodes: { gate: { kind: 'gate', question: 'Go?' } } });
    expect(await abandonRun(harness.services, { id: parked.run, reason: 'enough' })).toBeNull();
    expect(await abandonRun(harness.services, { id: parked.run })).toMatchObject({ code: 'run_ended' });
    const gone = await answerGate(harness.services, { id: parked.run, answer: true, by: 'person' });
    expect(gone).toMatchObject({ code: 'run_ended' });
  });

  test('is interrupted by the first signal, and goes on later', async () => {
    const interrupt = new AbortController();
    let started = 0;
    const slow = makeFunction('slow', () => null, {
      run: async (input, { signal }) => {
        started += 1;
        if (started > 1) return { output: { type: 'json', value: input } };
        interrupt.abort();
        expect(signal.aborted).toBe(true);
        return { output: { type: 'error-text', value: 'stopped' }, aborted: true };
      },
    });
    const stopped = await harness.start(
      { nodes: { a: { kind: 'tool', tool: 'slow' } } },
      { functions: [slow], settings: { signal: interrupt.signal }, input: 5 },
    );
    expect(stopped.status).toBe('interrupted');
    expect(harness.story(stopped.run).slice(-2)).toEqual(['tool.result a interrupted', 'node.exit a interrupted']);
    expect(await harness.resume(stopped.run, { functions: [slow] })).toMatchObject({ status: 'completed', output: 5 });
  });
});

describe('gates', () => {
  test('take an answer that fits, once, by path, by offset, or as the only one', async () => {
    const document = {
      nodes: {
        a: { kind: 'gate', question: `Which of ${cel('input')}?`, answer: { enum: ['x', 'y'] } },
        b: { kind: 'gate', question: 'Sure?' },
      },
    } as const;
    const parked = await harness.start(document, { input: [1] });
    expect(parked.parked?.gates).toMatchObject([
      { node: 'a', question: 'Which of [1]?', answerSchema: { enum: ['x', 'y'] } },
      { node: 'b', question: 'Sure?', answerSchema: { type: 'boolean' } },
    ]);
    const id = parked.run;
    const answer = (gate: number | string | undefined, value: unknown) =>
      answerGate(harness.services, { id, ...(gate === undefined ? {} : { gate }), answer: value, by: 'person' });
    expect(await answer(undefined, 'x')).toMatchObject({
      code: 'ambiguous_gate',
      data: { open: [{ node: 'a' }, { node: 'b' }] },
    });
    expect(await answer('c', 'x')).toMatchObject({ code: 'unknown_gate' });
    expect(await answer('a', 'z')).toMatchObject({ code: 'bad_input' });
    const offset = parked.parked?.gates[0]?.offset;
    expect(await answer(offset, 'x')).toEqual({ node: 'a', gate: offset });
    expect(await answer('a', 'x')).toEqual({ node: 'a', gate: offset });
    expect(await answer('a', 'y')).toMatchObject({ code: 'gate_answered' });
    accept(await answer(undefined, false));
    expect(await harness.resume(id)).toMatchObject({ status: 'completed', output: { a: 'x', b: false } });
    expect(harness.eventsOfType(id, 'gate.answer')).toHaveLength(2);
  });
});

describe('programs', () => {
  test('read JSON, answer JSON, and write the workspace one after the other', async () => {
    const append = 'read -r x; test ! -e busy; touch busy; echo "$x" >> list; rm busy; wc -l < list';
    const node = { kind: 'tool', exec: { command: append } } as const;
    const result = await harness.start({ nodes: { a: node, b: node, c: node } }, { input: { n: 1 } });
    expect(result.status).toBe('completed');
    expect(Object.values(result.output as object).sort()).toEqual([1, 2, 3]);
    const checkpoints = harness.eventsOfType(result.run, 'workspace.checkpoint').map(({ node: path }) => path);
    expect(checkpoints).toHaveLength(4);
    expect(checkpoints[0]).toBeUndefined();
    expect(new Set(checkpoints.slice(1))).toEqual(new Set(['a', 'b', 'c']));
  });

  test('fail with their status, and with what is no JSON', async () => {
    const bad = { kind: 'tool', exec: { command: 'echo oops >&2; exit 3' } } as const;
    expect(await harness.start({ nodes: { bad } })).toMatchObject({
      status: 'failed',
      error: { code: 'node_failed', message: 'bad: it ended with status 3: oops' },
    });
    const words = { kind: 'tool', exec: { command: 'echo oops' } } as const;
    expect(await harness.start({ nodes: { words } })).toMatchObject({ status: 'failed' });
    const nothing = { kind: 'tool', exec: { command: 'true' } } as const;
    expect(await harness.start({ nodes: { nothing } })).toMatchObject({ status: 'completed', output: null });
  });

  test('run on the host where the document says so, and are told who they are', async () => {
    const command = [
      'sh',
      '-c',
      'printf \'{"cwd":"%s","run":"%s","node":"%s","attempt":"%s","key":"%s"}\' "$PWD" "$RAMET_RUN" "$RAMET_NODE" "$RAMET_ATTEMPT" "$RAMET_IDEMPOTENCY_KEY"',
    ];
    const nodes = { here: { kind: 'tool', exec: { command, sandbox: false }, effect: 'idempotent' } } as const;
    const result = await harness.start({ nodes });
    const [intent] = harness.eventsOfType(result.run, 'tool.intent');
    expect(intent).toMatchObject({ tool: 'exec', effect: 'idempotent', contained: false, input: { command } });
    expect(result.output).toEqual({
      cwd: harness.repository,
      run: result.run,
      node: 'here',
      attempt: '1',
      key: intent?.key,
    });
  });

  test('are denied by a rule, also a rule of an earlier command', async () => {
    const nodes = {
      gate: { kind: 'gate', question: 'Go?' },
      a: { kind: 'tool', exec: { command: 'echo 1' } },
    } as const;
    const rules = [{ tool: 'exec', do: 'deny' }] as const;
    const parked = await harness.start({ nodes, edges: [{ from: 'gate', to: 'a' }] }, { settings: { rules } });
    await harness.answer(parked.run, 'gate', true);
    expect(await harness.resume(parked.run)).toMatchObject({ status: 'failed', error: { code: 'approval_denied' } });
    expect(harness.eventsOfType(parked.run, 'tool.intent')).toEqual([]);
  });

  test('that are asked about wait for a person, while the rest goes on', async () => {
    const nodes = {
      asked: { kind: 'tool', exec: { command: 'echo 1' }, workspace: 'none' },
      free: echoNode(2),
    } as const;
    const rules = [{ tool: 'exec', do: 'ask' }] as const;
    const parked = await harness.start({ nodes }, { functions: [echo], settings: { rules, onAsk: 'park' } });
    expect(parked).toMatchObject({
      status: 'parked',
      parked: { calls: [{ node: 'asked', reason: 'approval_pending' }] },
    });
    expect(harness.story(parked.run)).toContain('node.exit free ok');
    const result = await harness.resume(parked.run, {
      functions: [echo],
      settings: {
        ask: async ({ node, tool }) => ({
          answer: node === 'asked' && tool === 'exec' ? 'allow' : 'deny',
          scope: 'once',
          by: 'person',
        }),
      },
    });
    expect(result).toMatchObject({ status: 'completed', output: { asked: 1, free: 2 } });
  });

  test('that wait for a person are let go when the run fails beside them', async () => {
    const fall = makeFunction('fall', () => {
      throw new Error('no');
    });
    const nodes = {
      waits: { kind: 'tool', exec: { command: 'echo 1' }, workspace: 'none' },
      // Its call and the question are recorded together: the next node begins when the other has nothing left to do.
      free: echoNode(1),
      falls: { kind: 'tool', tool: 'fall' },
    } as const;
    const rules = [{ tool: 'exec', do: 'ask' }] as const;
    const failed = await harness.start(
      { nodes, edges: [{ from: 'free', to: 'falls' }] },
      { functions: [echo, fall], settings: { rules, onAsk: 'park' } },
    );
    expect(failed).toMatchObject({ status: 'failed', error: { message: expect.stringContaining('falls') } });
    expect(harness.story(failed.run)).toContain('node.exit waits interrupted');
    expect(harness.eventsOfType(failed.run, 'approval.request')).toHaveLength(1);
  });

  test('with a workspace of their own see the run’s files, and leave them as they are', async () => {
    mkdirSync(join(harness.repository, 'sub'));
    writeFileSync(join(harness.repository, 'sub', 'untracked'), 'x');
    const own = {
      kind: 'tool',
      workspace: 'own',
      exec: { command: 'cat base.txt >> mine; echo >> base.txt; ls | wc -l' },
    } as const;
    const look = { kind: 'tool', exec: { command: 'ls | wc -l' } } as const;
    const result = await harness.start({ nodes: { own, look }, edges: [{ from: 'own', to: 'look' }] });
    expect(result).toMatchObject({ status: 'completed', output: 1 });
    expect(harness.eventsOfType(result.run, 'node.exit')[0]?.output).toBe(2);
    const [base, kept] = harness.eventsOfType(result.run, 'workspace.checkpoint');
    expect(kept).toMatchObject({ node: 'own', changed: { added: 1, modified: 1 } });
    expect(harness.eventsOfType(result.run, 'workspace.restore')).toMatchObject([
      { node: 'own', checkpoint: base?.id, outcome: 'restored' },
    ]);
  });
});
