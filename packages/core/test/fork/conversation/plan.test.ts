import type { Graph } from '@ramet/core';
import { buildSession, encodeLog, makeForkSource } from '@ramet/testkit';
import { describe, expect, it } from 'vitest';
import { buildRun, enter, exit, makeGraph, skip, sourceOf, work } from '../run/run-log.ts';
import { config, conversationOf, refusedOf, turn } from './talk.ts';

const GRAPH: Graph = makeGraph({
  nodes: {
    plan: { kind: 'agent', tools: ['shell'] },
    think: { kind: 'agent' },
    other: { kind: 'agent' },
    send: { kind: 'tool', tool: 'mcp__a__send' },
    map: { kind: 'map', over: '[1, 2]', concurrency: 2, body: { nodes: { each: { kind: 'agent' } } } },
  },
  edges: [{ from: 'plan', to: 'send' }],
});

const LINES = buildRun(GRAPH, [
  enter('plan'),
  config('plan'),
  ...turn('plan', { reason: 'failed' }),
  exit('plan', 'failed'),
  enter('plan', 2),
  config('plan'),
  exit('plan', 'interrupted', 2),
  enter('plan', 3),
  config('plan'),
  ...turn('plan'),
  exit('plan', 'ok', 3),
  ...work('send'),
  skip('other', 'nobody asked'),
  enter('map'),
  { type: 'map.open', node: 'map', count: 2 },
  enter('map[0]/each'),
  enter('map[1]/each'),
  ...turn('map[1]/each'),
  exit('map[1]/each'),
  ...turn('map[0]/each'),
  exit('map[0]/each'),
  enter('think'),
  ...turn('think', { reason: null }),
]);
const SOURCE = sourceOf(GRAPH, LINES);

function placeOf(type: string, node: string, attempt: number): number {
  return LINES.findIndex(({ event }) => event.type === type && event.node === node && event.attempt === attempt);
}

describe('a conversation that can become a session', () => {
  it('is the latest of its node: one goes on over an interruption, and another begins after a failure', () => {
    expect(conversationOf(SOURCE, { node: 'plan' })).toMatchObject({
      node: 'plan',
      visit: 1,
      attempt: 3,
      from: placeOf('node.enter', 'plan', 2),
      offset: placeOf('node.exit', 'plan', 3),
      workspace: 'git',
      project: 'project-1',
    });
  });

  it('is an earlier one when an entry of that is named', () => {
    const at = placeOf('node.enter', 'plan', 1);
    const first = { from: at, offset: placeOf('node.exit', 'plan', 1), attempt: 1 };
    expect(conversationOf(SOURCE, { at })).toMatchObject(first);
    const last = conversationOf(SOURCE, { at: placeOf('node.enter', 'plan', 2) });
    expect(last).toMatchObject({ from: placeOf('node.enter', 'plan', 2), attempt: 3 });
  });

  it('is named in a map by item, visit or path', () => {
    const second = { node: 'map[1]/each', visit: 2, offset: placeOf('node.exit', 'map[1]/each', 1) };
    expect(conversationOf(SOURCE, { node: 'each', item: 1 })).toMatchObject(second);
    expect(conversationOf(SOURCE, { node: 'each', visit: 2 })).toMatchObject(second);
    expect(conversationOf(SOURCE, { node: 'map[1]/each' })).toMatchObject(second);
  });

  it('leaves a session without files when its node had none', () => {
    expect(conversationOf(SOURCE, { node: 'map[0]/each' }).workspace).toBe('none');
    const inPlace = sourceOf(
      GRAPH,
      buildRun(GRAPH, [enter('plan'), ...turn('plan'), exit('plan')], { workspace: 'directory' }),
    );
    expect(conversationOf(inPlace, { node: 'plan' }).workspace).toBe('directory');
  });

  it('says where the line lies that ended it, wherever segments are cut', () => {
    for (let cut = 2; cut < LINES.length; cut += 1) {
      const source = sourceOf(GRAPH, LINES, [1, cut]);
      const { exit: place, offset } = conversationOf(source, { node: 'plan' });
      expect(source.readLine(place.segment, place.position, place.bytes)).toEqual(LINES[offset]?.event);
    }
  });
});

describe('refused is', () => {
  it.each([
    [
      'a node that is no agent',
      { node: 'send' },
      'not_a_session',
      /send .* is a tool node.* its agents are each, other, plan, think/,
    ],
    [
      'a place where a map was entered',
      { at: placeOf('node.enter', 'map', 1) },
      'not_a_session',
      /map .* is a map node/,
    ],
    [
      'a node at work',
      { node: 'think' },
      'turn_open',
      /think .* is not done \(attempt 1, entered at \d+\).*ramet resume/,
    ],
    ['a name that is near another', { node: 'pln' }, 'node_unknown', /did you mean 'plan'/],
    ['a node that was skipped', { node: 'other' }, 'node_skipped', /nobody asked/],
    ['a node in several items', { node: 'each' }, 'node_visit_ambiguous', /at 2 places/],
    ['an item that is not there', { node: 'each', item: 7 }, 'node_never_entered', /never entered each/],
    ['an offset that enters nothing', { at: 2 }, 'not_a_boundary', /nearest are/],
    ['no place at all', {}, 'not_a_boundary', /needs a node/],
  ] as const)('%s', (_, request, code, message) => {
    const refusal = refusedOf(SOURCE, request);
    expect(refusal.code).toBe(code);
    expect(refusal.message).toMatch(message);
  });

  it('a session, which is forked at a completed turn', () => {
    const session = makeForkSource(encodeLog(buildSession({ turns: [{}] })));
    const source = { ...session, graph: GRAPH, fileTools: new Map() };
    expect(refusedOf(source, { node: 'plan' }).code).toBe('not_a_graph_run');
  });
});
