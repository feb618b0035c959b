import { type Graph, makeEventSource, nodeIdOf, planFork } from '@ramet/core';
import { buildSession, encodeLog, makeForkSource, makeTestId } from '@ramet/testkit';
import { describe, expect, it } from 'vitest';
import { buildChild, buildRun, enter, exit, makeGraph, planOf, refusalOf, skip, sourceOf, work } from './run-log.ts';

const tool = { kind: 'tool', tool: 'mcp__a__send' } as const;
const GRAPH: Graph = makeGraph({
  nodes: {
    first: tool,
    other: tool,
    map: { kind: 'map', over: '[1, 2, 3]', concurrency: 2, body: { nodes: { body: tool } } },
    loop: { kind: 'fold', until: 'pass > 1', maxPasses: 3, body: { nodes: { step: tool } } },
    ask: { kind: 'gate', question: 'go on?' },
    never: tool,
    last: tool,
  },
  edges: [
    { from: 'first', to: 'map' },
    { from: 'map', to: 'loop' },
    { from: 'loop', to: 'ask' },
    { from: 'ask', to: 'last' },
    { from: 'last', to: 'never' },
  ],
});

const LINES = buildRun(GRAPH, [
  ...work('first'),
  skip('other', "'first' took 'a'"),
  enter('map'),
  { type: 'map.open', node: 'map', count: 3 },
  enter('map[0]/body'),
  enter('map[1]/body'),
  exit('map[0]/body', 'failed'),
  enter('map[0]/body', 2),
  exit('map[0]/body', 'ok', 2),
  exit('map[1]/body'),
  ...work('map[2]/body'),
  exit('map'),
  enter('loop'),
  ...work('loop#1/step'),
  ...work('loop#2/step'),
  exit('loop'),
  enter('ask'),
  { type: 'gate.open', node: 'ask', question: 'go on?', answerSchema: { type: 'boolean' } },
]);
const SOURCE = sourceOf(GRAPH, LINES);

function offsetOf(node: string, attempt = 1): number {
  return LINES.findIndex(
    ({ event }) => event.type === 'node.enter' && event.node === node && event.attempt === attempt,
  );
}

function bytesOf(from: number, to: number): number {
  return LINES.slice(from, to).reduce((total, { bytes }) => total + bytes.length + 1, 0);
}

describe('a fork of a run', () => {
  it.each([
    ['first', 1],
    ['map', 1],
    ['map[1]/body', 2],
    ['map[2]/body', 3],
    ['loop#2/step', 2],
    ['loop', 1],
    ['ask', 1],
  ])('at %s begins below the first entry of it, and says that it is visit %s of its node', (node, visit) => {
    const offset = offsetOf(node);
    const plan = planOf(SOURCE, { fromNode: node, title: 'Child' });
    expect(plan).toMatchObject({
      kind: 'graph',
      source: makeTestId(1),
      boundary: { type: 'enter', offset, node, attempt: 1 },
      fromNode: node,
      visit,
      offset: offset - 1,
      prefix: { events: offset - 1, bytes: bytesOf(1, offset) },
      graphHash: GRAPH.hash,
      sourceEvent0Digest: LINES[0]?.digest,
      project: 'project-1',
      title: 'Child',
    });
    expect(plan).not.toHaveProperty('changes');
    expect(planOf(SOURCE, { at: offset, title: 'Child' })).toEqual(plan);
    expect(planOf(SOURCE, { fromNode: nodeIdOf(node), visit, title: 'Child' })).toEqual(plan);
  });

  it('at a node that was tried again begins below its first try, unless its offset names another', () => {
    expect(planOf(SOURCE, { fromNode: 'body', item: 0 }).boundary).toMatchObject({ attempt: 1 });
    const at = offsetOf('map[0]/body', 2);
    expect(planOf(SOURCE, { at })).toMatchObject({ boundary: { offset: at, attempt: 2 }, visit: 1 });
  });

  it.each([
    [{ fromNode: 'body', item: 2 }, 'map[2]/body'],
    [{ fromNode: 'body', visit: 2 }, 'map[1]/body'],
    [{ fromNode: 'body', visit: 3 }, 'map[2]/body'],
    [{ fromNode: 'step', visit: 2 }, 'loop#2/step'],
    [{ fromNode: 'step', at: 'loop#1/step' }, 'loop#1/step'],
  ])('with %j lands at %s', (request, node) => {
    const { at, ...rest } = { at: undefined, ...request };
    const named = at === undefined ? rest : { ...rest, at: offsetOf(at) };
    expect(planOf(SOURCE, named).fromNode).toBe(node);
  });

  it('takes the segments before the boundary whole, and of the one that holds it the lines before', () => {
    const offset = offsetOf('loop');
    expect(planOf(sourceOf(GRAPH, LINES, [1, 4, offset - 2]), { fromNode: 'loop' }).prefix).toEqual({
      events: offset - 1,
      bytes: bytesOf(1, offset),
      segment: 3,
      segmentBytes: bytesOf(offset - 2, offset),
    });
    expect(planOf(sourceOf(GRAPH, LINES, [1, 4, offset]), { fromNode: 'loop' }).prefix).toMatchObject({
      segment: 2,
      segmentBytes: bytesOf(4, offset),
    });
  });

  it('at event 1 holds nothing but its own event 0', () => {
    expect(planOf(SOURCE, { fromNode: 'first' })).toMatchObject({
      offset: 0,
      prefix: { events: 0, bytes: 0, segment: 0, segmentBytes: bytesOf(0, 1) },
    });
  });

  it('is planned the same from parsed events, but for bytes', () => {
    const source = { ...makeEventSource(LINES.map(({ event }) => event)), graph: GRAPH, fileTools: new Map() };
    for (const request of [{ fromNode: 'loop' }, { fromNode: 'map' }]) {
      const { boundary, prefix, ...rest } = planOf(SOURCE, request);
      expect(planOf(source, request)).toMatchObject({
        ...rest,
        boundary: { offset: boundary.offset, node: boundary.node },
        prefix: { events: prefix.events },
      });
    }
  });
});

describe('a fork of a fork', () => {
  const parent = planOf(SOURCE, { fromNode: 'loop' });
  const child = buildChild(LINES, parent, { own: [enter('loop'), ...work('loop#1/step')] });

  it('names the fork, and what event 1 of both points to, at a node the fork inherited and at one of its own', () => {
    for (const fromNode of ['map', 'loop', 'loop#1/step']) {
      for (const cuts of [[1], []]) {
        expect(planOf(sourceOf(GRAPH, child, cuts), { fromNode })).toMatchObject({
          source: makeTestId(2),
          sourceEvent0Digest: LINES[0]?.digest,
        });
      }
    }
  });

  it('names what event 1 points to also where it is the first of its own', () => {
    const empty = buildChild(LINES, planOf(SOURCE, { fromNode: 'first' }), { own: work('first') });
    expect(planOf(sourceOf(GRAPH, empty), { fromNode: 'first' }).sourceEvent0Digest).toBe(empty[1]?.event.prev);
  });
});

describe('a fork of a run is refused', () => {
  it.each([
    ['frist', "; did you mean 'first'?"],
    ['map[0]/last', ''],
    ['map/body', ''],
    ['map#1/body', ''],
    ['loop[1]/step', ''],
    ['__proto__', ''],
    ['', ''],
  ])('at %j, which the document does not have', (fromNode, hint) => {
    const refusal = refusalOf(SOURCE, { fromNode });
    expect(refusal.code).toBe('node_unknown');
    if (hint !== '') expect(refusal.message).toContain(hint);
  });

  it.each([
    { fromNode: 'never' },
    { fromNode: 'map[7]/body' },
    { fromNode: 'body', item: 9 },
    { fromNode: 'last', item: 0 },
  ])('at a node the run never entered: %j', (request) => {
    expect(refusalOf(SOURCE, request)).toMatchObject({ code: 'node_never_entered', data: { node: request.fromNode } });
  });

  it.each([4, 0, -1, 1.5])('at visit %s of a node that has three', (visit) => {
    expect(refusalOf(SOURCE, { fromNode: 'body', visit })).toMatchObject({
      code: 'node_never_entered',
      data: { visit, count: 3 },
    });
  });

  it('at a node the run skipped, with the reason', () => {
    const refusal = refusalOf(SOURCE, { fromNode: 'other' });
    expect(refusal).toMatchObject({
      code: 'node_skipped',
      data: { skips: [{ path: 'other', reason: "'first' took 'a'" }] },
    });
    expect(refusal.message).toContain("'first' took 'a'");
  });

  it('at a node that was entered at several places, with each of them', () => {
    const refusal = refusalOf(SOURCE, { fromNode: 'body' });
    const timeOf = (offset: number) => LINES[offset]?.event.time;
    expect(refusal).toMatchObject({ code: 'node_visit_ambiguous', data: { count: 3 } });
    expect(refusal.data.visits).toEqual(
      [0, 1, 2].map((item) => {
        const offset = offsetOf(`map[${item}]/body`);
        return { visit: item + 1, offset, path: `map[${item}]/body`, attempt: 1, time: timeOf(offset) };
      }),
    );
  });

  it('at an offset that enters no node, with the nearest that do', () => {
    const at = offsetOf('map') + 1;
    const refusal = refusalOf(SOURCE, { at });
    expect(refusal).toMatchObject({
      code: 'not_a_boundary',
      data: { at, before: { offset: at - 1, path: 'map' }, after: { offset: at + 1, path: 'map[0]/body' } },
    });
  });

  it.each([
    [0, null, 1],
    [-1, null, 1],
    [10_000, offsetOf('ask'), null],
    [2.5, offsetOf('first'), offsetOf('map')],
    [Number.NaN, null, null],
  ])('at offset %s, with the nearest there are', (at, before, after) => {
    const { code, data } = refusalOf(sourceOf(GRAPH, LINES, [1, 8, 20]), { at });
    expect(code).toBe('not_a_boundary');
    const offsetIn = (place: unknown) => (place as { readonly offset: number } | null)?.offset ?? null;
    expect([offsetIn(data.before), offsetIn(data.after)]).toEqual([before, after]);
  });

  it('at an offset that enters another node than the one named', () => {
    expect(refusalOf(SOURCE, { fromNode: 'last', at: offsetOf('map') })).toMatchObject({
      code: 'not_a_boundary',
      data: { node: 'map' },
    });
  });

  it('when nothing says where', () => {
    expect(refusalOf(SOURCE, {}).code).toBe('not_a_boundary');
  });

  it('when the log is a session or empty', () => {
    const session = { ...makeForkSource(encodeLog(buildSession({ turns: [{}] }))), graph: GRAPH, fileTools: new Map() };
    expect(refusalOf(session, { fromNode: 'first' }).code).toBe('not_a_graph_run');
    expect(refusalOf({ ...SOURCE, heads: [] }, { fromNode: 'first' }).code).toBe('not_a_graph_run');
  });

  it('as that of a session', () => {
    expect(planFork(SOURCE, {})).toMatchObject({ code: 'not_a_session' });
  });

  it('when the log was written by a newer version', () => {
    const heads = SOURCE.heads.map((head) => ({ ...head, schema: 2 }));
    expect(refusalOf({ ...SOURCE, heads }, { fromNode: 'first' })).toMatchObject({
      code: 'log_newer',
      data: { schema: 2 },
    });
  });
});
