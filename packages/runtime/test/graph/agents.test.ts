import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  askSink,
  callShell,
  callTool,
  cel,
  type GraphHarness,
  makeFunction,
  makeGraphHarness,
  type Sink,
  startSink,
} from '@ramet/testkit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

let harness: GraphHarness;

beforeEach(() => {
  harness = makeGraphHarness({ files: { 'base.txt': 'base\n', 'AGENTS.md': 'Be brief.\n' } });
});

afterEach(() => {
  harness.remove();
});

describe('an agent', () => {
  test('works in the run’s files, and what it did is in a checkpoint before its exit', async () => {
    const nodes = {
      write: { kind: 'agent', prompt: `Write ${cel('input')}`, tools: ['*'], instructions: 'Be quick.' },
    } as const;
    const result = await harness.start(
      { nodes },
      { input: 'a poem', script: { write: [callShell('echo roses > poem'), { text: 'done' }] } },
    );
    expect(result).toMatchObject({ status: 'completed', output: 'done' });
    const events = harness.eventsOf(result.run).filter(({ node }) => node === 'write');
    expect(events.map(({ type }) => type)).toEqual([
      'node.enter',
      'session.config',
      'message',
      'model.request',
      'model.response',
      'tool.intent',
      'tool.result',
      'model.request',
      'model.response',
      'session.end',
      'workspace.checkpoint',
      'node.exit',
    ]);
    expect(events[2]).toMatchObject({ message: { role: 'user', content: 'Write a poem' } });
    expect(events[1]).toMatchObject({ instructions: [{ path: 'AGENTS.md' }] });
    expect(events[10]).toMatchObject({ changed: { added: 1, paths: ['poem'] } });
    expect(result.usage.replies).toBe(2);
    expect(harness.problems()).toEqual([]);
  });

  test('without tools has no files, and answers what it is asked', async () => {
    const nodes = { think: { kind: 'agent' } } as const;
    const result = await harness.start({ nodes }, { input: { n: 1 }, script: { think: [{ text: 'two' }] } });
    expect(result).toMatchObject({ status: 'completed', output: 'two' });
    expect(harness.eventsOfType(result.run, 'message')).toMatchObject([{ message: { content: '{"n":1}' } }]);
    expect(harness.eventsOfType(result.run, 'workspace.open')).toMatchObject([{ kind: 'none' }]);
  });

  test('puts out JSON that fits, once it is told what is wrong, or fails', async () => {
    const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const nodes = { count: { kind: 'agent', output: schema } } as const;
    const script = { count: [{ text: 'one' }, { text: '```json\n{"n": 1}\n```' }] };
    const result = await harness.start({ nodes }, { script });
    expect(result).toMatchObject({ status: 'completed', output: { n: 1 } });
    expect(harness.eventsOfType(result.run, 'session.end')).toHaveLength(2);
    const failed = await harness.start({ nodes }, { script: { count: [{ text: 'one' }, { text: '{"n": "x"}' }] } });
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'output_invalid' } });
  });

  test('has a script of its own for each path, and begins it anew at each entry', async () => {
    const body = { nodes: { say: { kind: 'agent' } } } as const;
    const document = { nodes: { map: { kind: 'map', over: '[1, 2, 3]', concurrency: 3, body } } } as const;
    const script = { say: [{ text: 'each' }], 'map[1]/say': [{ text: 'second' }] };
    const result = await harness.start(document, { script });
    expect(result).toMatchObject({ status: 'completed', output: ['each', 'second', 'each'] });
    expect(await harness.start(document, { script: { other: [] } })).toMatchObject({
      status: 'failed',
      error: { code: 'script_exhausted' },
    });
  });

  test('fails when its script changes while the run waits', async () => {
    const document = {
      nodes: { gate: { kind: 'gate', question: 'Go?' }, say: { kind: 'agent' } },
      edges: [{ from: 'gate', to: 'say' }],
    } as const;
    const parked = await harness.start(document, { script: { say: [{ text: 'old' }] } });
    const [config] = harness.eventsOfType(parked.run, 'session.config');
    writeFileSync(config?.model.script?.path ?? '', JSON.stringify({ say: [{ text: 'new' }] }));
    await harness.answer(parked.run, 'gate', true);
    expect(await harness.resume(parked.run)).toMatchObject({ status: 'failed', error: { code: 'script_changed' } });
    const other = await harness.resume(parked.run, { script: { say: [{ text: 'other' }] } });
    expect(other).toMatchObject({ status: 'completed', output: 'other' });
  });

  test('keeps to its number of requests, also when it is told to answer again', async () => {
    const nodes = { loop: { kind: 'agent', tools: ['list_files'], maxRequests: 2 } } as const;
    const calls = Array.from({ length: 3 }, () => callTool('list_files', {}));
    const result = await harness.start({ nodes }, { script: { loop: calls } });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'limit_reached' } });
    expect(harness.eventsOfType(result.run, 'model.request')).toHaveLength(2);
  });

  test('is stopped when the run has used its tokens', async () => {
    const nodes = { loop: { kind: 'agent', tools: ['list_files'] } } as const;
    const reply = { ...callTool('list_files', {}), usage: { inputTokens: 60, outputTokens: 1 } };
    const result = await harness.start(
      { nodes },
      { script: { loop: [reply, reply, reply, reply] }, settings: { limits: { maxTokens: 100 } } },
    );
    expect(result).toMatchObject({ status: 'failed', error: { code: 'limit_reached' } });
    expect(result.usage.inputTokens).toBeLessThanOrEqual(180);
    expect(harness.story(result.run)).toContain('node.exit loop interrupted');
  });

  test('that is interrupted goes on with its conversation', async () => {
    const interrupt = new AbortController();
    const stop = makeFunction('stop', () => null, {
      run: async () => {
        interrupt.abort();
        return { output: { type: 'text', value: 'stopped' } };
      },
    });
    const nodes = { work: { kind: 'agent', tools: ['stop'] } } as const;
    const model = harness.writeNodeScript({ work: [callTool('stop', {}), { text: 'went on' }] });
    const options = { functions: [stop] };
    const first = await harness.start({ nodes }, { ...options, settings: { model, signal: interrupt.signal } });
    expect(first.status).toBe('interrupted');
    const result = await harness.resume(first.run, options);
    expect(result).toMatchObject({ status: 'completed', output: 'went on' });
    expect(harness.eventsOfType(first.run, 'message')).toHaveLength(1);
    expect(harness.eventsOfType(first.run, 'tool.intent')).toHaveLength(1);
  });
});

describe('what an agent’s model proposes', () => {
  let sink: Sink;

  beforeEach(async () => {
    sink = await startSink();
  });

  afterEach(() => sink.close());

  test('is asked about as in a session; one that waits leaves the rest going on', async () => {
    const nodes = {
      ask: { kind: 'agent', tools: ['shell'] },
      free: { kind: 'agent' },
    } as const;
    const script = { ask: [callShell(askSink(sink, 'mail')), { text: 'sent' }], free: [{ text: 'free' }] };
    const model = harness.writeNodeScript(script);
    const settings = { model, sandbox: 'none', onAsk: 'park' } as const;
    const parked = await harness.start({ nodes }, { settings });
    expect(parked).toMatchObject({
      status: 'parked',
      parked: { calls: [{ node: 'ask', reason: 'approval_pending' }] },
    });
    expect(harness.story(parked.run)).toContain('node.exit free ok');
    expect(sink.seen).toEqual([]);
    const asked: string[] = [];
    const result = await harness.resume(parked.run, {
      settings: {
        sandbox: 'none',
        ask: async ({ node, tool }) => {
          asked.push(`${node} ${tool}`);
          return { answer: 'allow', scope: 'once', by: 'person' };
        },
      },
    });
    expect(result).toMatchObject({ status: 'completed', output: { ask: 'sent', free: 'free' } });
    expect(asked).toEqual(['ask shell']);
    expect(sink.seen).toEqual(['/mail']);
  });
});

describe('a branch by a model', () => {
  const document = {
    nodes: {
      way: {
        kind: 'branch',
        question: `Is ${cel('input')} good?`,
        choices: { yes: 'it is good', no: 'it is not' },
        ends: ['no'],
      },
      after: { kind: 'agent', prompt: 'Why?' },
    },
    edges: [{ from: 'way', to: 'after', on: 'yes' }],
  } as const;

  test('takes the way the model names', async () => {
    const script = { way: [{ text: '`yes`\n' }], after: [{ text: 'because' }] };
    const result = await harness.start(document, { input: 'tea', script });
    expect(result).toMatchObject({ status: 'completed', output: 'because' });
    expect(harness.eventsOfType(result.run, 'branch.take')).toMatchObject([{ take: 'yes', by: 'model' }]);
    expect(harness.eventsOfType(result.run, 'model.request')).toHaveLength(2);
  });

  test('fails on an answer that is no way', async () => {
    const result = await harness.start(document, { input: 'tea', script: { way: [{ text: 'maybe' }], after: [] } });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'output_invalid' } });
  });
});

test('a script that is none, or is one of a session, is refused before anything is made', async () => {
  const path = join(harness.area.folder, 'session.json');
  writeFileSync(path, JSON.stringify([{ text: 'x' }]));
  const document = { schema: 1, nodes: { say: { kind: 'agent' } } };
  const refused = await harness.tryStart(document, { settings: { model: `scripted:${path}` } });
  expect(refused).toMatchObject({ code: 'bad_script' });
  expect(harness.store.listRuns()).toEqual([]);
});
