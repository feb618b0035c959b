/** The daemon, usage, the inbox, and graph documents. */
import { z } from '@hono/zod-openapi';
import { GraphDocument, GraphValidation, KeptGraph } from '../graph.ts';
import { Capabilities, Inbox, StoreUsage } from '../system.ts';
import { answer, body, createRoute, problems } from './define.ts';

export const readCapabilities = createRoute({
  operationId: 'readCapabilities',
  method: 'get',
  path: '/v1/capabilities',
  tags: ['system'],
  summary: 'What this daemon and its machine can do.',
  responses: { 200: answer(Capabilities, 'Its capabilities.'), ...problems },
});

export const readUsage = createRoute({
  operationId: 'readUsage',
  method: 'get',
  path: '/v1/usage',
  tags: ['system'],
  summary: 'What everything used, each reply counted once.',
  responses: { 200: answer(StoreUsage, 'Usage.'), ...problems },
});

export const readInbox = createRoute({
  operationId: 'readInbox',
  method: 'get',
  path: '/v1/inbox',
  tags: ['system'],
  summary: 'Everything that waits for a person.',
  responses: { 200: answer(Inbox, 'What waits.'), ...problems },
});

export const submitGraph = createRoute({
  operationId: 'submitGraph',
  method: 'post',
  path: '/v1/graphs',
  tags: ['graphs'],
  summary: 'Keeps a valid document; the same document has the same hash.',
  request: { body: body(GraphDocument) },
  responses: { 201: answer(KeptGraph, 'It is kept.'), ...problems },
});

export const validateGraph = createRoute({
  operationId: 'validateGraph',
  method: 'post',
  path: '/v1/graphs/validate',
  tags: ['graphs'],
  summary: 'Every problem of a document, each with its place.',
  request: { body: body(GraphDocument) },
  responses: { 200: answer(GraphValidation, 'What was found.'), ...problems },
});

export const readGraph = createRoute({
  operationId: 'readGraph',
  method: 'get',
  path: '/v1/graphs/{hash}',
  tags: ['graphs'],
  summary: 'Reads a document.',
  request: { params: z.object({ hash: z.string().regex(/^[0-9a-f]{64}$/) }) },
  responses: { 200: answer(GraphDocument, 'The document.'), ...problems },
});

export const readGraphSchema = createRoute({
  operationId: 'readGraphSchema',
  method: 'get',
  path: '/v1/graph-schema',
  tags: ['graphs'],
  summary: 'The JSON Schema of graph documents.',
  responses: { 200: answer(z.looseObject({}), 'The schema.'), ...problems },
});
