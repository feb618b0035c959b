/** What a turn or a drive of a run is given, and what a person is asked in it. */
import { z } from '@hono/zod-openapi';
import { NodeName, Offset, OutstandingWrite, PlainText } from './values.ts';

const Rule = z
  .strictObject({
    tool: z.string().min(1).max(300).openapi({ description: 'A tool, `*`, or `mcp__<server>__*`.' }),
    match: z.string().max(4096).optional().openapi({ description: 'A glob that the command or path must match.' }),
    do: z.enum(['allow', 'ask', 'deny']),
  })
  .openapi('Rule');

const Limits = z
  .strictObject({
    maxRequests: z.number().int().positive().optional(),
    maxSteps: z.number().int().positive().optional(),
    maxTokens: z.number().int().positive().optional(),
    maxCost: z.number().positive().optional(),
    maxTimeMs: z.number().int().positive().optional(),
  })
  .openapi('Limits');

export const Settings = z
  .object({
    model: PlainText.max(4200)
      .optional()
      .openapi({ description: 'Absent: the last one, else RAMET_MODEL, else ramet.json.' }),
    baseUrl: z.string().max(4096).optional(),
    sandbox: z.enum(['auto', 'none']).optional(),
    allowNet: z.array(z.string().max(300)).max(1000).optional(),
    rules: z.array(Rule).max(1000).optional(),
    forgetRules: z.boolean().optional(),
    trustProject: z.boolean().optional(),
    limits: Limits.optional(),
    onAsk: z
      .enum(['wait', 'deny', 'park', 'fail'])
      .optional()
      .openapi({ description: 'What to do with a call that a person must allow. Default: wait for an answer.' }),
  })
  .openapi('Settings');

export const Attachment = z
  .strictObject({
    mediaType: z.string().max(200),
    filename: z.string().max(1000),
    data: z.base64().max(48 * 1024 * 1024),
  })
  .openapi('Attachment');

/** A call that waits for a person's answer, now. */
export const Ask = z
  .object({
    callId: z.string(),
    node: z.string().optional(),
    tool: z.string(),
    input: z.unknown(),
    reason: z.string(),
    outstanding: z.array(OutstandingWrite),
    matches: z
      .boolean()
      .openapi({ description: 'One of `outstanding` is this very call: it can be answered `reuse`.' }),
  })
  .openapi('Ask');

export const AskAnswer = z
  .object({
    answer: z.enum(['allow', 'deny', 'reuse']),
    scope: z.enum(['once', 'session']).optional(),
    node: NodeName.optional().openapi({ description: 'Of a graph run, where one call id is asked by several nodes.' }),
  })
  .openapi('AskAnswer');

/** Who works on a run, and what it asks. */
export const Live = z
  .object({
    owner: z.enum(['daemon', 'other', 'none']),
    startedAt: z.string().optional(),
    asks: z.array(Ask),
    error: z
      .object({ code: z.string(), message: z.string() })
      .optional()
      .openapi({ description: 'Why the last thing this daemon tried with it did not begin.' }),
  })
  .openapi('Live');

export const Resolution = z
  .object({
    offset: Offset,
    resolution: z.enum(['happened', 'did_not_happen', 'retry']),
    result: z.unknown().optional().openapi({ description: 'What the call answered; only with `happened`.' }),
  })
  .openapi('Resolution');
