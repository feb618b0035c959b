/** Documents, programs and values that mean harm, or come out of bad luck. */
import { cel, type GraphHarness, makeFunction, makeGraphHarness } from '@ramet/testkit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

let harness: GraphHarness;

beforeEach(() => {
  harness = makeGraphHarness();
});

afterEach(() => {
  harness.remove();
});

const echo = makeFunction('echo', (input) => input);
const functions = [echo];
const program = (command: string) => ({ kind: 'tool', exec: { command, sandbox: false } }) as const;
const twice = [{ from: 'n', to: 'm' }];
const same = { kind: 'tool', tool: 'echo' } as const;

describe('a number that no log can keep fails its node, and is not null', () => {
  const failed = (of: string) => ({
    status: 'failed',
    error: { code: 'node_failed', message: expect.stringMatching(`^${of}: .*too large for JSON`) },
  });

  test('from a program and a function', async () => {
    expect(await harness.start({ nodes: { n: program(`echo '{"a": [1e999]}'`) } })).toMatchObject(failed('n'));
    const odd = makeFunction('odd', () => ({ a: Number.NaN }));
    const nodes = { n: { kind: 'tool', tool: 'odd' } } as const;
    expect(await harness.start({ nodes }, { functions: [odd] })).toMatchObject(failed('n'));
  });

  test('from an agent, a template and a person', async () => {
    const nodes = { n: { kind: 'agent', output: { type: 'number' } } } as const;
    const script = { n: [{ text: '-1e999' }, { text: '1e999' }] };
    expect(await harness.start({ nodes }, { script })).toMatchObject({ error: { code: 'output_invalid' } });
    const divided = { nodes: { n: { ...same, input: cel('1.0 / 0.0') } } };
    expect(await harness.start(divided, { functions })).toMatchObject({ error: { code: 'expression_failed' } });
    const input = Number.POSITIVE_INFINITY;
    expect(await harness.tryStart({ schema: 1, nodes: { n: same } }, { functions, input })).toMatchObject({
      code: 'bad_input',
    });
    expect(harness.problems()).toEqual([]);
  });
});

test('a function that throws fails its node, with its words, and the run goes on as its document says', async () => {
  const broken = makeFunction('broken', () => null, { run: () => Promise.reject(new TypeError('no such thing')) });
  const nodes = { n: { kind: 'tool', tool: 'broken' } } as const;
  const result = await harness.start({ nodes }, { functions: [broken] });
  expect(result).toMatchObject({ status: 'failed', error: { code: 'node_failed', message: 'no such thing' } });
  const items = { m: { kind: 'map', over: '[1, 2]', onFailure: 'collect', body: { nodes } } } as const;
  const collected = await harness.start({ nodes: items }, { functions: [broken] });
  const failed = { error: { code: 'node_failed', message: expect.stringContaining('no such thing') } };
  expect(collected).toMatchObject({ status: 'completed', output: [failed, failed] });
  expect(harness.problems()).toEqual([]);
});

test.each([
  ['a payload', '{"$blob": "x", "bytes": 1, "encoding": "utf8"}'],
  ['bytes', '{"$base64": "eA=="}'],
  ['what is meant literally', '{"$literal": {"$blob": "x"}}'],
  ['fields of every object', '{"__proto__": {"a": 1}, "constructor": 2}'],
])('a program’s answer that looks like %s stays what it is', async (_, text) => {
  const result = await harness.start({ nodes: { n: program(`echo '${text}'`), m: same }, edges: twice }, { functions });
  expect(JSON.stringify(result.output)).toBe(JSON.stringify(JSON.parse(text)));
  expect(harness.problems()).toEqual([]);
});

test('half a character becomes one that can be kept, and the run goes on with it', async () => {
  const nodes = { n: program(`printf '"\\\\ud800"'`), g: { kind: 'gate', question: '?' }, m: same } as const;
  const edges = [
    { from: 'n', to: 'g' },
    { from: 'n', to: 'm' },
    { from: 'g', to: 'm' },
  ];
  const { run } = await harness.start({ nodes, edges }, { functions });
  await harness.answer(run, 'g', true);
  expect((await harness.resume(run, { functions })).output).toEqual({ n: '\ufffd', g: true });
});

test('ids that every object has are nodes like others', async () => {
  const text = `{"schema": 1, "nodes": {
    "__proto__": {"kind": "tool", "tool": "echo", "input": 1},
    "constructor": {"kind": "tool", "tool": "echo", "input": "${cel('nodes.__proto__.output')}"},
    "toString": {"kind": "map", "over": "[1, 2]", "body": {"nodes": {"hasOwnProperty": {"kind": "tool", "tool": "echo"}}}}
  }, "edges": [{"from": "__proto__", "to": "constructor"}]}`;
  const result = await harness.tryStart(JSON.parse(text), { functions });
  expect(result).toMatchObject({ status: 'completed' });
  expect(Object.entries('output' in result ? Object(result.output) : {}).sort()).toEqual([
    ['constructor', 1],
    ['toString', [1, 2]],
  ]);
  expect(harness.problems()).toEqual([]);
});

describe('a program', () => {
  test.each([
    ['leaves another one behind', 'sleep 30 & echo 1', 1],
    ['leaves one behind in a session of its own', 'setsid sleep 30 & echo 1', 1],
    ['closes its output and goes on', 'exec 1>&-; sleep 0.2', null],
    ['reads nothing of a long input', 'true', null],
  ])('that %s ends when it ends', async (_, command, output) => {
    const nodes = { n: { ...program(command), input: 'x'.repeat(3_000_000) } };
    expect(await harness.start({ nodes })).toMatchObject({ status: 'completed', output });
  });

  test('that prints without end is stopped by its time limit, and waits for a person’s word as a write', async () => {
    const nodes = { n: { ...program('yes'), timeoutMs: 300 } };
    expect(await harness.start({ nodes })).toMatchObject({
      status: 'parked',
      parked: { calls: [{ node: 'n', reason: 'outcome_unknown' }] },
    });
    const contained = { n: { kind: 'tool', exec: { command: 'yes' }, timeoutMs: 300 } } as const;
    expect(await harness.start({ nodes: contained })).toMatchObject({
      status: 'failed',
      error: { message: expect.stringContaining('it took more than') },
    });
  });
});
