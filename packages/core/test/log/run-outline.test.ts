import {
  carryCalls,
  carryNodes,
  createOutliner,
  deriveRunOverview,
  deriveSessionOverview,
  type EncodedLine,
  type EventDraft,
  mayName,
  resumeOutliner,
} from '@ramet/core';
import { encodeLog, makeTestId, outlineLog, splitLog } from '@ramet/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  buildChild,
  buildRun,
  checkpoint,
  enter,
  exit,
  intent,
  makeGraph,
  planOf,
  resolve,
  result,
  skip,
  sourceOf,
  work,
} from '../fork/run/run-log.ts';

const tool = { kind: 'tool', tool: 'mcp__a__send' } as const;
const GRAPH = makeGraph({
  nodes: { a: tool, b: tool, ask: { kind: 'gate', question: 'ok?' } },
  edges: [
    { from: 'a', to: 'b' },
    { from: 'b', to: 'ask' },
  ],
});

const reply: EventDraft = {
  type: 'model.response',
  node: 'b',
  model: 'm',
  attempt: 1,
  purpose: 'turn',
  message: { role: 'assistant', content: [] },
  usage: { inputTokens: 3, outputTokens: 1 },
};
const gate: EventDraft = { type: 'gate.open', node: 'ask', question: 'ok?', answerSchema: {} };

function headsOf(lines: readonly EncodedLine[], cuts: readonly number[] = []) {
  return outlineLog(lines, cuts).map(({ head }) => head);
}

function overviewOf(drafts: readonly EventDraft[], parts: Parameters<typeof buildRun>[2] = {}) {
  return deriveRunOverview(headsOf(buildRun(GRAPH, drafts, parts)));
}

describe('the outline of a graph run', () => {
  const drafts = [
    skip('b', 'why'),
    enter('a'),
    intent('a', { contained: true }),
    result('a', {}),
    intent('a', { callId: 'c2', contained: true, effect: 'read' }),
    result('a', { callId: 'c2' }),
    checkpoint('cp', 'a'),
    exit('a', 'failed'),
  ];
  const [, { detail } = { detail: undefined }] = outlineLog(buildRun(GRAPH, drafts));

  it('marks entries, exits and skips of nodes with where they lie', () => {
    const [line] = buildRun(GRAPH, drafts).slice(1);
    expect(detail?.nodes).toMatchObject([
      { type: 'skip', node: 'b', attempt: 0, offset: 1, position: 0, bytes: line?.bytes.length },
      { type: 'enter', node: 'a', attempt: 1, offset: 2, position: (line?.bytes.length ?? 0) + 1 },
      { type: 'exit', node: 'a', attempt: 1, offset: 8, outcome: 'failed' },
    ]);
  });

  it('marks every write and its result with its node, contained or not, and no contained read', () => {
    expect(detail?.writes).toMatchObject([{ node: 'a', callId: 'call', contained: true }]);
    expect(detail?.writeOutcomes).toMatchObject([{ node: 'a', callId: 'call', outcome: 'ok' }]);
    expect(detail?.checkpoints).toEqual([{ offset: 7, id: 'cp', node: 'a' }]);
  });

  it('knows calls of one id in several nodes apart, and forgets those of a node that exits', () => {
    const read = { contained: true, effect: 'read' } as const;
    const begun = [enter('a'), enter('b'), intent('a', read), intent('b', read)];
    const openIn = (...more: EventDraft[]) => outlineLog(buildRun(GRAPH, [...begun, ...more]))[1]?.detail.openContained;
    expect(openIn()).toEqual(['a\ncall', 'b\ncall']);
    expect(openIn(result('a'))).toEqual(['b\ncall']);
    expect(openIn(exit('b', 'interrupted'))).toEqual(['a\ncall']);
  });

  it('keeps a person’s word on a call', () => {
    const lines = buildRun(GRAPH, [enter('a'), intent('a'), resolve('a', 2, 'happened')]);
    expect(outlineLog(lines)[1]?.detail.writeOutcomes).toMatchObject([{ intent: 2, outcome: 'happened' }]);
  });

  it('counts no message and no boundary of an agent as the run’s', () => {
    const turn: readonly EventDraft[] = [
      enter('b'),
      { type: 'message', node: 'b', message: { role: 'user', content: 'do' } },
      { type: 'session.end', node: 'b', reason: 'completed', checkpoint: 'none', why: 'x' },
    ];
    expect(headsOf(buildRun(GRAPH, turn))[1]).toMatchObject({ messages: 0, boundaries: 0 });
    expect(outlineLog(buildRun(GRAPH, turn))[1]?.detail.boundaries).toEqual([]);
  });

  it('holds all of a long line of a node but its input or output, and nothing of other long lines', () => {
    const [long, output] = ['x'.repeat(5_000), { type: 'text' as const, value: 'y'.repeat(5_000) }];
    const given = [enter('a', 1, long), intent('a', { input: [long] }), { ...result('a'), output }];
    const others = [skip('b', long), { type: 'node.exit', node: 'a', attempt: 1, outcome: 'failed', error: { long } }];
    const lines = buildRun(GRAPH, [...given, ...others, enter('b')] as EventDraft[]);
    const [, outline] = outlineLog(lines);
    const whole = lines.slice(1, 4).map(({ event }, index) => {
      const { [index < 2 ? 'input' : 'output']: _, ...rest } = event;
      return rest;
    });
    expect(outline?.detail.long.map(({ event }) => event)).toEqual(whole);
    expect(outline?.detail.long.map(({ offset, value }) => [offset, value])).toEqual([
      [1, 'input'],
      [2, 'input'],
      [3, 'output'],
    ]);
    expect(outline?.head.long).toBe(3);
  });

  it('is the same when it is gone on with after any line', () => {
    const long: EventDraft = { type: 'node.exit', node: 'b', attempt: 1, outcome: 'ok', output: 'z'.repeat(5_000) };
    const lines = encodeLog([], buildRun(GRAPH, [...drafts, enter('b'), intent('b'), long, reply, gate]));
    const [, segment = []] = splitLog(lines);
    const add = (outliner: ReturnType<typeof createOutliner>, from: number, to: number) => {
      let position = segment.slice(0, from).reduce((total, line) => total + line.bytes.length + 1, 0);
      for (const { event, bytes } of segment.slice(from, to)) {
        outliner.add({ event, position, bytes: bytes.length });
        position += bytes.length + 1;
      }
      return outliner.finish(segment[to - 1]?.digest ?? GRAPH.hash);
    };
    const prev = lines[0]?.digest ?? GRAPH.hash;
    const whole = add(createOutliner(1, prev), 0, segment.length);
    for (let cut = 1; cut < segment.length; cut += 1) {
      const part = JSON.parse(JSON.stringify(add(createOutliner(1, prev), 0, cut)));
      expect(add(resumeOutliner(part), cut, segment.length)).toEqual(whole);
    }
  });
});

describe('the head of a segment', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => [
      enter(`m[${index}]/${'n'.repeat(9)}${index}`),
      checkpoint(`c${index}`, `x${index}`),
    ]).flat();
  const sizeOf = (count: number) => JSON.stringify(headsOf(buildRun(GRAPH, many(count)))[1]).length;

  it('counts calls that are marked, and those of them that are reads', () => {
    const read = { effect: 'read' } as const;
    const lines = buildRun(GRAPH, [...work('a', read), ...work('b'), ...work('b', { ...read, contained: true })]);
    expect(headsOf(lines)[1]).toMatchObject({ writes: 2, reads: 1 });
  });

  it('names the last configuration that belongs to no node', () => {
    const config = (model: string, node?: string): EventDraft => ({
      type: 'session.config',
      schema: 1,
      model: { name: model },
      tools: [],
      permissions: [],
      sandbox: 'none',
      allowNet: [],
      instructions: [],
      ...(node === undefined ? {} : { node }),
    });
    const lines = buildRun(GRAPH, [config('m1'), config('m2'), config('m3', 'b')]);
    const position = lines[1]?.bytes.length ?? 0;
    expect(headsOf(lines)[1]?.config).toEqual({ offset: 2, position: position + 1, bytes: lines[2]?.bytes.length });
    expect(headsOf(buildRun(GRAPH, work('a')))[1]?.config).toBeUndefined();
  });

  it('does not grow with the number of nodes, calls and checkpoints', () => {
    expect(sizeOf(3000) - sizeOf(300)).toBeLessThan(100);
    expect(sizeOf(3000)).toBeLessThan(8000);
  });

  it('names every node that was entered or skipped, by path and by id', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1, maxLength: 40 }), (ids) => {
        const drafts = ids.map((id, index) =>
          index % 2 === 0 ? enter(`m[${index}]/${id}`) : skip(`m[${index}]/${id}`, 'why'),
        );
        const names = headsOf(buildRun(GRAPH, drafts))[1]?.walk?.names ?? '';
        for (const [index, id] of ids.entries())
          expect([mayName(names, id), mayName(names, `m[${index}]/${id}`)]).toEqual([true, true]);
      }),
    );
  });

  it('excludes nearly every node that was not', () => {
    const names = headsOf(buildRun(GRAPH, many(100)))[1]?.walk?.names ?? '';
    const found = Array.from({ length: 1000 }, (_, index) => mayName(names, `other${index}`)).filter(Boolean);
    expect(found.length).toBeLessThan(200);
  });

  it('says what is open across it as its detail does', () => {
    const lines = buildRun(GRAPH, [enter('a'), intent('a'), enter('b'), intent('b'), result('b'), exit('b')]);
    const [, first, second] = outlineLog(lines, [4]);
    expect(first?.head.walk).toMatchObject({
      nodes: { opened: ['a', 'b'], closed: [] },
      calls: { opened: ['a\ncall'] },
    });
    expect(second?.head.walk).toMatchObject({
      nodes: { opened: [], closed: ['b'] },
      calls: { opened: [], closed: [] },
    });
    const crowd = outlineLog(
      buildRun(GRAPH, Array.from({ length: 40 }, (_, index) => [enter(`n${index}`), intent(`n${index}`)]).flat()),
    )[1];
    expect(crowd?.head.walk).toMatchObject({ nodes: { opened: null }, calls: { opened: null } });
    expect([
      crowd && carryNodes(crowd.detail.nodes).opened.size,
      crowd && carryCalls(crowd.detail).opened.size,
    ]).toEqual([40, 40]);
  });
});

describe('an overview of a graph run', () => {
  it('is null of a session, as that of a session is of a run', () => {
    const lines = buildRun(GRAPH, work('a'));
    expect(deriveSessionOverview(headsOf(lines))).toBeNull();
    expect(deriveRunOverview(headsOf(encodeLog([])))).toBeNull();
    expect(deriveRunOverview([])).toBeNull();
  });

  it('says what it is and how far it is', () => {
    expect(overviewOf([...work('a'), enter('b'), reply, exit('b'), enter('ask'), gate], { title: 'T' })).toMatchObject({
      kind: 'graph',
      id: makeTestId(1),
      graph: GRAPH.hash,
      title: 'T',
      titleFrom: 'own',
      steps: 3,
      ownSteps: 3,
      openGates: 1,
      own: { replies: 1, inputTokens: 3 },
      inherited: { replies: 0 },
      workspace: 'git',
    });
  });

  it.each<[string, readonly EventDraft[], object | undefined]>([
    ['completed', [{ type: 'run.complete', output: 1 }], { kind: 'completed' }],
    [
      'failed',
      [{ type: 'run.fail', error: { code: 'node_failed', message: 'x' } }],
      { kind: 'failed', code: 'node_failed' },
    ],
    [
      'abandoned after it failed',
      [{ type: 'run.fail', error: { code: 'c', message: '' } }, { type: 'run.abandon' }],
      { kind: 'abandoned' },
    ],
    ['gone on with after it failed', [{ type: 'run.fail', error: { code: 'c', message: '' } }, enter('b')], undefined],
  ])('says that it is %s', (_, drafts, end) => {
    const { end: found } = overviewOf([...work('a'), ...drafts]) ?? {};
    if (end === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject(end);
  });

  it('counts gates that are answered, or of a run that is over, as open no more', () => {
    const answer: EventDraft = { type: 'gate.answer', node: 'ask', gate: 2, answer: true, by: 'person' };
    expect(overviewOf([enter('ask'), gate, answer])?.openGates).toBe(0);
    expect(overviewOf([enter('ask'), gate, { type: 'run.abandon' }])?.openGates).toBe(0);
  });

  it('of a child begins at its fork, however it is cut, and before it has an event of its own', () => {
    const lines = buildRun(GRAPH, [
      ...work('a'),
      reply,
      { type: 'session.title', title: 'Parent' },
      ...work('b'),
      { type: 'run.complete', output: 1 },
    ]);
    const plan = planOf(sourceOf(GRAPH, lines), { fromNode: 'b' });
    const bare = buildChild(lines, plan);
    const grown = buildChild(lines, plan, { own: [enter('b'), reply, reply, exit('b')] });
    for (const cut of lines.keys()) {
      expect(deriveRunOverview(headsOf(bare, [cut]))).toMatchObject({
        steps: 1,
        ownSteps: 0,
        own: { replies: 0 },
        inherited: { replies: 1 },
      });
      const overview = deriveRunOverview(headsOf(grown, [cut]));
      expect(overview).toMatchObject({
        id: makeTestId(2),
        forkedFrom: { id: makeTestId(1), offset: plan.offset, digest: lines[plan.offset]?.digest, fromNode: 'b' },
        createdAt: '2031-01-01T00:00:00.000Z',
        title: 'Parent',
        titleFrom: 'inherited',
        steps: 2,
        ownSteps: 1,
        own: { replies: 2 },
        inherited: { replies: 1 },
      });
      expect(overview?.end).toBeUndefined();
    }
  });
});
