import type { RunId } from '@ramet/core';
import { auditStore } from '@ramet/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServerHarness, startServer } from '../support/server.ts';

const program = (command: readonly string[]) => ({ kind: 'tool', exec: { command, sandbox: false } }) as const;
const document = {
  schema: 1,
  name: 'publish',
  nodes: { draft: program(['echo', '"draft"']), publish: program(['echo', '"sent"']) },
  edges: [{ from: 'draft', to: 'publish' }],
} as const;
const gated = {
  schema: 1,
  nodes: { ask: { kind: 'gate', question: 'Ship it?', answer: { type: 'boolean' } } },
} as const;

let server: ServerHarness;
let run: RunId;

beforeAll(async () => {
  server = await startServer();
  run = (await server.h.start(document)).run;
});

afterAll(async () => {
  expect(auditStore(server.h.home)).toEqual([]);
  await server.close();
});

describe('a graph run', () => {
  it('is listed and shown with its walk', async () => {
    const { json } = await server.ask('GET', '/v1/runs?search=publish');
    expect(json.runs).toMatchObject([{ id: run, state: 'completed', graph: { name: 'publish' } }]);
    const shown = await server.ask('GET', `/v1/runs/${run}`);
    expect(shown.json.walk.map(({ node, state }: { node: string; state: string }) => [node, state])).toEqual([
      ['draft', 'ok'],
      ['publish', 'ok'],
    ]);
    expect(shown.json).toMatchObject({ output: 'sent', live: { owner: 'none' } });
  });

  it('is no session, and a session is no run', async () => {
    const { session } = await server.h.turn(null, 'true');
    expect((await server.ask('GET', `/v1/sessions/${run}`)).json.code).toBe('not_a_session');
    expect((await server.ask('GET', `/v1/runs/${session}`)).json.code).toBe('not_a_graph_run');
    expect((await server.ask('POST', `/v1/runs/${session}/resume`)).json.code).toBe('not_a_graph_run');
  });

  it('waits for an answer, takes it once, and is then another matter', async () => {
    const { run: parked } = await server.h.start(gated);
    const inbox = await server.ask('GET', '/v1/inbox');
    expect(inbox.json.items).toMatchObject([
      { waits: 'gate', id: parked, kind: 'run', node: 'ask', question: 'Ship it?' },
    ]);
    const wrong = await server.ask('POST', `/v1/runs/${parked}/answer`, { body: { answer: 'yes' } });
    expect([wrong.status, wrong.json.code]).toEqual([400, 'bad_input']);
    const none = await server.ask('POST', `/v1/runs/${parked}/answer`, { body: { answer: true, gate: 'other' } });
    expect([none.status, none.json.code]).toEqual([404, 'unknown_gate']);
    const answered = await server.ask('POST', `/v1/runs/${parked}/answer`, { body: { answer: true } });
    expect([answered.status, answered.json.node]).toEqual([200, 'ask']);
    const abandoned = await server.ask('POST', `/v1/runs/${parked}/abandon`, { body: { reason: 'enough' } });
    expect(abandoned.json).toEqual({ run: parked, status: 'abandoned', reason: 'enough' });
    const ended = await server.ask('POST', `/v1/runs/${parked}/abandon`);
    expect([ended.status, ended.json.code]).toEqual([409, 'run_ended']);
  });

  it('has no call to resolve, and says so', async () => {
    const { status, json } = await server.ask('POST', `/v1/runs/${run}/resolve`, {
      body: { offset: 1, resolution: 'did_not_happen' },
    });
    expect([status, json.code]).toEqual([400, 'nothing_to_do']);
    const wrong = await server.ask('POST', `/v1/runs/${run}/resolve`, { body: { offset: 1, resolution: 'happened' } });
    expect([wrong.status, wrong.json.problems[0].at]).toEqual([400, 'body.result']);
  });
});

describe('a fork of a run', () => {
  it('is refused until each write is acknowledged, and says which they are', async () => {
    const { status, json } = await server.ask('POST', `/v1/runs/${run}/fork`, { body: { fromNode: 'publish' } });
    expect([status, json.code]).toEqual([409, 'write_replay_hazard']);
    expect(json.writes).toMatchObject([{ node: 'publish', effect: 'write', relation: 'descends' }]);
    const dry = await server.ask('POST', `/v1/runs/${run}/fork`, { body: { fromNode: 'publish', dryRun: true } });
    expect([dry.status, dry.json.run, dry.json.dryRun, dry.json.wouldProceed]).toEqual([200, null, true, false]);
    expect(dry.json.writes).toEqual(json.writes);
    const acknowledgeWrites = json.writes.map(({ offset }: { offset: number }) => offset);
    const wrong = await server.ask('POST', `/v1/runs/${run}/fork`, {
      body: { fromNode: 'publish', acknowledgeWrites: [0] },
    });
    expect([wrong.status, wrong.json.code]).toEqual([409, 'not_a_hazard']);
    const made = await server.ask('POST', `/v1/runs/${run}/fork`, {
      body: { fromNode: 'publish', acknowledgeWrites, start: false },
    });
    expect([made.status, made.json.status, made.json.forkedFrom.id]).toEqual([201, 'idle', run]);
    const shown = await server.ask('GET', `/v1/runs/${run}`);
    expect(shown.json.forks).toMatchObject([{ id: made.json.run, kind: 'run' }]);
  });

  it('goes on with the settings it is given, and takes `all` for every write there is', async () => {
    const body = { fromNode: 'draft', acknowledgeWrites: 'all', sandbox: 'none' };
    const { status, json } = await server.ask('POST', `/v1/runs/${run}/fork`, { body });
    expect([status, json.status]).toEqual([201, 'running']);
    const [, , options, settings] = server.daemon.asked.at(-1) ?? [];
    expect(options).toMatchObject({ fromNode: 'draft', acknowledge: { length: 2 } });
    expect(settings).toEqual({ sandbox: 'none' });
  });

  it('changes the input of the node and the document it walks', async () => {
    const { json } = await server.ask('POST', '/v1/graphs', { body: { ...document, name: 'other' } });
    const body = {
      fromNode: 'publish',
      acknowledgeWrites: 'all',
      start: false,
      graph: json.graph,
      outputs: { draft: 1 },
    };
    const made = await server.ask('POST', `/v1/runs/${run}/fork`, { body });
    expect([made.status, made.json.forkedFrom.graphHash, made.json.forkedFrom.changes]).toMatchObject([
      201,
      json.graph,
      { outputs: { draft: 1 } },
    ]);
  });

  it.each([
    [{}, 'body.fromNode'],
    [{ fromNode: 'draft', at: 3 }, 'body.at'],
    [{ at: 3, visit: 1 }, 'body.visit'],
    [{ at: 3, item: 1 }, 'body.item'],
    [{ fromNode: 'draft', dryRun: true, start: true }, 'body.start'],
    [{ fromNode: 'draft', visit: 0 }, 'body.visit'],
  ])('is not made by %j', async (body, at) => {
    const { status, json } = await server.ask('POST', `/v1/runs/${run}/fork`, { body });
    expect([status, json.problems[0].at]).toEqual([400, at]);
  });

  it.each([
    [{ fromNode: 'nowhere' }, 409, 'node_unknown'],
    [{ at: 0 }, 409, 'not_a_boundary'],
    [{ fromNode: 'draft', graph: '0'.repeat(64) }, 404, 'not_found'],
    [{ fromNode: 'draft', graph: {} }, 400, 'bad_graph'],
  ])('is refused with %j', async (body, status, code) => {
    const answer = await server.ask('POST', `/v1/runs/${run}/fork`, { body });
    expect([answer.status, answer.json.code]).toEqual([status, code]);
  });
});

describe('a conversation of a node', () => {
  it('becomes a session, which lists name as forked from that node', async () => {
    const nodes = { plan: { kind: 'agent', prompt: 'Plan it' } } as const;
    const source = await server.h.start({ nodes }, { script: { plan: [{ text: 'a plan' }] } });
    const path = `/v1/runs/${source.run}/conversation`;
    const dry = await server.ask('POST', path, { body: { node: 'plan', dryRun: true } });
    expect([dry.status, dry.json.session, dry.json.turns]).toEqual([200, null, 1]);
    const headers = { 'idempotency-key': 'talk' };
    const made = await server.ask('POST', path, { body: { node: 'plan' }, headers });
    expect([made.status, made.json.forkedFrom.fromNode, made.json.outstanding]).toEqual([201, 'plan', []]);
    expect((await server.ask('POST', path, { body: { node: 'plan' }, headers })).json.session).toBe(made.json.session);
    const shown = await server.ask('GET', `/v1/sessions/${made.json.session}`);
    expect(shown.json.forkedFrom).toMatchObject({ id: source.run, fromNode: 'plan' });
    const forks = await server.ask('GET', `/v1/runs/${source.run}/forks`);
    expect(forks.json.forks).toMatchObject([{ id: made.json.session, kind: 'session' }]);
    expect((await server.ask('GET', '/v1/sessions')).json.sessions[0].forkedFrom.fromNode).toBe('plan');
  });

  it.each([
    [{}, 400, 'bad_usage'],
    [{ node: 'plan', at: 1 }, 400, 'bad_usage'],
    [{ node: 'draft' }, 409, 'not_a_session'],
    [{ node: 'nowhere' }, 409, 'node_unknown'],
  ])('is not made of %j', async (body, status, code) => {
    const answer = await server.ask('POST', `/v1/runs/${run}/conversation`, { body });
    expect([answer.status, answer.json.code]).toEqual([status, code]);
  });
});

describe('a document', () => {
  it('is kept by its hash, checked, and read again', async () => {
    const kept = await server.ask('POST', '/v1/graphs', { body: document });
    expect(kept.status).toBe(201);
    expect((await server.ask('POST', '/v1/graphs', { body: document })).json).toEqual(kept.json);
    expect((await server.ask('GET', `/v1/graphs/${kept.json.graph}`)).json).toEqual(document);
    expect((await server.ask('POST', '/v1/graphs/validate', { body: document })).json).toEqual({
      ok: true,
      graph: kept.json.graph,
      problems: [],
    });
    const broken = { schema: 1, nodes: {} };
    const found = await server.ask('POST', '/v1/graphs/validate', { body: broken });
    expect([found.status, found.json.ok, found.json.code]).toEqual([200, false, 'bad_graph']);
    const refused = await server.ask('POST', '/v1/graphs', { body: broken });
    expect([refused.status, refused.json.code, refused.json.problems]).toEqual([400, 'bad_graph', found.json.problems]);
    expect((await server.ask('GET', `/v1/graphs/${'0'.repeat(64)}`)).status).toBe(404);
    expect((await server.ask('GET', '/v1/graph-schema')).json.type).toBe('object');
  });
});
