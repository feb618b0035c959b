/** A store with graph runs that are appended event by event, and forked by the store itself. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  canonicalJson,
  compileGraph,
  type EventDraft,
  type Graph,
  hashGraph,
  isGraphProblems,
  isRefusal,
  type RunId,
  validateGraph,
} from '@ramet/core';
import { forkRun } from '@ramet/runtime/fork';
import { type FileStore, keepGraph, openFileStore, sha256 } from '@ramet/runtime/store';
import { buildRunStart, makeTestId } from '@ramet/testkit';

const exec = { kind: 'tool', exec: { command: 'true' } };

/** Two programs with a gate between them. */
const DOCUMENT = {
  schema: 1,
  name: 'three steps',
  nodes: { a: exec, g: { kind: 'gate', question: 'Go on?' }, b: exec },
  edges: [
    { from: 'a', to: 'g' },
    { from: 'g', to: 'b' },
  ],
};

export interface Runs {
  readonly store: FileStore;
  readonly graph: Graph;
  start(said?: { readonly title?: string }): Promise<RunId>;
  append(id: RunId, ...drafts: readonly EventDraft[]): Promise<void>;
  fork(source: RunId, node: string): Promise<RunId>;
}

/** Opens an empty store whose runs walk one document; each event is a second after the last. */
export function makeRuns(value: unknown = DOCUMENT): Runs {
  let clock = Date.UTC(2030, 0, 1);
  const now = (): number => {
    clock += 1000;
    return clock;
  };
  const home = mkdtempSync(join(tmpdir(), 'runs-'));
  const store = openFileStore({ home, now, sealBytes: 2_000 });
  const document = validateGraph(value);
  if (isGraphProblems(document)) throw new Error(JSON.stringify(document));
  const graph = compileGraph(document, hashGraph(document, sha256));
  keepGraph(home, graph.hash, Buffer.from(canonicalJson(document)));
  let ids = 200;
  const makeId = (): RunId => {
    ids += 1;
    return makeTestId(ids);
  };
  return {
    store,
    graph,
    start: async (said = {}) => {
      const id = makeId();
      const staged = store.stage(id);
      staged.append([buildRunStart({ id, graph: graph.hash, input: { topic: 'otters' }, ...said })]);
      await staged.commit();
      return id;
    },
    append: async (id, ...drafts) => {
      const log = await store.own(id);
      if (isRefusal(log)) throw new Error(log.message);
      await log.append(drafts, { durable: true });
      log.close();
    },
    fork: async (source, fromNode) => {
      const made = await forkRun({ store, makeId, now }, source, { sourceGraph: graph, fromNode });
      if (isRefusal(made) || made.run === null) throw new Error(JSON.stringify(made));
      return made.run;
    },
  };
}

const inputDigest = sha256('{}');

/** The events of a node, one by one. */
export const say = {
  enter: (node: string, attempt = 1): EventDraft => ({ type: 'node.enter', node, attempt, input: {}, inputDigest }),
  exit: (node: string, output: unknown = null): EventDraft => ({
    type: 'node.exit',
    node,
    attempt: 1,
    outcome: 'ok',
    output,
  }),
  ask: (node: string): EventDraft => ({
    type: 'gate.open',
    node,
    question: 'Go on?',
    answerSchema: { type: 'boolean' },
  }),
  answer: (node: string, gate: number): EventDraft => ({ type: 'gate.answer', node, gate, answer: true, by: 'person' }),
  call: (node: string, contained: boolean): EventDraft => ({
    type: 'tool.intent',
    node,
    callId: 'call',
    tool: 'exec',
    input: { command: 'true', input: {} },
    effect: 'write',
    contained,
    key: `key-${node}`,
  }),
  reply: (node: string, tokens: number): EventDraft => ({
    type: 'model.response',
    node,
    model: 'm',
    attempt: 1,
    purpose: 'turn',
    message: { role: 'assistant', content: [{ type: 'text', text: 'hm' }] },
    usage: { inputTokens: tokens, outputTokens: 0 },
  }),
} as const;
