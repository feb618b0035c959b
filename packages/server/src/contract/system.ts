/** The daemon itself, usage, what waits for a person, removal and verification. */
import { z } from '@hono/zod-openapi';
import { Ask } from './settings.ts';
import { Bytes, Damage, Offset, RunIdValue, Time, Usage } from './values.ts';

export const Capabilities = z
  .object({
    version: z.string(),
    stateFolder: z.string(),
    platform: z.string(),
    sandbox: z.object({ available: z.boolean(), reason: z.string().optional() }),
    microVms: z.object({ available: z.boolean(), reason: z.string().optional() }),
    models: z.object({
      default: z.string().nullable(),
      providers: z.array(z.object({ name: z.string(), hasKey: z.boolean() })),
    }),
    projects: z.array(z.object({ id: z.string(), path: z.string() })),
    checks: z.array(
      z.object({ name: z.string(), level: z.string(), message: z.string(), remedy: z.string().optional() }),
    ),
  })
  .openapi('Capabilities');

const UsedBy = z.object({ id: RunIdValue, title: z.string(), own: Usage, inherited: Usage });

export const StoreUsage = z
  .object({
    total: Usage,
    sessions: z.array(UsedBy),
    runs: z.array(UsedBy),
    removed: z.array(z.object({ id: RunIdValue, usage: Usage })),
    incomplete: z.array(RunIdValue),
  })
  .openapi('StoreUsage');

const where = { id: RunIdValue, kind: z.enum(['session', 'run']), title: z.string(), since: Time };

export const InboxItem = z
  .discriminatedUnion('waits', [
    z.object({ waits: z.literal('approval'), ...where, ask: Ask }),
    z.object({
      waits: z.literal('gate'),
      ...where,
      node: z.string(),
      offset: Offset,
      question: z.string(),
      answerSchema: z.record(z.string(), z.unknown()),
    }),
    z.object({ waits: z.literal('outcome'), ...where, offset: Offset, tool: z.string(), node: z.string().optional() }),
    z.object({ waits: z.literal('resume'), ...where, reason: z.string() }),
  ])
  .openapi('InboxItem');

export const Inbox = z.object({ items: z.array(InboxItem) }).openapi('Inbox');

export const RemovalPlan = z
  .object({
    runs: z.array(
      z.looseObject({
        id: RunIdValue,
        title: z.string(),
        bytes: Bytes,
        unsaved: z.array(z.looseObject({ kind: z.string(), message: z.string() })),
        children: z.array(RunIdValue),
      }),
    ),
    bytes: Bytes,
    dryRun: z.literal(true).optional(),
    removed: z.array(RunIdValue).openapi({ description: 'Empty in a plan.' }),
  })
  .openapi('RemovalPlan');

export const Removed = RemovalPlan.extend({
  stuck: z.array(z.string()).optional().openapi({ description: 'Refs that stay, each with the reason.' }),
}).openapi('Removed');

export const Verification = z
  .looseObject({
    id: RunIdValue,
    ok: z.boolean(),
    problems: z.array(z.looseObject({ kind: z.string(), message: z.string() })),
    events: z.number(),
    digest: z.string(),
  })
  .openapi('Verification');

export const EventPage = z
  .object({
    id: RunIdValue,
    events: z.array(z.looseObject({ seq: Offset, prev: z.string(), time: Time, type: z.string() })),
    next: Offset.nullable().openapi({ description: 'Where the next page begins; null at the end of the log.' }),
    total: z.number(),
    damage: Damage.optional().openapi({ description: 'The log is damaged: these are the events before that.' }),
  })
  .openapi('EventPage');
