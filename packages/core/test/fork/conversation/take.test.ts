import { createSessionFold, type EventDraft, type Graph, renderContext } from '@ramet/core';
import { encodeLog, makeTestId } from '@ramet/testkit';
import { describe, expect, it } from 'vitest';
import {
  buildRun,
  checkpoint,
  enter,
  exit,
  intent,
  makeGraph,
  resolve,
  result,
  sourceOf,
  work,
} from '../run/run-log.ts';
import { config, conversationOf, opened, restored, take, taken, turn } from './talk.ts';

const GRAPH: Graph = makeGraph({
  nodes: {
    plan: { kind: 'agent', tools: ['shell'] },
    think: { kind: 'agent' },
    own: { kind: 'agent', tools: ['shell'], workspace: 'own' },
    build: { kind: 'tool', exec: { command: 'make' } },
  },
});

function readOf(drafts: readonly EventDraft[], node = 'plan') {
  const lines = buildRun(GRAPH, drafts);
  return taken(sourceOf(GRAPH, lines), lines, { node });
}

function typesOf(drafts: readonly EventDraft[]): readonly string[] {
  return drafts.map(({ type }) => type);
}

/** A turn in which one call is made. */
function calling(node: string, events: readonly EventDraft[]): readonly EventDraft[] {
  const [message, request, response, end] = turn(node);
  const call = { type: 'tool-call', toolCallId: 'call', toolName: 'send', input: { to: node } } as const;
  if (response?.type !== 'model.response') throw new Error('a turn has a response');
  const called = { ...response, message: { role: 'assistant' as const, content: [call] } };
  return [message, request, called, ...events, request, response, end].filter((event) => event !== undefined);
}

describe('what is taken', () => {
  it('is how the files were opened, what was said, and what the files were in the end', () => {
    const drafts = readOf([
      opened(),
      checkpoint('cp-open'),
      ...work('build', { contained: true }),
      checkpoint('cp-build', 'build'),
      enter('plan'),
      config('plan'),
      ...turn('plan', { reason: 'completed', text: 'no JSON' }),
      ...turn('plan', { prompt: 'Answer again' }),
      checkpoint('cp-plan', 'plan'),
      exit('plan'),
      ...work('build'),
      checkpoint('cp-late', 'build'),
    ]);
    expect(typesOf(drafts)).toEqual([
      'workspace.open',
      'workspace.checkpoint',
      'session.config',
      'message',
      'model.request',
      'model.response',
      'session.end',
      'message',
      'model.request',
      'model.response',
      'workspace.checkpoint',
      'session.end',
    ]);
    expect(drafts.flatMap((draft) => (draft.type === 'workspace.checkpoint' ? [draft.id] : []))).toEqual([
      'cp-open',
      'cp-plan',
    ]);
    expect(drafts.at(-1)).toEqual({ type: 'session.end', reason: 'completed', checkpoint: 'cp-plan' });
    expect(drafts.some((draft) => 'node' in draft)).toBe(false);
  });

  it('of a node that changed nothing are the files it found', () => {
    const drafts = readOf([
      opened(),
      checkpoint('cp-build', 'build'),
      enter('plan'),
      ...turn('plan'),
      exit('plan'),
      checkpoint('cp-late', 'build'),
    ]);
    expect(drafts.at(-1)).toMatchObject({ checkpoint: 'cp-build' });
  });

  it('of a copy of its own are its files alone: what it was cut from, and then what it did', () => {
    const before = [opened(), checkpoint('cp-run'), enter('own'), restored('own', 'cp-run')];
    const meanwhile = checkpoint('cp-other', 'build');
    const cut = readOf([...before, meanwhile, ...turn('own'), exit('own')], 'own');
    expect(cut.at(-1)).toMatchObject({ checkpoint: 'cp-run' });
    const changed = readOf([...before, meanwhile, ...turn('own'), checkpoint('cp-own', 'own'), exit('own')], 'own');
    expect(changed.at(-1)).toMatchObject({ checkpoint: 'cp-own' });
  });

  it('of a copy that could not be cut is said to have begun anew', () => {
    const drafts = readOf(
      [
        opened('old'),
        checkpoint('cp-run'),
        enter('own'),
        opened('new', 'own'),
        restored('own', null),
        ...turn('own'),
        exit('own'),
      ],
      'own',
    );
    expect(drafts[0]).toMatchObject({ type: 'workspace.open', base: 'new' });
    expect(drafts.at(-1)).toMatchObject({ checkpoint: 'none', why: 'the run has no checkpoint of the files of own' });
  });

  it('names no checkpoint where the files of the node could not be kept', () => {
    const failed = exit('plan', 'failed');
    const error = { code: 'checkpoint_failed', message: 'its files could not be kept: too large' };
    const drafts = readOf([
      opened(),
      checkpoint('cp-run'),
      enter('plan'),
      ...turn('plan'),
      { ...failed, error } as EventDraft,
    ]);
    expect(drafts.at(-1)).toMatchObject({ checkpoint: 'none', why: expect.stringContaining('too large') });
  });

  it('of an agent without files has an empty workspace', () => {
    const drafts = readOf([opened(), checkpoint('cp-run'), enter('think'), ...turn('think'), exit('think')], 'think');
    expect(drafts[0]).toMatchObject({ type: 'workspace.open', kind: 'none', base: null });
    expect(drafts.at(-1)).toMatchObject({ checkpoint: 'none', why: 'no workspace' });
  });

  it('says calls with their keys, and what a person said of one by its new place', () => {
    const lines = buildRun(GRAPH, [opened(), enter('plan'), config('plan')]);
    const at = lines.length + 3;
    const drafts = readOf([
      opened(),
      enter('plan'),
      config('plan'),
      ...calling('plan', [
        { ...intent('plan'), acknowledged: 4 } as EventDraft,
        resolve('plan', at, 'happened'),
        result('plan'),
      ]),
      exit('plan'),
    ]);
    const made = drafts.findIndex(({ type }) => type === 'tool.intent') + 1;
    expect(drafts[made - 1]).toMatchObject({ key: 'key of plan', input: { to: 'plan' } });
    expect(drafts[made - 1]).not.toHaveProperty('acknowledged');
    expect(drafts[made]).toMatchObject({ type: 'tool.resolve', intent: made });
  });

  it('says a summary by the place of what it replaces', () => {
    const compact: EventDraft = { type: 'context.compact', node: 'plan', summary: 'so far', through: 5 };
    const [message, request, response, end] = turn('plan');
    const drafts = readOf(
      [opened(), enter('plan'), message, request, response, compact, request, response, end, exit('plan')].filter(
        (event) => event !== undefined,
      ),
    );
    // Offset 5 of the run is the reply, which is event 4 of the session.
    expect(drafts.find(({ type }) => type === 'context.compact')).toMatchObject({ through: 4 });
  });

  it('is no turn that was cut off, and none before the model was asked', () => {
    const cutOff = buildRun(GRAPH, [
      enter('plan'),
      ...turn('plan'),
      ...turn('plan', { reason: null }),
      exit('plan', 'failed'),
    ]);
    const source = sourceOf(GRAPH, cutOff);
    expect(take(source, cutOff, conversationOf(source, { node: 'plan' }))).toMatchObject({
      code: 'no_completed_turn',
      message: expect.stringContaining('in the middle of its turn'),
    });
    const silent = buildRun(GRAPH, [enter('plan'), config('plan'), exit('plan', 'failed')]);
    const quiet = sourceOf(GRAPH, silent);
    expect(take(quiet, silent, conversationOf(quiet, { node: 'plan' }))).toMatchObject({
      code: 'no_completed_turn',
      message: expect.stringContaining('before it said anything'),
    });
  });

  it('in a fork of the run is what the fork said itself, not what the conversation it broke off had said', () => {
    const parent = buildRun(GRAPH, [
      opened(),
      enter('plan'),
      ...turn('plan', { prompt: 'old' }),
      ...turn('plan', { reason: null }),
    ]);
    const boundary = parent.length - 1;
    const forkedFrom = {
      id: makeTestId(1),
      offset: boundary,
      digest: parent[boundary]?.digest ?? ('' as never),
      fromNode: 'build',
      visit: 1,
      graphHash: GRAPH.hash,
      sourceEvent0Digest: parent[0]?.digest ?? ('' as never),
      acknowledgedWrites: [],
      time: '2031-01-01T00:00:00.000Z',
    };
    const start = { ...(parent[0]?.event as unknown as EventDraft & { readonly type: 'graph.start' }), forkedFrom };
    const [event0] = encodeLog([start]);
    if (event0 === undefined) throw new Error('there is an event 0');
    const own = [enter('plan', 2), ...turn('plan', { prompt: 'new' }), exit('plan', 'ok', 2)];
    const lines = encodeLog(own, [event0, ...parent.slice(1)]);
    const source = sourceOf(GRAPH, lines);
    expect(conversationOf(source, { node: 'plan' })).toMatchObject({ from: boundary + 1, attempt: 2 });
    const prompts = taken(source, lines, { node: 'plan' }).flatMap((draft) =>
      draft.type === 'message' ? [draft.message.content] : [],
    );
    expect(prompts).toEqual(['new']);
  });
});

describe('a session that is made of it', () => {
  const drafts = readOf([opened(), checkpoint('cp'), enter('plan'), config('plan'), ...turn('plan'), exit('plan')]);
  const forkedFrom = {
    id: makeTestId(1),
    offset: 8,
    digest: 'ab'.repeat(32) as never,
    fromNode: 'plan',
    visit: 1,
    attempt: 1,
    from: 3,
    through: drafts.length,
  };
  const start: EventDraft = {
    type: 'session.start',
    schema: 1,
    id: makeTestId(2),
    project: 'project-1',
    cwd: '',
    workspace: 'git',
    versions: {},
    forkedFrom,
  };
  const lines = encodeLog([start, ...drafts]);

  it('is idle, in the run’s words, and nothing in it is its own doing', () => {
    const fold = createSessionFold();
    for (const { event } of lines) fold.add(event);
    const { state } = fold;
    expect(state).toMatchObject({
      id: makeTestId(2),
      open: null,
      turns: 1,
      workspaceReady: false,
      own: { replies: 0 },
      outstanding: [],
      grants: [],
      descent: { parent: makeTestId(1), offset: 8, ownFrom: drafts.length + 1 },
    });
    const context = renderContext(state.context, (value) => value);
    expect(context).toMatchObject([{ role: 'user', content: 'go' }, { role: 'assistant' }]);
  });
});
