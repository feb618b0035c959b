import { createNodeFold, decoderOf, type EventDraft, type LoggedEvent, type NodeView } from '@ramet/core';
import { buildRun, encodeLog, makeGraph } from '@ramet/testkit';
import { expect, it } from 'vitest';

const program = { kind: 'tool' as const, exec: { command: 'true' } };
const graph = makeGraph({
  nodes: { fetch: program, send: program, ask: { kind: 'gate', question: 'Go on?' } },
  edges: [
    { from: 'fetch', to: 'send' },
    { from: 'send', to: 'ask' },
  ],
});
const decode = decoderOf({ readPayload: () => null });

const drafts: readonly EventDraft[] = [
  ...buildRun({
    nodes: [
      { path: 'fetch', calls: [{ effect: 'read' }], output: 'found' },
      { path: 'send', calls: [{ outcome: 'error' }], outcome: 'failed' },
      { path: 'send', attempt: 2, calls: [{}], outcome: 'ok' },
      { path: 'ask', outcome: null },
    ],
  }),
  { type: 'gate.open', node: 'ask', question: 'Go on?', answerSchema: { type: 'boolean' } },
];
const events: readonly LoggedEvent[] = encodeLog(drafts).map(({ event }) => event);

function fold(some: readonly LoggedEvent[], from?: ReadonlyMap<string, NodeView>) {
  const made = createNodeFold({ graph, through: 2, decode, ...(from === undefined ? {} : { from }) });
  for (const event of some) made.add(event);
  return made.nodes;
}

it('tells each place by its last entry, with every entry and call of it', () => {
  const nodes = fold(events);
  expect([...nodes.keys()]).toEqual(['fetch', 'send', 'ask']);
  expect(nodes.get('fetch')).toMatchObject({ state: 'ok', output: 'found', visits: [{ offset: 1, inherited: true }] });
  const send = nodes.get('send');
  expect(send).toMatchObject({ state: 'ok', calls: [{ outcome: 'error' }, { outcome: 'ok' }] });
  expect(send?.visits.map(({ inherited }) => inherited)).toEqual([false, false]);
  expect(send).not.toHaveProperty('error');
  expect(nodes.get('ask')).toMatchObject({ kind: 'gate', state: 'waiting', gate: { question: 'Go on?' } });
});

it('goes on from a copy made at any event as if it had folded everything', () => {
  const whole = fold(events);
  for (const at of events.keys()) {
    expect(fold(events.slice(at), new Map(fold(events.slice(0, at))))).toEqual(whole);
  }
});

it('leaves a copy as it was while it goes on', () => {
  const before = fold(events.slice(0, 4));
  const copy = structuredClone(before);
  fold(events.slice(4), before);
  expect(before).toEqual(copy);
});
