import { describe, expect, it } from 'vitest';
import { isGraphProblems, validateGraph } from '../../../src/graph/index.ts';
import { cel, documentOf, told, WHOLE } from './documents.ts';

/** `at: message` of each problem. */
function problemsOf(value: unknown): string[] {
  const result = validateGraph(value);
  return isGraphProblems(result) ? result.map(({ at, message }) => `${at}: ${message}`) : [];
}

const body = { nodes: { inner: told('x') } };
const chain = (...ids: string[]) => ids.slice(1).map((to, index) => ({ from: ids[index], to }));
const agents = (...ids: string[]) => Object.fromEntries(ids.map((id) => [id, { kind: 'agent' }]));

describe('a document', () => {
  it('that is right is answered itself', () => {
    expect(problemsOf(WHOLE)).toEqual([]);
    expect(validateGraph(WHOLE)).toBe(WHOLE);
  });

  it.each([
    [null, ': must be an object, not null'],
    [[], ': must be an object, not a list'],
    ['graph', ': must be an object, not a text'],
    [undefined, ': a undefined is no value of JSON'],
    [{ schema: 1, nodes: { a: 5n } }, '/nodes/a: a bigint is no value of JSON'],
    [{ schema: 1, nodes: { a: new Map() } }, '/nodes/a: the object is no value of JSON'],
    [{ schema: 1, nodes: { a: { toJSON: () => 1 } } }, '/nodes/a: the object is no value of JSON'],
    [documentOf({ a: told('\uD800') }), '/nodes/a/prompt: the text is no well-formed Unicode'],
    [documentOf({ a: told(Number.NaN) }), '/nodes/a/prompt: NaN is no number of JSON'],
    [documentOf({ a: told('x'.repeat(6_000_000)) }), ': the document is larger than 5 MiB'],
    [documentOf({ a: told('\u20AC'.repeat(2_000_000)) }), ': the document is larger than 5 MiB'],
    [documentOf({}), '/nodes: must not be empty'],
    [documentOf(agents('a'), { schema: 2 }), '/schema: must be 1'],
    [documentOf(agents('a'), { nodse: {} }), "/nodse: unknown field 'nodse'; did you mean 'nodes'?"],
    [documentOf(agents('a'), { limits: { maxCost: 0 } }), '/limits/maxCost: must be above 0'],
    [
      documentOf({ 'a b': { kind: 'agent' } }),
      "/nodes/a b: 'a b' is no id: a letter or '_', then at most 63 letters, digits, '_' or '-'",
    ],
    [
      documentOf({ a: { kind: 'agnet' } }),
      "/nodes/a/kind: must be 'agent' or 'tool' or 'gate' or 'branch' or 'map' or 'fold'; did you mean 'agent'?",
    ],
    [documentOf({ a: {} }), "/nodes/a: 'kind' is missing: agent, tool, gate, branch, map, fold"],
    [documentOf({ a: null }), '/nodes/a: must be a node, not null'],
    [documentOf({ a: { kind: 'agent', promt: 'x' } }), "/nodes/a/promt: unknown field 'promt'; did you mean 'prompt'?"],
    [documentOf({ a: { kind: 'agent', toString: 1 } }), "/nodes/a/toString: unknown field 'toString'"],
    [documentOf({ a: { kind: 'tool' } }), "/nodes/a: 'tool' or 'exec' is missing"],
    [
      documentOf({ a: { kind: 'tool', tool: 't', exec: { command: 'x' } } }),
      "/nodes/a: must have 'tool' or 'exec', not both",
    ],
    [documentOf({ a: { kind: 'tool', exec: { command: [] } } }), '/nodes/a/exec/command: must not be empty'],
    [
      documentOf({ a: { kind: 'tool', exec: { command: [''] } } }),
      '/nodes/a/exec/command: the program must not be empty',
    ],
    [
      documentOf({ a: { kind: 'tool', exec: { command: 7 } } }),
      '/nodes/a/exec/command: must be a text or a list, not 7',
    ],
    [
      documentOf({ a: { kind: 'tool', exec: { command: cel('input.x') } } }),
      "/nodes/a/exec/command: a command is no template: give it values in 'input', which it reads as JSON from stdin",
    ],
    [
      documentOf({ a: { kind: 'tool', exec: { command: 'x', sandbox: false, allowNet: [] } } }),
      "/nodes/a/exec/allowNet: means nothing without the sandbox: with 'sandbox: false' every host is reached",
    ],
    [
      documentOf({ a: { kind: 'agent', retry: { attempts: 0 } } }),
      '/nodes/a/retry/attempts: must be at least 1, not 0',
    ],
    [
      documentOf({ a: { kind: 'agent', retry: { attempts: 1.5 } } }),
      '/nodes/a/retry/attempts: must be a whole number, not 1.5',
    ],
    [
      documentOf({ a: { kind: 'agent', retry: { attempts: 2, delayMs: 9, maxDelayMs: 1 } } }),
      "/nodes/a/retry/maxDelayMs: must be at least 'delayMs' (9), not 1",
    ],
    [
      documentOf({ a: { kind: 'agent', timeoutMs: 2 ** 31 } }),
      '/nodes/a/timeoutMs: must be at most 2147483647, not 2147483648',
    ],
    [
      documentOf({ a: { kind: 'agent', output: { type: 'strin' } } }),
      '/nodes/a/output/type: unknown type "strin"; did you mean \'string\'?',
    ],
    [
      documentOf({ a: { kind: 'agent', output: { properties: { b: 1 } } } }),
      '/nodes/a/output/properties/b: must be a JSON Schema',
    ],
    [
      documentOf({ a: { kind: 'agent', output: { $ref: 'http://x/y' } } }),
      '/nodes/a/output/$ref: must point into this schema (#/…): nothing is fetched',
    ],
    [
      documentOf({ a: { kind: 'branch', choices: { x: 'y' }, otherwise: 'x', ends: ['x'] } }),
      "/nodes/a/otherwise: 'otherwise' is nothing without 'cases'",
    ],
  ])('that is wrong says where: case %#', (value, problem) => {
    expect(problemsOf(value)).toEqual([problem]);
  });

  it('that holds itself is refused', () => {
    const value: Record<string, unknown> = { schema: 1 };
    value.nodes = value;
    expect(problemsOf(value)).toEqual([expect.stringMatching(/^(\/nodes){100}.*: nested deeper than 100$/)]);
  });

  it('says everything that is wrong with it at once', () => {
    const nodes = {
      a: { kind: 'agent', prompt: cel('nodes.z.output'), timeout: 1 },
      b: { kind: 'gate' },
      c: { kind: 'map', over: '1 +', body: { nodes: { d: { kind: 'fold', until: 'x', maxPasses: 0, body } } } },
    };
    expect(problemsOf({ nodes, edges: [{ from: 'a', to: 'q' }] }).map((problem) => problem.split(':')[0])).toEqual([
      '',
      '/nodes/a/timeout',
      '/nodes/b',
      '/nodes/c/body/nodes/d/maxPasses',
      '/edges/0/to',
      '/nodes/a/prompt',
      '/nodes/c/over',
      '/nodes/c/body/nodes/d/until',
    ]);
  });

  it('has ids like those of JavaScript, and they mean nothing', () => {
    const text = `{"schema": 1, "edges": [{"from": "__proto__", "to": "constructor"}], "nodes": {
      "__proto__": {"kind": "agent"}, "constructor": {"kind": "agent", "prompt": "${cel('nodes.__proto__.output')}"}}}`;
    expect(problemsOf(JSON.parse(text))).toEqual([]);
    expect(problemsOf(documentOf(agents('a'), { edges: [{ from: 'toString', to: 'a' }] }))).toEqual([
      "/edges/0/from: unknown node 'toString'",
    ]);
  });

  it('says of names no more than a line holds', () => {
    const result = problemsOf(documentOf(agents('a'), { edges: [{ from: 'x'.repeat(100_000), to: 'a' }] }));
    expect(result.every((problem) => problem.length < 700)).toBe(true);
    expect(result).toHaveLength(2);
  });

  it('says no more than anybody reads, and ends soon, however much is wrong', () => {
    const ids = Array.from({ length: 9000 }, (_, index) => `node_${index}`);
    const nodes = Object.fromEntries(ids.map((id) => [id, told(cel('nodes.nobody.output + nodes.noone.output'))]));
    const result = problemsOf(documentOf(nodes));
    expect(result).toHaveLength(1001);
    expect(result.at(-1)).toBe(': and more');
  });

  it('may have 10,000 nodes, each seeing all before it, and no more', () => {
    const ids = Array.from({ length: 10_000 }, (_, index) => `n${index}`);
    const nodes = Object.fromEntries(ids.map((id, at) => [id, told(at < 2 ? '' : cel(`nodes.n${at - 2}.output`))]));
    expect(problemsOf(documentOf(nodes, { edges: chain(...ids) }))).toEqual([]);
    const inner = { nodes: { more: told('') } };
    const result = problemsOf(documentOf({ ...nodes, n0: { kind: 'map', over: 'input', body: inner } }));
    expect(result).toContain(': must have at most 10000 nodes, has 10001');
  });

  it('has bodies eight deep, and no more', () => {
    const nest = (depth: number): unknown =>
      depth === 0
        ? agents('leaf')
        : { [`m${depth}`]: { kind: 'map', over: 'input', body: { nodes: nest(depth - 1) } } };
    expect(problemsOf(documentOf(nest(8)))).toEqual([]);
    expect(problemsOf(documentOf(nest(9)))).toEqual([
      expect.stringMatching(/: bodies lie in each other more than 8 deep$/),
    ]);
    expect(problemsOf(documentOf(nest(30)))).toHaveLength(1);
  });
});
