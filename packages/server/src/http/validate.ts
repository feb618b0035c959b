/** Holds what a request brings against its schema; what no schema knows is refused, so that a misspelled word is not lost. */
import { z } from '@hono/zod-openapi';
import type { Problem } from './problem.ts';

/** The parts of a request that have a schema. */
export type Part = 'path' | 'query' | 'header' | 'body';

/** One place that does not fit. */
export interface Misfit {
  /** Like `body.limits.maxSteps`. */
  readonly at: string;
  readonly message: string;
}

/** A value that fits, or the places that do not. */
export type Validated = { readonly value: unknown } | { readonly misfits: readonly Misfit[] };

/** A schema that knows all members; headers are many, and not ours. */
export function closeSchema(schema: z.ZodType, part: Part): z.ZodType {
  const isOpen = part === 'header' || !(schema instanceof z.ZodObject) || schema.def.catchall !== undefined;
  return isOpen ? schema : schema.strict();
}

/** Validates one part. */
export function validatePart(schema: z.ZodType, part: Part, value: unknown): Validated {
  const { success, data, error } = schema.safeParse(value);
  if (success) return { value: data };
  return { misfits: error.issues.flatMap((issue) => describeIssue(part, issue)) };
}

/** Names every place. */
export function refuseMisfits(misfits: readonly Misfit[]): Problem {
  const [first] = misfits;
  const more = misfits.length > 1 ? ` (${misfits.length} places in all)` : '';
  const message = `${first?.at ?? 'the request'}: ${first?.message ?? 'does not fit'}${more}`;
  return { code: 'bad_usage', message, data: { problems: misfits } };
}

function describeIssue(part: Part, issue: z.core.$ZodIssue): readonly Misfit[] {
  const at = [part, ...issue.path.map(String)].join('.');
  if (issue.code !== 'unrecognized_keys') return [{ at, message: issue.message }];
  return issue.keys.slice(0, 20).map((key) => ({ at: `${at}.${key.slice(0, 100)}`, message: 'is not known here' }));
}
