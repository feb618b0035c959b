/** Sessions: an agent's conversation, turn by turn. */
import { z } from '@hono/zod-openapi';
import {
  NewMessage,
  NewSession,
  Session,
  SessionDetail,
  SessionFork,
  SessionForkRequest,
  StartedTurn,
} from '../session.ts';
import { Settings } from '../settings.ts';
import { NextCursor, Page } from '../values.ts';
import { answer, body, byId, createRoute, creates, problems } from './define.ts';

const tags = ['sessions'];

export const listSessions = createRoute({
  operationId: 'listSessions',
  method: 'get',
  path: '/v1/sessions',
  tags,
  summary: 'Lists sessions, the one that was active last first.',
  request: { query: Page.extend({ project: z.string().max(4096).optional(), search: z.string().max(200).optional() }) },
  responses: {
    200: answer(z.object({ sessions: z.array(Session), nextCursor: NextCursor }), 'A page of sessions.'),
    ...problems,
  },
});

export const createSession = createRoute({
  operationId: 'createSession',
  method: 'post',
  path: '/v1/sessions',
  tags,
  summary: 'Makes a session and begins its first turn.',
  request: { headers: creates, body: body(NewSession) },
  responses: { 201: answer(StartedTurn, 'The session is there, and its turn runs.'), ...problems },
});

export const readSession = createRoute({
  operationId: 'readSession',
  method: 'get',
  path: '/v1/sessions/{id}',
  tags,
  summary: 'Shows a session: its turns, workspace, descent, and what it asks now.',
  request: { params: byId },
  responses: { 200: answer(SessionDetail, 'The session.'), ...problems },
});

export const sendMessage = createRoute({
  operationId: 'sendMessage',
  method: 'post',
  path: '/v1/sessions/{id}/messages',
  tags,
  summary: 'Begins the next turn.',
  request: { params: byId, headers: creates, body: body(NewMessage) },
  responses: { 202: answer(StartedTurn, 'The turn runs.'), ...problems },
});

export const continueTurn = createRoute({
  operationId: 'continueTurn',
  method: 'post',
  path: '/v1/sessions/{id}/continue',
  tags,
  summary: 'Goes on with an open turn nobody works on.',
  request: { params: byId, body: body(Settings) },
  responses: { 202: answer(StartedTurn, 'The turn runs.'), ...problems },
});

export const forkSession = createRoute({
  operationId: 'forkSession',
  method: 'post',
  path: '/v1/sessions/{id}/fork',
  tags,
  summary: 'Forks a session at a completed turn: a new, idle session. No model is called.',
  request: { params: byId, headers: creates, body: body(SessionForkRequest) },
  responses: {
    200: answer(SessionFork, 'What the fork would be (`dryRun`).'),
    201: answer(SessionFork, 'The fork.'),
    ...problems,
  },
});
