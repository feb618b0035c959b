import type { GraphDocument } from '../../../src/graph/index.ts';

/** What begins an expression; apart, so that no template of JavaScript looks like one. */
const D = '$';

/** One document that has everything. */
export const WHOLE: GraphDocument = {
  schema: 1,
  name: 'triage',
  description: 'Looks at reports.',
  input: {
    type: 'object',
    properties: { reports: { type: 'array', items: { type: 'string' } } },
    required: ['reports'],
  },
  nodes: {
    look: {
      kind: 'map',
      over: 'input.reports',
      concurrency: 4,
      onFailure: 'collect',
      body: {
        nodes: {
          read: { kind: 'agent', prompt: `Read ${D}{{ item }} (${D}{{ index }})`, tools: ['*'], workspace: 'own' },
          better: {
            kind: 'fold',
            initial: `${D}{{ nodes.read.output }}`,
            until: 'output.good && pass > 1',
            maxPasses: 3,
            onBound: 'finish',
            join: 'list',
            body: {
              nodes: { rate: { kind: 'agent', prompt: [`${D}{{ previous }}`, `${D}{{ item }}`, `${D}{{ pass }}`] } },
              output: { good: `${D}{{ nodes.rate.output == "good" }}`, from: `${D}{{ nodes.read.output }}` },
            },
          },
        },
        edges: [{ from: 'read', to: 'better' }],
        output: `${D}{{ nodes.better.output }}`,
      },
    },
    count: {
      kind: 'tool',
      exec: { command: ['wc', '-l'], allowNet: ['example.org'] },
      effect: 'read',
      retry: { attempts: 3, delayMs: 100, factor: 2, maxDelayMs: 1000 },
      timeoutMs: 1000,
    },
    fine: { kind: 'gate', question: `Send ${D}{{ nodes.count.output }}?`, answer: { type: 'string' } },
    'which-way': {
      kind: 'branch',
      cases: [
        { when: 'nodes.fine.output == "yes"', take: 'yes' },
        { when: 'nodes.fine.output == "later"', take: 'later' },
      ],
      otherwise: 'no',
      ends: ['later'],
    },
    send: { kind: 'tool', tool: 'mcp__mail__send', input: { text: `${D}{{ nodes.look.output }}` }, volatile: ['at'] },
    choose: { kind: 'branch', choices: { again: 'Ask again.', stop: 'Stop.' }, question: 'What now?', ends: ['stop'] },
    last: { kind: 'agent', model: 'openai/gpt', instructions: 'Be brief.', output: { type: 'object' }, maxRequests: 5 },
  },
  edges: [
    { from: 'look', to: 'count' },
    { from: 'count', to: 'fine' },
    { from: 'fine', to: 'which-way' },
    { from: 'which-way', to: 'send', on: 'yes' },
    { from: 'which-way', to: 'choose', on: 'no' },
    { from: 'choose', to: 'last', on: 'again' },
  ],
  output: { sent: `${D}{{ nodes.send.output }}`, way: `${D}{{ nodes["which-way"].output.take }}` },
  limits: { maxSteps: 100, maxTokens: 1000, maxCost: 1.5, maxTimeMs: 60_000 },
};

/** A small document with fields of its own. */
export function documentOf(nodes: unknown, rest: Readonly<Record<string, unknown>> = {}): unknown {
  return { schema: 1, nodes, ...rest };
}

/** An agent that is told a text. */
export const told = (prompt: unknown): unknown => ({ kind: 'agent', prompt });

/** An expression as a template. */
export const cel = (text: string): string => `${D}{{ ${text} }}`;
