/** Graph runs written by hand into a store that command lines are run on. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalJson, type EventDraft, hashGraph, isGraphProblems, type RunId, validateGraph } from '@ramet/core';
import { buildRunFork, buildRunStart, encodeLog, makeTestId, sha256 } from '@ramet/testkit';
import type { TestStore } from './command-line.ts';

type Lines = ReturnType<typeof encodeLog>;

export const RUN = makeTestId(0x9a9a9a);
export const CHILD = makeTestId(0x8b8b8b);

const exec = (effect: string) => ({ kind: 'tool', exec: { command: 'true', sandbox: false }, effect });

/** A program, a gate, two ways and a map over two items. */
const DOCUMENT = {
  schema: 1,
  name: 'letters',
  nodes: {
    draft: exec('read'),
    approve: { kind: 'gate', question: 'Send it?' },
    decision: { kind: 'branch', cases: [{ when: 'nodes.approve.output', take: 'yes' }], otherwise: 'no', ends: ['no'] },
    all: { kind: 'map', over: "['a', 'b']", body: { nodes: { send: exec('write') } } },
  },
  edges: [
    { from: 'draft', to: 'approve' },
    { from: 'approve', to: 'decision' },
    { from: 'decision', to: 'all', on: 'yes' },
  ],
};

/** Keeps a document where runs look for it and answers its hash. */
function keepDocument(store: TestStore, value: unknown = DOCUMENT): ReturnType<typeof hashGraph> {
  const document = validateGraph(value);
  if (isGraphProblems(document)) throw new Error(JSON.stringify(document));
  const hash = hashGraph(document, sha256);
  const folder = join(store.home, 'graphs');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, `${hash}.json`), canonicalJson(document), { mode: 0o600 });
  return hash;
}

const enter = (node: string, input: unknown = null): EventDraft => ({
  type: 'node.enter',
  node,
  attempt: 1,
  input,
  inputDigest: sha256(canonicalJson(input)),
});
const exit = (node: string, output: unknown = null): EventDraft => ({
  type: 'node.exit',
  node,
  attempt: 1,
  outcome: 'ok',
  output,
});

/** One call of a node that ends well. */
function call(node: string, effect: 'read' | 'write'): readonly EventDraft[] {
  const named = { node, callId: 'call', tool: 'exec' } as const;
  const input = { command: 'true', input: null };
  return [
    { type: 'tool.intent', ...named, input, effect, contained: false, key: `key of ${node}` },
    { type: 'tool.result', ...named, outcome: 'ok', output: { type: 'json', value: null } },
  ];
}

/** What the texts of a run say. */
export interface RunTexts {
  readonly title?: string;
  readonly letter?: string;
  readonly question?: string;
}

const REST: readonly EventDraft[] = [
  enter('decision'),
  { type: 'branch.take', node: 'decision', take: 'yes', by: 'condition' },
  exit('decision', { take: 'yes' }),
  enter('all'),
  { type: 'map.open', node: 'all', count: 2 },
  ...['all[0]', 'all[1]'].flatMap((item, index): readonly EventDraft[] => [
    enter(`${item}/send`),
    ...call(`${item}/send`, 'write'),
    exit(`${item}/send`),
    { type: 'map.item', node: 'all', index, outcome: 'ok', output: null },
  ]),
  exit('all', [null, null]),
  { type: 'run.complete', output: [null, null] },
];

/** A run up to its gate (which opens at offset 6), answered and gone on with to the end when it is to be `done`. */
export function addRun(store: TestStore, texts: RunTexts & { readonly isDone?: boolean } = {}): Lines {
  const { title, letter = 'a letter', question = 'Send a letter?', isDone = false } = texts;
  const start = buildRunStart({
    id: RUN,
    graph: keepDocument(store),
    input: { to: letter },
    ...(title === undefined ? {} : { title }),
  });
  const answered: readonly EventDraft[] = [
    { type: 'gate.answer', node: 'approve', gate: 6, answer: true, by: 'person' },
    exit('approve', true),
    ...REST,
  ];
  const lines = encodeLog([
    start,
    enter('draft', { to: letter }),
    ...call('draft', 'read'),
    exit('draft', letter),
    enter('approve', letter),
    { type: 'gate.open', node: 'approve', question, answerSchema: { type: 'boolean' } },
    ...(isDone ? answered : []),
  ]);
  store.addLines(RUN, lines);
  return lines;
}

/** A fork of a run before its map. */
export function addChild(store: TestStore, parent: Lines, id: RunId = CHILD): Lines {
  const at = parent.findIndex(({ event }) => event.type === 'node.enter' && event.node === 'all');
  const lines = buildRunFork(parent, { id, at, acknowledged: [17, 21] });
  store.addLines(id, lines);
  return lines;
}
