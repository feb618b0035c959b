/** How a route is defined: what it takes and answers, and that everything it refuses is a problem document. */
import { createRoute, z } from '@hono/zod-openapi';
import { IdempotencyKey, Problem, RunIdParam } from '../values.ts';

const problem = {
  description: 'A refusal or a fault (RFC 9457).',
  content: { 'application/problem+json': { schema: Problem } },
} as const;

/** Every route answers any 4xx and 5xx with a problem document. */
export const problems = { '4XX': problem, '5XX': problem } as const;

/** A JSON answer. */
export function answer<S extends z.ZodType>(schema: S, description: string) {
  return { description, content: { 'application/json': { schema } } } as const;
}

/** A JSON body. */
export function body<S extends z.ZodType>(schema: S) {
  return { required: true, content: { 'application/json': { schema } } } as const;
}

export const byId = z.object({ id: RunIdParam });

/** Headers of whatever makes something. */
export const creates = IdempotencyKey;

export { createRoute };
