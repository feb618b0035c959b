/** Graph runs: a walk over a document, forked at any node it entered. */
import { z } from '@hono/zod-openapi';
import { AnsweredGate, GateAnswer, NewRun, Run, RunDetail, RunFork, RunForkRequest, StartedRun } from '../run.ts';
import { ConversationFork, ConversationForkRequest } from '../session.ts';
import { Settings } from '../settings.ts';
import { NextCursor, Page, RunIdValue } from '../values.ts';
import { answer, body, byId, createRoute, creates, problems } from './define.ts';

const tags = ['runs'];

export const listRuns = createRoute({
  operationId: 'listRuns',
  method: 'get',
  path: '/v1/runs',
  tags,
  summary: 'Lists graph runs, the one that was active last first.',
  request: { query: Page.extend({ project: z.string().max(4096).optional(), search: z.string().max(200).optional() }) },
  responses: {
    200: answer(z.object({ runs: z.array(Run), nextCursor: NextCursor }), 'A page of runs.'),
    ...problems,
  },
});

export const createRun = createRoute({
  operationId: 'createRun',
  method: 'post',
  path: '/v1/runs',
  tags,
  summary: 'Starts a run of a document.',
  request: { headers: creates, body: body(NewRun) },
  responses: { 201: answer(StartedRun, 'The run is there, and goes on.'), ...problems },
});

export const readRun = createRoute({
  operationId: 'readRun',
  method: 'get',
  path: '/v1/runs/{id}',
  tags,
  summary: 'Shows a run: its walk, what it waits for, descent, and what it asks now.',
  request: { params: byId },
  responses: { 200: answer(RunDetail, 'The run.'), ...problems },
});

export const answerGate = createRoute({
  operationId: 'answerGate',
  method: 'post',
  path: '/v1/runs/{id}/answer',
  tags,
  summary: 'Answers a gate. The same answer again changes nothing, another one is refused.',
  request: { params: byId, body: body(GateAnswer) },
  responses: { 200: answer(AnsweredGate, 'The answer is recorded.'), ...problems },
});

export const resumeRun = createRoute({
  operationId: 'resumeRun',
  method: 'post',
  path: '/v1/runs/{id}/resume',
  tags,
  summary: 'Goes on with a run.',
  request: { params: byId, body: body(Settings) },
  responses: { 202: answer(StartedRun, 'The run goes on.'), ...problems },
});

export const abandonRun = createRoute({
  operationId: 'abandonRun',
  method: 'post',
  path: '/v1/runs/{id}/abandon',
  tags,
  summary: 'Ends a run for good; it stays to be looked at and forked.',
  request: { params: byId, body: body(z.object({ reason: z.string().max(10_000).optional() })) },
  responses: {
    200: answer(z.object({ run: RunIdValue, status: z.string(), reason: z.string().optional() }), 'It is abandoned.'),
    ...problems,
  },
});

export const forkRun = createRoute({
  operationId: 'forkRun',
  method: 'post',
  path: '/v1/runs/{id}/fork',
  tags,
  summary: 'Forks a run at a node it entered; 409 `write_replay_hazard` names the writes that were not acknowledged.',
  request: { params: byId, headers: creates, body: body(RunForkRequest) },
  responses: {
    200: answer(RunFork, 'What the fork would be (`dryRun`).'),
    201: answer(RunFork, 'The fork.'),
    ...problems,
  },
});

export const forkConversation = createRoute({
  operationId: 'forkConversation',
  method: 'post',
  path: '/v1/runs/{id}/conversation',
  tags,
  summary: 'Makes a session of the conversation an agent of the run had; the run is not touched.',
  request: { params: byId, headers: creates, body: body(ConversationForkRequest) },
  responses: {
    200: answer(ConversationFork, 'What the session would be (`dryRun`).'),
    201: answer(ConversationFork, 'The session.'),
    ...problems,
  },
});
