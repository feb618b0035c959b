/** Graph documents: kept by their hash, so that a run can always go on. */
import { z } from '@hono/zod-openapi';
import { Digest } from './values.ts';

export const GraphDocument = z
  .looseObject({})
  .openapi('GraphDocument', { description: 'A graph document; its JSON Schema is at `/v1/graph-schema`.' });

export const KeptGraph = z.object({ graph: Digest }).openapi('KeptGraph');

const GraphProblem = z
  .looseObject({ at: z.string().optional(), message: z.string() })
  .openapi('GraphProblem', { description: 'One problem of a document, with its place.' });

export const GraphValidation = z
  .object({
    ok: z.boolean(),
    graph: Digest.optional(),
    code: z.string().optional(),
    message: z.string().optional(),
    problems: z.array(GraphProblem),
  })
  .openapi('GraphValidation');
