/** What can be done with a session and with a graph run alike. */
import { z } from '@hono/zod-openapi';
import { AskAnswer, Resolution } from '../settings.ts';
import { EventPage, RemovalPlan, Removed, Verification } from '../system.ts';
import { Forks, Offset, PlainText, RunIdParam, RunIdValue, Title, WholeNumber } from '../values.ts';
import { Applied, ApplyRequest, CheckResult, Comparison, Diff, File, Folder } from '../workspace.ts';
import { answer, body, byId, createRoute, problems } from './define.ts';

const at = z.object({
  at: WholeNumber.optional().openapi({
    description: 'Offset of the end of a turn with a checkpoint; absent: the latest.',
  }),
});

const offsetQuery = WholeNumber.optional();

export const readEvents = createRoute({
  operationId: 'readEvents',
  method: 'get',
  path: '/v1/runs/{id}/log',
  tags: ['events'],
  summary: 'A page of the log, as it is recorded.',
  request: {
    params: byId,
    query: z.object({
      from: offsetQuery,
      limit: WholeNumber.pipe(z.number().min(1).max(5000))
        .openapi({ type: 'integer', minimum: 1, maximum: 5000 })
        .optional(),
    }),
  },
  responses: { 200: answer(EventPage, 'Events, in their order.'), ...problems },
});

export const followEvents = createRoute({
  operationId: 'followEvents',
  method: 'get',
  path: '/v1/runs/{id}/events',
  tags: ['events'],
  summary: 'The log as server-sent events whose ids are offsets, then what happens as it happens.',
  description:
    'An event with an id is a line of the log (`data` is that line). Without an id: `event: live` (text as it streams, for eyes only), `event: state` (who works on it and what it asks), `event: rewind` (what was sent from its `offset` on is not in the log: lines follow from there), `event: end` (the run is gone, or damaged from there on). `Last-Event-ID: n` begins at n + 1; without it, `from`.',
  request: {
    params: byId,
    headers: z.object({ 'last-event-id': WholeNumber.optional() }),
    query: z.object({ from: offsetQuery }),
  },
  responses: {
    200: { description: 'The stream.', content: { 'text/event-stream': { schema: z.string() } } },
    ...problems,
  },
});

export const followChanges = createRoute({
  operationId: 'followChanges',
  method: 'get',
  path: '/v1/changes',
  tags: ['events'],
  summary: 'The ids of sessions and runs that appear, change and vanish, as server-sent events.',
  responses: {
    200: { description: 'The stream.', content: { 'text/event-stream': { schema: z.string() } } },
    ...problems,
  },
});

export const readPayload = createRoute({
  operationId: 'readPayload',
  method: 'get',
  path: '/v1/runs/{id}/payloads/{digest}',
  tags: ['events'],
  summary: 'A value that is too large for a line: what `{"$blob": digest}` stands for.',
  request: { params: byId.extend({ digest: z.string().regex(/^[0-9a-f]{64}$/) }) },
  responses: {
    200: { description: 'Its bytes.', content: { 'application/octet-stream': { schema: z.string() } } },
    ...problems,
  },
});

export const interrupt = createRoute({
  operationId: 'interrupt',
  method: 'post',
  path: '/v1/runs/{id}/interrupt',
  tags: ['driving'],
  summary: 'Stops what this daemon runs of it, as the first Ctrl-C does.',
  request: { params: byId },
  responses: { 202: answer(z.object({ id: RunIdValue }), 'It is being stopped.'), ...problems },
});

export const answerApproval = createRoute({
  operationId: 'answerApproval',
  method: 'post',
  path: '/v1/runs/{id}/approvals/{callId}',
  tags: ['driving'],
  summary: 'Answers a call that waits for a person.',
  request: { params: byId.extend({ callId: z.string().min(1).max(500) }), body: body(AskAnswer) },
  responses: { 200: answer(z.object({ id: RunIdValue, callId: z.string() }), 'It is answered.'), ...problems },
});

export const resolveCall = createRoute({
  operationId: 'resolveCall',
  method: 'post',
  path: '/v1/runs/{id}/resolve',
  tags: ['driving'],
  summary: 'Says what became of a call whose outcome nobody recorded.',
  request: { params: byId, body: body(Resolution) },
  responses: {
    200: answer(
      z.looseObject({
        id: RunIdValue,
        offset: Offset,
        callId: z.string(),
        tool: z.string(),
        flags: z.array(z.string()),
      }),
      'Recorded.',
    ),
    ...problems,
  },
});

export const setTitle = createRoute({
  operationId: 'setTitle',
  method: 'patch',
  path: '/v1/runs/{id}',
  tags: ['keeping'],
  summary: 'Gives it another title.',
  request: { params: byId, body: body(z.object({ title: Title })) },
  responses: {
    200: answer(z.object({ id: RunIdValue, title: z.string(), offset: Offset }), 'Its title.'),
    ...problems,
  },
});

export const listForks = createRoute({
  operationId: 'listForks',
  method: 'get',
  path: '/v1/runs/{id}/forks',
  tags: ['keeping'],
  summary: 'Sessions and runs that were forked from it, the one that was active last first.',
  request: { params: byId },
  responses: { 200: answer(z.object({ id: RunIdValue, forks: Forks }), 'Its forks.'), ...problems },
});

export const planRemoval = createRoute({
  operationId: 'planRemoval',
  method: 'get',
  path: '/v1/runs/{id}/removal',
  tags: ['keeping'],
  summary: 'What removing it would free and lose.',
  request: { params: byId },
  responses: { 200: answer(RemovalPlan, 'The plan.'), ...problems },
});

export const remove = createRoute({
  operationId: 'remove',
  method: 'delete',
  path: '/v1/runs/{id}',
  tags: ['keeping'],
  summary: 'Removes it. Work that is nowhere else is lost only with `loseWork=true`.',
  request: { params: byId, query: z.object({ loseWork: z.enum(['true', 'false']).optional() }) },
  responses: { 200: answer(Removed, 'It is removed.'), ...problems },
});

export const verify = createRoute({
  operationId: 'verify',
  method: 'post',
  path: '/v1/runs/{id}/verify',
  tags: ['keeping'],
  summary: 'Checks every byte of it, trusting nothing.',
  request: { params: byId },
  responses: { 200: answer(Verification, 'What was found.'), ...problems },
});

export const readFolder = createRoute({
  operationId: 'readFolder',
  method: 'get',
  path: '/v1/runs/{id}/folder',
  tags: ['workspaces'],
  summary: 'Lists a folder of a checkpoint.',
  request: { params: byId, query: at.extend({ path: PlainText.max(4096).optional() }) },
  responses: { 200: answer(Folder, 'The folder.'), ...problems },
});

export const readFile = createRoute({
  operationId: 'readFile',
  method: 'get',
  path: '/v1/runs/{id}/file',
  tags: ['workspaces'],
  summary: 'Reads a file of a checkpoint.',
  request: { params: byId, query: at.extend({ path: PlainText.min(1).max(4096) }) },
  responses: { 200: answer(File, 'The file.'), ...problems },
});

export const readRawFile = createRoute({
  operationId: 'readRawFile',
  method: 'get',
  path: '/v1/runs/{id}/raw',
  tags: ['workspaces'],
  summary: 'The bytes of a file of a checkpoint, at most 16 MiB of them, to be saved.',
  request: { params: byId, query: at.extend({ path: PlainText.min(1).max(4096) }) },
  responses: {
    200: { description: 'Its bytes.', content: { 'application/octet-stream': { schema: z.string() } } },
    ...problems,
  },
});

export const readDiff = createRoute({
  operationId: 'readDiff',
  method: 'get',
  path: '/v1/runs/{id}/diff',
  tags: ['workspaces'],
  summary: 'What changed: since it began, since another turn of it, or beside another session or run.',
  request: {
    params: byId,
    query: at.extend({
      from: offsetQuery.openapi({ description: 'Offset of the end of an earlier turn; absent: since it began.' }),
      other: z.string().max(64).optional().openapi({ description: 'Another session or run: the newer side.' }),
      patch: z.enum(['true']).optional().openapi({ description: 'With the patch of each file, within limits.' }),
      ignored: z.enum(['true']).optional().openapi({ description: 'With files that ignore rules hide.' }),
    }),
  },
  responses: { 200: answer(Diff, 'The differences.'), ...problems },
});

export const apply = createRoute({
  operationId: 'apply',
  method: 'post',
  path: '/v1/runs/{id}/apply',
  tags: ['workspaces'],
  summary: "Brings its work into the person's repository.",
  request: { params: byId, body: body(ApplyRequest) },
  responses: { 200: answer(Applied, 'It is there.'), ...problems },
});

export const compare = createRoute({
  operationId: 'compare',
  method: 'get',
  path: '/v1/sessions/{id}/compare/{other}',
  tags: ['workspaces'],
  summary: 'Two sessions side by side: where they part, what differs, cost and time.',
  request: { params: byId.extend({ other: RunIdParam.openapi({ param: { name: 'other', in: 'path' } }) }) },
  responses: { 200: answer(Comparison, 'The comparison.'), ...problems },
});

export const check = createRoute({
  operationId: 'check',
  method: 'post',
  path: '/v1/sessions/{id}/check',
  tags: ['workspaces'],
  summary: "Runs the project's `check` command in a checkpoint of it, restored beside it.",
  request: { params: byId, body: body(z.object({ at: Offset.optional(), trustProject: z.boolean().optional() })) },
  responses: { 200: answer(CheckResult, 'How it ended.'), ...problems },
});
