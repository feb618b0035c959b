import { type EventDraft, type GraphNode, unacknowledged, unknownAcknowledgements } from '@ramet/core';
import { makeTestId } from '@ramet/testkit';
import { describe, expect, it } from 'vitest';
import {
  buildChild,
  buildRun,
  type Call,
  checkpoint,
  enter,
  exit,
  intent,
  makeGraph,
  planOf,
  type RunParts,
  refusalOf,
  resolve,
  result,
  sourceOf,
  work,
} from './run-log.ts';

const tool = { kind: 'tool', tool: 'mcp__a__send' } as const;
const shell = { kind: 'tool', exec: { command: 'make' } } as const;
const GRAPH = makeGraph({
  nodes: {
    first: shell,
    fork: tool,
    beside: tool,
    after: tool,
    own: { kind: 'agent', tools: ['*'], workspace: 'own' },
    scratch: { kind: 'agent', tools: ['*'], workspace: 'none' },
    map: {
      kind: 'map',
      over: '[1, 2]',
      concurrency: 2,
      body: { nodes: { item: tool, next: tool }, edges: [{ from: 'item', to: 'next' }] },
    },
    loop: { kind: 'fold', until: 'false', maxPasses: 3, body: { nodes: { step: tool } } },
    last: tool,
  },
  edges: [
    { from: 'first', to: 'fork' },
    { from: 'first', to: 'beside' },
    { from: 'fork', to: 'after' },
    { from: 'fork', to: 'own' },
    { from: 'fork', to: 'scratch' },
    { from: 'fork', to: 'map' },
    { from: 'map', to: 'loop' },
    { from: 'loop', to: 'last' },
  ],
});

const RESTORED = [enter('first'), checkpoint('cp-1', 'first'), exit('first')];

function planFrom(drafts: readonly EventDraft[], request = {}, parts: RunParts = {}) {
  const lines = buildRun(GRAPH, drafts, parts);
  return planOf(sourceOf(GRAPH, lines), { fromNode: 'fork', ...request });
}

/** The plan of a fork at `fork`, whose call this is. */
function planOfCall(call: Call, parts: RunParts = {}) {
  return planFrom([...RESTORED, ...work('fork', call)], {}, parts);
}

describe('a write in the re-walk is a hazard', () => {
  it.each<[string, Call, object]>([
    ['was not contained', {}, { outcome: 'ok' }],
    ['was not contained and failed', { outcome: 'error' }, { outcome: 'error' }],
    ['reached a host', { contained: 'unless_egress', egress: ['a.example'] }, { egress: ['a.example'] }],
    [
      'may have reached a host',
      { contained: 'unless_egress', outcome: 'outcome_unknown' },
      { outcome: 'outcome_unknown' },
    ],
  ])('when it %s', (_, call, expected) => {
    const plan = planOfCall(call);
    expect(plan.writes).toMatchObject([expected]);
    expect([plan.exempt, plan.idempotent]).toEqual([[], []]);
  });

  it('with its offset, node, tool, input, key and time', () => {
    const lines = buildRun(GRAPH, [...RESTORED, ...work('fork', { input: { to: 'a' } })]);
    const at = lines.findIndex(({ event }) => event.type === 'tool.intent');
    expect(planOf(sourceOf(GRAPH, lines), { fromNode: 'fork' }).writes).toEqual([
      {
        offset: at,
        callId: 'call',
        tool: 'send',
        input: { to: 'a' },
        key: 'key of fork',
        time: lines[at]?.event.time,
        outcome: 'ok',
        node: 'fork',
        effect: 'write',
        relation: 'descends',
        straddles: false,
      },
    ]);
  });

  it.each<[string, RunParts, readonly EventDraft[]]>([
    ['no checkpoint of its workspace lies below the boundary', {}, [enter('first'), exit('first')]],
    ['its workspace is a folder that is shared', { workspace: 'directory' }, RESTORED],
    ['its workspace is kept nowhere', { workspace: 'none' }, RESTORED],
  ])('although it is contained, when %s', (_, parts, before) => {
    expect(planFrom([...before, ...work('fork', { contained: true })], {}, parts)).toMatchObject({
      writes: [{ node: 'fork' }],
      exempt: [],
    });
  });

  it('although it is contained, when its node has no workspace', () => {
    const drafts = [...RESTORED, enter('fork'), exit('fork'), ...work('scratch', { contained: true })];
    expect(planFrom(drafts).writes).toMatchObject([{ node: 'scratch' }]);
  });

  it('in each attempt that was made', () => {
    const twice = [
      ...RESTORED,
      enter('fork'),
      intent('fork'),
      resolve('fork', 5, 'retry'),
      intent('fork', { attempt: 2 }),
      result('fork'),
      exit('fork'),
    ];
    expect(planFrom(twice).writes).toMatchObject([
      { offset: 5, outcome: 'open' },
      { offset: 7, outcome: 'ok' },
    ]);
  });

  it('when a person said that it happened', () => {
    const drafts = [...RESTORED, enter('fork'), intent('fork'), resolve('fork', 5, 'happened'), exit('fork')];
    expect(planFrom(drafts).writes).toMatchObject([{ outcome: 'ok' }]);
  });
});

describe('a call in the re-walk asks nothing of a person', () => {
  it.each<[string, Call]>([
    ['was contained', { contained: true }],
    ['reached nothing', { contained: 'unless_egress', egress: [] }],
  ])('when it %s and its workspace is restored, and is listed apart', (_, call) => {
    const plan = planOfCall(call);
    expect(plan).toMatchObject({ writes: [], exempt: [{ node: 'fork', relation: 'descends' }] });
    expect(plan.exempt[0]).not.toHaveProperty('input');
  });

  it('when it was contained in a workspace of its own, which is cut anew from one that is restored', () => {
    const drafts = [...RESTORED, enter('fork'), exit('fork'), ...work('own', { contained: true })];
    expect(planFrom(drafts)).toMatchObject({ writes: [], exempt: [{ node: 'own' }] });
  });

  it('when its receiver honours its key, and is listed apart', () => {
    expect(planOfCall({ effect: 'idempotent' })).toMatchObject({
      writes: [],
      exempt: [],
      idempotent: [{ node: 'fork', effect: 'idempotent', key: 'key of fork' }],
    });
  });

  it('when it was a read', () => {
    expect(planOfCall({ effect: 'read' })).toMatchObject({ writes: [], exempt: [], idempotent: [] });
  });

  it('when it did not happen, as a person said', () => {
    const drafts = [...RESTORED, enter('fork'), intent('fork'), resolve('fork', 5, 'did_not_happen'), exit('fork')];
    expect(planFrom(drafts)).toMatchObject({ writes: [], exempt: [] });
  });

  it('when it ended below the boundary', () => {
    expect(planFrom([...RESTORED, ...work('beside'), ...work('fork', { effect: 'read' })]).writes).toEqual([]);
  });
});

describe('a write that straddles the boundary is a hazard', () => {
  const begun = [...RESTORED, enter('beside'), intent('beside')];
  const forked = [enter('fork'), exit('fork')];

  it.each<[string, readonly EventDraft[]]>([
    ['its result lies after it', [...begun, ...forked, result('beside'), exit('beside')]],
    ['a person said after it that it happened', [...begun, ...forked, resolve('beside', 5, 'happened')]],
    ['its node exits after it without one', [...begun, ...forked, exit('beside', 'interrupted')]],
  ])('when %s', (_, drafts) => {
    for (const cuts of [[1], [1, 5, 6], [1, 6, 7]]) {
      const source = sourceOf(GRAPH, buildRun(GRAPH, drafts), cuts);
      expect(planOf(source, { fromNode: 'fork' }).writes).toMatchObject([
        { offset: 5, node: 'beside', relation: 'concurrent', straddles: true },
      ]);
    }
  });

  it.each<[string, readonly EventDraft[]]>([
    ['it ended before', [...begun, result('beside'), ...forked, exit('beside')]],
    ['its node exited before', [...begun, exit('beside', 'interrupted'), ...forked]],
    ['a person said before that it happened', [...begun, resolve('beside', 5, 'happened'), ...forked]],
    ['a person said after that it did not happen', [...begun, ...forked, resolve('beside', 5, 'did_not_happen')]],
  ])('unless %s', (_, drafts) => {
    for (const cuts of [[1], [1, 5, 6], [1, 6, 7]]) {
      expect(planOf(sourceOf(GRAPH, buildRun(GRAPH, drafts), cuts), { fromNode: 'fork' }).writes).toEqual([]);
    }
  });

  it('unless it is contained and its workspace is restored', () => {
    const inFiles = [...RESTORED, enter('beside'), intent('beside', { contained: true }), ...forked];
    expect(planFrom([...inFiles, result('beside'), exit('beside')])).toMatchObject({
      writes: [],
      exempt: [{ node: 'beside', straddles: true }],
    });
  });

  it('once, by its latest attempt', () => {
    const again = [...begun, resolve('beside', 5, 'retry'), intent('beside', { attempt: 2 })];
    expect(planFrom([...again, ...forked, result('beside'), exit('beside')]).writes).toMatchObject([{ offset: 7 }]);
  });
});

describe('the writes of a re-walk', () => {
  const ALL = [
    ...RESTORED,
    enter('beside'),
    ...work('fork'),
    intent('beside'),
    result('beside'),
    exit('beside'),
    ...work('after'),
    enter('map'),
    ...['map[0]/item', 'map[1]/item', 'map[0]/next', 'map[1]/next'].flatMap((path) => work(path)),
    exit('map'),
    enter('loop'),
    ...['loop#1/step', 'loop#2/step'].flatMap((path) => work(path)),
    exit('loop'),
    ...work('last'),
  ];

  it.each([
    ['fork', ['beside']],
    ['map', []],
    ['map[0]/item', ['map[1]/item', 'map[1]/next']],
    ['map[1]/item', ['map[0]/next']],
    ['loop', []],
    ['loop#1/step', []],
    ['loop#2/step', []],
    ['last', []],
  ])('after %s descend from it, but for %j, which only ran at the same time', (fromNode, concurrent) => {
    const { writes } = planFrom(ALL, { fromNode });
    expect(writes.filter(({ relation }) => relation === 'concurrent').map(({ node }) => node)).toEqual(concurrent);
    expect(writes.map(({ node }) => node)).toContain('last');
  });

  it('are looked for in no segment after the boundary that has reads alone', () => {
    const reads = ['map[0]/item', 'map[1]/item'].flatMap((path) => work(path, { effect: 'read' }));
    const lines = buildRun(GRAPH, [enter('fork'), exit('fork'), enter('map'), ...reads, ...work('last')]);
    const source = sourceOf(GRAPH, lines, [1, 4, 8, 12]);
    const read = new Set<number>();
    const readDetail = (segment: number) => {
      read.add(segment);
      return source.readDetail(segment);
    };
    expect(planOf({ ...source, readDetail }, { fromNode: 'fork' }).writes.map(({ node }) => node)).toEqual(['last']);
    expect([...read]).toEqual([1, 4]);
  });

  it('are the same whatever is acknowledged, and what is acknowledged is copied unjudged', () => {
    const plain = planFrom(ALL);
    const offsets = plain.writes.map(({ offset }) => offset);
    const [one = 0, ...others] = offsets;
    const plan = planFrom(ALL, { acknowledge: [99_999, one, one, 3] });
    expect(plan).toEqual({ ...plain, acknowledged: [3, one, 99_999] });
    expect(unacknowledged(plan).map(({ offset }) => offset)).toEqual(others);
    expect(unknownAcknowledgements(plan)).toEqual([3, 99_999]);
    expect(unacknowledged(plain)).toEqual(plain.writes);
    expect(unacknowledged(planFrom(ALL, { acknowledge: offsets }))).toEqual([]);
  });

  it('are asked about again in a fork of a fork that inherited them or made them', () => {
    const lines = buildRun(GRAPH, ALL);
    const parent = planOf(sourceOf(GRAPH, lines), { fromNode: 'map[1]/next' });
    const child = buildChild(lines, parent, { own: work('map[1]/next') });
    const offsets = parent.writes.map(({ offset }) => offset);
    const again = planOf(sourceOf(GRAPH, child), { fromNode: 'fork', acknowledge: offsets });
    const inherited = planFrom(ALL).writes.filter(({ offset }) => offset <= parent.offset);
    expect(again.writes.slice(0, inherited.length)).toEqual(inherited);
    expect(again.writes.slice(inherited.length)).toMatchObject([{ node: 'map[1]/next' }]);
    expect(again.source).toBe(makeTestId(2));
  });
});

describe('a workspace at the boundary', () => {
  it('is restored to its last checkpoint below it, and names who was still at work there', () => {
    const drafts = [
      ...RESTORED,
      checkpoint('cp-2'),
      enter('own'),
      checkpoint('cp-own', 'own'),
      enter('beside'),
      enter('first', 2),
      enter('fork'),
      checkpoint('cp-3', 'first'),
    ];
    for (const cuts of [[1], [1, 3, 5, 7, 8], [1, 4, 6, 9]]) {
      expect(planOf(sourceOf(GRAPH, buildRun(GRAPH, drafts), cuts), { fromNode: 'fork' }).workspaces).toEqual([
        { workspace: '', kind: 'git', checkpoint: 'cp-2', leftOut: ['first'] },
        { workspace: 'own', kind: 'git', checkpoint: 'cp-own', leftOut: ['own'] },
      ]);
    }
  });

  it.each([
    ['a shell node, whatever its effect', { kind: 'tool', tool: 'shell', effect: 'read' }, true],
    ['a program in the sandbox, whatever its effect', { kind: 'tool', exec: { command: 'ls' }, effect: 'read' }, true],
    ['an agent with tools', { kind: 'agent', tools: ['read_file'] }, true],
    ['an agent without tools', { kind: 'agent' }, false],
    ['a program on the host', { kind: 'tool', exec: { command: 'ls', sandbox: false } }, false],
    ['a tool that reads files', { kind: 'tool', tool: 'read_file' }, false],
    ['a registered function', { kind: 'tool', tool: 'charge' }, false],
    ['a function with the name of a method of objects', { kind: 'tool', tool: 'constructor' }, false],
    ["a tool of another process's", { kind: 'tool', tool: 'mcp__a__send' }, false],
    ['a node without files', { kind: 'tool', tool: 'shell', workspace: 'none' }, false],
  ] as const)('says whether %s was at work in it', (_, beside: GraphNode, holds) => {
    const graph = makeGraph({ nodes: { beside, fork: tool } });
    const source = sourceOf(graph, buildRun(graph, [enter('beside'), enter('fork')]));
    const { leftOut } = planOf(source, { fromNode: 'fork' }).workspaces[0] ?? {};
    expect(leftOut).toEqual(holds ? ['beside'] : []);
  });

  it('is that of the run alone when nobody else is at work', () => {
    const drafts = [...RESTORED, enter('own'), checkpoint('cp-own', 'own'), exit('own'), enter('fork')];
    expect(planFrom(drafts).workspaces).toEqual([{ workspace: '', kind: 'git', checkpoint: 'cp-1', leftOut: [] }]);
  });

  it('has no checkpoint when none lies below', () => {
    expect(planFrom([enter('first'), exit('first'), enter('fork'), checkpoint('cp')]).workspaces).toEqual([
      { workspace: '', kind: 'git', checkpoint: null, leftOut: [] },
    ]);
  });
});

describe('a source with a call nobody knows the end of is refused', () => {
  const open = [...RESTORED, ...work('fork'), enter('beside'), intent('beside')];

  it.each([
    ['in the re-walk', 'fork', open],
    ['across the boundary', 'fork', [...RESTORED, enter('beside'), intent('beside'), ...work('fork')]],
    ['in the prefix', 'after', [...RESTORED, ...work('fork'), enter('beside'), intent('beside'), enter('after')]],
  ])('%s, whatever is acknowledged', (_, fromNode, drafts) => {
    const source = sourceOf(GRAPH, buildRun(GRAPH, drafts));
    const offset = drafts.findLastIndex((draft) => draft.type === 'tool.intent' && draft.node === 'beside') + 1;
    expect(refusalOf(source, { fromNode })).toMatchObject({
      code: 'origin_needs_reconciliation',
      data: { calls: [{ offset, node: 'beside', tool: 'send' }] },
    });
    expect(refusalOf(source, { fromNode, acknowledge: [offset] }).code).toBe('origin_needs_reconciliation');
  });

  it.each(['happened', 'did_not_happen', 'retry'] as const)('unless a person said %s', (resolution) => {
    const offset = open.length;
    expect(planFrom([...open, resolve('beside', offset, resolution)]).kind).toBe('graph');
  });

  it.each<[string, Call]>([
    ['it was contained', { contained: true }],
    ['it is made again by itself', { effect: 'idempotent' }],
    ['it is a read', { effect: 'read' }],
  ])('unless %s', (_, call) => {
    expect(planFrom([...RESTORED, ...work('fork'), enter('beside'), intent('beside', call)]).kind).toBe('graph');
  });

  it('and unless its node exited', () => {
    expect(planFrom([...open, exit('beside', 'interrupted')]).kind).toBe('graph');
  });
});
