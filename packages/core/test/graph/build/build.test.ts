import { expect, it } from 'vitest';
import { build, validateGraph } from '../../../src/graph/index.ts';
import { cel, WHOLE } from '../document/documents.ts';

const { agent, body, branch, exec, fold, gate, graph, map, tool } = build;

const better = fold(
  body({
    nodes: { rate: agent({ prompt: [cel('previous'), cel('item'), cel('pass')] }) },
    output: { good: cel('nodes.rate.output == "good"'), from: cel('nodes.read.output') },
  }),
  {
    initial: cel('nodes.read.output'),
    until: 'output.good && pass > 1',
    maxPasses: 3,
    onBound: 'finish',
    join: 'list',
  },
);

const look = map(
  'input.reports',
  body({
    nodes: {
      read: agent({ prompt: `Read ${cel('item')} (${cel('index')})`, tools: ['*'], workspace: 'own' }),
      better,
    },
    edges: [['read', 'better']],
    output: cel('nodes.better.output'),
  }),
  { concurrency: 4, onFailure: 'collect' },
);

const count = exec(['wc', '-l'], {
  allowNet: ['example.org'],
  effect: 'read',
  retry: { attempts: 3, delayMs: 100, factor: 2, maxDelayMs: 1000 },
  timeoutMs: 1000,
});

const whichWay = branch({
  cases: [
    { when: 'nodes.fine.output == "yes"', take: 'yes' },
    { when: 'nodes.fine.output == "later"', take: 'later' },
  ],
  otherwise: 'no',
  ends: ['later'],
});

const built = graph({
  name: 'triage',
  description: 'Looks at reports.',
  input: {
    type: 'object',
    properties: { reports: { type: 'array', items: { type: 'string' } } },
    required: ['reports'],
  },
  nodes: {
    look,
    count,
    fine: gate(`Send ${cel('nodes.count.output')}?`, { answer: { type: 'string' } }),
    'which-way': whichWay,
    send: tool('mcp__mail__send', { input: { text: cel('nodes.look.output') }, volatile: ['at'] }),
    choose: branch({ choices: { again: 'Ask again.', stop: 'Stop.' }, question: 'What now?', ends: ['stop'] }),
    last: agent({ model: 'openai/gpt', instructions: 'Be brief.', output: { type: 'object' }, maxRequests: 5 }),
  },
  edges: [
    ['look', 'count'],
    ['count', 'fine'],
    ['fine', 'which-way'],
    ['which-way', 'send', 'yes'],
    ['which-way', 'choose', 'no'],
    ['choose', 'last', 'again'],
  ],
  output: { sent: cel('nodes.send.output'), way: cel('nodes["which-way"].output.take') },
  limits: { maxSteps: 100, maxTokens: 1000, maxCost: 1.5, maxTimeMs: 60_000 },
});

it('makes the same document as its JSON', () => {
  expect(built).toStrictEqual(WHOLE);
  expect(validateGraph(built)).toBe(built);
});

it('takes in edges only the ids of its nodes', () => {
  const nodes = { first: agent({}), second: agent({}) };
  // @ts-expect-error 'secnod' is no node: the compiler asks whether 'second' was meant
  const wrong = graph({ nodes, edges: [['first', 'secnod']] });
  expect(validateGraph(wrong)).toEqual([
    { at: '/edges/0/to', message: "unknown node 'secnod'; did you mean 'second'?" },
  ]);
});

it('makes a host program and a bare graph without fields that are undefined', () => {
  expect(exec('make', { sandbox: false })).toStrictEqual({ kind: 'tool', exec: { command: 'make', sandbox: false } });
  expect(graph({ nodes: { a: agent({}) } })).toStrictEqual({ schema: 1, nodes: { a: { kind: 'agent' } } });
});
