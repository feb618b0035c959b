import { describe, expect, it } from 'vitest';
import { isGraphProblems, validateGraph } from '../../../src/graph/index.ts';
import { cel, documentOf, told } from './documents.ts';

function problemsOf(nodes: unknown, edges: unknown, rest: Readonly<Record<string, unknown>> = {}): string[] {
  const result = validateGraph(documentOf(nodes, { edges, ...rest }));
  return isGraphProblems(result) ? result.map(({ at, message }) => `${at}: ${message}`) : [];
}

const agents = (...ids: string[]) => Object.fromEntries(ids.map((id) => [id, { kind: 'agent' }]));
const edge = (from: string, to: string, on?: string) => (on === undefined ? { from, to } : { from, to, on });
const branch = (rest: object = {}) => ({
  kind: 'branch',
  cases: [{ when: 'input.x', take: 'left' }],
  otherwise: 'right',
  ...rest,
});
const map = (inner: object, rest: object = {}) => ({ kind: 'map', over: 'input', body: { nodes: inner, ...rest } });

describe('an edge', () => {
  it('ends at nodes of its body', () => {
    expect(problemsOf(agents('fetch', 'rank'), [edge('fetsh', 'rank')])).toEqual([
      "/edges/0/from: unknown node 'fetsh'; did you mean 'fetch'?",
    ]);
    const nodes = { ...agents('a'), m: map(agents('b'), { edges: [edge('a', 'b')] }) };
    expect(problemsOf(nodes, [edge('a', 'b')])).toEqual([
      "/edges/0/to: 'b' lies in the body of 'm'; an edge stays within one body",
      "/nodes/m/body/edges/0/from: 'a' lies in the document itself; an edge stays within one body",
    ]);
  });

  it('is there once', () => {
    expect(problemsOf(agents('a', 'b'), [edge('a', 'b'), edge('a', 'b')])).toEqual([
      "/edges/1: the edge from 'a' to 'b' is there twice",
    ]);
  });

  it('from a branch names a way of it, and only from a branch', () => {
    const nodes = { ...agents('a', 'b'), which: branch() };
    expect(problemsOf(nodes, [edge('which', 'a', 'left'), edge('which', 'a', 'right')])).toEqual([]);
    expect(
      problemsOf(nodes, [
        edge('which', 'a', 'lefd'),
        edge('which', 'a', 'left'),
        edge('which', 'b', 'right'),
        edge('which', 'b'),
        edge('a', 'b', 'left'),
      ]),
    ).toEqual([
      "/edges/0/on: 'lefd' is no way of 'which'; did you mean 'left'?",
      "/edges/3: 'on' is missing: 'which' is a branch, and its edges name the way they belong to",
      "/edges/4/on: 'a' is no branch: only an edge from a branch has 'on'",
    ]);
  });

  it('is there for each way of a branch, or the way is said to end', () => {
    const nowhere = `leads nowhere: give it an edge with "on", or name it in 'ends'`;
    expect(problemsOf({ which: branch() }, [])).toEqual([
      `/nodes/which/cases/0/take: the way 'left' ${nowhere}`,
      `/nodes/which/otherwise: the way 'right' ${nowhere}`,
    ]);
    expect(problemsOf({ which: branch({ ends: ['left', 'right'] }) }, [])).toEqual([]);
    expect(problemsOf({ which: { kind: 'branch', choices: { again: 'x' } } }, [])).toEqual([
      `/nodes/which/choices/again: the way 'again' ${nowhere}`,
    ]);
    const nodes = { ...agents('a'), which: branch({ ends: ['left', 'rihgt'] }) };
    expect(problemsOf(nodes, [edge('which', 'a', 'left'), edge('which', 'a', 'right')])).toEqual([
      "/nodes/which/ends/0: an edge takes the way 'left': it does not end here",
      "/nodes/which/ends/1: 'rihgt' is no way of 'which'; did you mean 'right'?",
    ]);
  });

  it('makes no cycle: the cycle is named, and fold', () => {
    const nodes = agents('a', 'b', 'c', 'd', 'e', 'f');
    const edges = [edge('a', 'b'), edge('b', 'c'), edge('c', 'a'), edge('c', 'd'), edge('e', 'f'), edge('f', 'e')];
    expect(problemsOf(nodes, edges)).toEqual([
      "/edges/2: a cycle: a -> b -> c -> a; what repeats is a 'fold'",
      "/edges/5: a cycle: e -> f -> e; what repeats is a 'fold'",
    ]);
    expect(problemsOf(agents('a'), [edge('a', 'a')])).toEqual(["/edges/0: a cycle: a -> a; what repeats is a 'fold'"]);
    expect(problemsOf({ m: map(agents('a', 'b'), { edges: [edge('a', 'b'), edge('b', 'a')] }) }, [])).toEqual([
      "/nodes/m/body/edges/1: a cycle: a -> b -> a; what repeats is a 'fold'",
    ]);
  });

  it('joins ids that are unique in all bodies', () => {
    expect(problemsOf({ ...agents('a'), m: map(agents('a')) }, [])).toEqual([
      "/nodes/m/body/nodes/a: the id 'a' is there twice: ids are unique in the whole document",
    ]);
  });
});

describe('an expression names', () => {
  const edges = [edge('first', 'second'), edge('second', 'm'), edge('m', 'last')];
  const inner = (prompt: string) =>
    map({ in1: { kind: 'agent' }, in2: told(cel(prompt)) }, { edges: [edge('in1', 'in2')] });
  const at = (place: 'second' | 'in2' | 'output', text: string): string[] => {
    const nodes = {
      first: { kind: 'agent' },
      second: place === 'second' ? told(cel(text)) : { kind: 'agent' },
      m: inner(place === 'in2' ? text : '1'),
      last: { kind: 'agent' },
    };
    const rest = place === 'output' ? { output: { x: [cel(text)] } } : {};
    return problemsOf(nodes, edges, rest).map((problem) => problem.slice(problem.indexOf(': ') + 2));
  };

  it('nodes that come before, also around its body', () => {
    expect(at('second', 'nodes.first.output')).toEqual([]);
    for (const id of ['first', 'second', 'in1']) expect(at('in2', `nodes.${id}.output`)).toEqual([]);
    for (const id of ['first', 'm', 'last']) expect(at('output', `nodes.${id}.output`)).toEqual([]);
  });

  it('no other nodes', () => {
    expect(at('second', 'nodes.last.output')).toEqual([
      "'last' does not come before 'second': no path of edges leads from it",
    ]);
    expect(at('second', 'nodes.second.input')).toEqual(["'second' does not come before itself"]);
    expect(at('second', 'nodes.frist.output')).toEqual(["unknown node 'frist'; did you mean 'first'?"]);
    expect(at('in2', 'nodes.last.output')).toEqual(["'last' does not come before 'm': no path of edges leads from it"]);
    expect(at('in2', 'nodes.m.input')).toEqual(["'m' does not come before itself"]);
    expect(at('output', 'nodes.in1.output')).toEqual(["'in1' lies in the body of 'm', which shows only its output"]);
  });

  it('locals where they are', () => {
    expect(at('in2', 'string(index) + item')).toEqual([]);
    expect(at('in2', 'previous')).toEqual(["'previous' is only known in the body of a 'fold'"]);
    expect(at('second', 'item')).toEqual(["'item' is only known in the body of a 'map'"]);
    expect(at('output', 'output')).toEqual(["'output' is only known in the 'until' of a 'fold'"]);
    const fold = (until: string) =>
      problemsOf({ f: { kind: 'fold', until, maxPasses: 2, body: { nodes: agents('a') } } }, []);
    expect(fold('output.ok && pass > 1')).toEqual([]);
    expect(fold('nodes.a.output.ok')).toEqual([
      "/nodes/f/until: 'a' lies in the body of 'f', which shows only its output",
    ]);
  });

  it('what can be read, with its place', () => {
    expect(problemsOf({ a: told({ deep: ['x', cel('inptu.x')] }) }, [])).toEqual([
      "/nodes/a/prompt/deep/1: unknown name 'inptu'; did you mean 'input'?",
    ]);
    expect(problemsOf({ a: told(`x ${cel('input.x').slice(0, -2)}`) }, [])).toEqual([
      expect.stringContaining("without '}}'"),
    ]);
    expect(problemsOf({ a: told(cel('"x".matches("(a+)(?=b)")')) }, [])).toEqual([
      "/nodes/a/prompt: the pattern of 'matches': of groups there are '(…)' and '(?:…)': no lookaround, names or flags, at character 6",
    ]);
    expect(problemsOf({ a: { kind: 'agent', output: { properties: { b: { pattern: 'a**' } } } } }, [])).toEqual([
      '/nodes/a/output/properties/b/pattern: the pattern: nothing to repeat, at character 3',
    ]);
  });
});
