/** Values that many answers share. Every schema here and beside it is a component of the OpenAPI document by its name. */

import { z } from '@hono/zod-openapi';
import { CODES, type Code } from '@ramet/core/codes';
import { TITLE_LIMIT } from '@ramet/core/text';
import { HTTP_CODES, type HttpCode } from './http-codes.ts';

const codes = [...Object.keys(CODES), ...Object.keys(HTTP_CODES)] as [Code | HttpCode, ...(Code | HttpCode)[]];

/** Place of an event in its log, from 0. */
export const Offset = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

/** A value that may be missing: `nullable` of a component loses the null in the document. */
export function orNull<S extends z.ZodType>(schema: S) {
  return z.union([schema, z.null()]);
}

/** A whole number as a query or a header says it. */
export const WholeNumber = z
  .string()
  .regex(/^\d{1,16}$/, 'is no whole number')
  .transform(Number)
  .pipe(Offset)
  .openapi({ type: 'integer', minimum: 0 });

/** Text that may be handed to a program or name a file: no NUL ends it early. */
export const PlainText = z.string().regex(/^[^\0]*$/, 'has a NUL character');

/** A folder of this machine. */
export const AbsolutePath = z
  .string()
  .max(4096)
  .regex(/^\/[^\0]*$/, 'is no absolute path');

/** A title, wherever one is given. */
export const Title = z.string().trim().min(1).max(TITLE_LIMIT);

/** The id or path of a node. */
export const NodeName = z.string().max(1000);

/** A document that was submitted, by its hash, or a document. */
export const GraphOrHash = z.union([z.string().max(100), z.looseObject({})]);

/** A UUIDv7, or a short form as lists show it. */
export const RunIdParam = z
  .string()
  .min(1)
  .max(64)
  .openapi({
    param: { name: 'id', in: 'path' },
    description: 'The id of a session or a graph run; a unique short form is accepted.',
    example: '01932c07-7b1a-7c44-b1c6-0d5f2b9a1e77',
  });

export const RunIdValue = z.string().openapi({ description: 'The id of a session or a graph run.' });

export const Digest = z.string().openapi({ description: 'SHA-256, 64 hexadecimal digits.' });

export const Time = z.string().openapi({ description: 'RFC 3339, milliseconds, UTC.' });

export const ErrorInfo = z.object({ code: z.string(), message: z.string() }).openapi('ErrorInfo');

export const Bytes = z
  .object({
    own: z.number().openapi({ description: 'What removing the run would free.' }),
    shared: z.number().openapi({ description: 'What others hold too.' }),
  })
  .openapi('Bytes');

export const Usage = z
  .object({
    replies: z.number(),
    inputTokens: z.number(),
    outputTokens: z.number(),
    cacheReadTokens: z.number(),
    cacheWriteTokens: z.number(),
    reasoningTokens: z.number(),
    unknownUsage: z.number().openapi({ description: 'Replies whose tokens are not known.' }),
    unknownCost: z.number().openapi({ description: 'Replies whose price is not known.' }),
    cost: z.record(z.string(), z.number()).optional().openapi({ description: 'Known costs, by currency.' }),
  })
  .openapi('Usage');

export const UsageOf = z.object({ usage: Usage });

export const Origin = z
  .object({
    id: RunIdValue,
    offset: Offset,
    digest: Digest,
    fromNode: z.string().optional().openapi({ description: 'The node of a graph run that it goes on from.' }),
    removed: z.literal(true).optional().openapi({ description: 'The parent is not in the store any more.' }),
  })
  .openapi('Origin');

/** Sessions and runs that were forked from one. */
export const Forks = z.array(
  z.object({ id: RunIdValue, kind: z.enum(['session', 'run']), offset: Offset, title: z.string() }),
);

export const Owner = z
  .object({
    pid: z.number().optional(),
    host: z.string().optional(),
    start: z.string().optional(),
    self: z.boolean().openapi({ description: 'This daemon owns it.' }),
  })
  .openapi('Owner');

export const Damage = z
  .union([
    z.object({
      segment: z.string(),
      line: z.number(),
      byte: z.number(),
      offset: Offset,
      expected: z.string(),
      found: z.string(),
    }),
    z.object({ reason: z.string() }),
  ])
  .openapi('Damage');

/** A write that left the workspace after the point of a fork, and is not undone by it. */
export const OutstandingWrite = z
  .looseObject({
    offset: Offset,
    tool: z.string(),
    input: z.unknown(),
    key: z.string(),
    time: Time,
    outcome: z.string(),
  })
  .openapi('OutstandingWrite');

/** RFC 9457; `code` is the token of the one table of codes, further members are what that code tells. */
export const Problem = z
  .looseObject({
    type: z.string(),
    title: z.string(),
    status: z.number().int(),
    detail: z.string(),
    code: z.enum(codes),
  })
  .openapi('Problem');

export const Page = z.object({
  limit: WholeNumber.pipe(z.number().min(1).max(1000))
    .openapi({ type: 'integer', minimum: 1, maximum: 1000 })
    .optional(),
  cursor: z.string().max(200).optional().openapi({ description: '`nextCursor` of the page before.' }),
});

export const NextCursor = z.string().optional().openapi({ description: 'Absent on the last page.' });

export const IdempotencyKey = z.object({
  'idempotency-key': z.string().min(1).max(255).optional().openapi({
    description: 'The same request with the same key makes one thing, however often it is sent.',
  }),
});
