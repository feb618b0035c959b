/** Sessions as they are told. The same JSON as `ramet sessions`, `show`, `run` and `fork` answer. */
import { z } from '@hono/zod-openapi';
import { Attachment, Live, Settings } from './settings.ts';
import {
  AbsolutePath,
  Bytes,
  Damage,
  Digest,
  ErrorInfo,
  Forks,
  NodeName,
  Offset,
  Origin,
  OutstandingWrite,
  Owner,
  orNull,
  RunIdValue,
  Time,
  Title,
  UsageOf,
} from './values.ts';

export const WorkspaceKind = z.enum(['git', 'directory', 'none', 'overlay']).openapi('WorkspaceKind');

const LastEnd = z.object({ offset: Offset, reason: z.string(), checkpoint: z.string().nullable() });

const common = {
  id: RunIdValue,
  title: z.string(),
  titleFrom: z.enum(['own', 'inherited', 'prompt', 'none']),
  state: z.enum(['running', 'idle', 'interrupted', 'damaged']),
  forkedFrom: Origin.optional(),
  project: z.string().nullable(),
  model: z.string().optional(),
  createdAt: Time,
  lastTime: Time,
  events: z.number(),
  lastEnd: LastEnd.optional(),
  own: UsageOf,
  inherited: UsageOf,
  bytes: Bytes,
  owner: Owner.optional(),
  damage: Damage.optional(),
};

/** A row of the list. */
export const Session = z
  .object({
    ...common,
    turns: z.number(),
    ownTurns: z.number(),
    workspace: orNull(WorkspaceKind),
  })
  .openapi('Session');

const Turn = z
  .object({
    turn: z.number(),
    inherited: z.boolean(),
    start: z.object({ offset: Offset, time: Time }),
    end: z
      .object({
        offset: Offset,
        reason: z.string(),
        time: Time,
        why: z.string().optional(),
        error: ErrorInfo.optional(),
      })
      .nullable()
      .openapi({ description: 'Null while the turn is open. Its offset is what a fork takes.' }),
    checkpoint: z.looseObject({ id: z.string().optional() }).nullable(),
  })
  .openapi('Turn');

/** One session: its turns, not their transcript, which its events are. */
export const SessionDetail = z
  .object({
    ...common,
    digest: Digest,
    cwd: z.string(),
    outstanding: z.number(),
    rules: z.array(z.looseObject({ tool: z.string(), do: z.string() })),
    workspace: z.looseObject({
      kind: WorkspaceKind,
      path: z.string().optional(),
      base: z.string().nullable(),
      branch: z.string().nullable(),
    }),
    turns: z.array(Turn),
    forks: Forks,
    live: Live,
  })
  .openapi('SessionDetail');

/** No model takes more. */
const Prompt = z
  .string()
  .min(1)
  .max(4 * 1024 * 1024);

export const NewSession = Settings.extend({
  cwd: AbsolutePath.openapi({
    description: 'The folder to work for: a git repository, or any folder with `workspace`.',
  }),
  prompt: Prompt,
  title: Title.optional(),
  workspace: z.enum(['git', 'directory', 'none']).optional(),
  allowDirty: z.boolean().optional(),
  attachments: z.array(Attachment).max(100).optional(),
}).openapi('NewSession');

export const NewMessage = Settings.extend({
  prompt: Prompt,
  attachments: z.array(Attachment).max(100).optional(),
}).openapi('NewMessage');

/** A turn that began; how it goes on is in the events. */
export const StartedTurn = z.object({ session: RunIdValue, turn: z.number() }).openapi('StartedTurn');

export const SessionForkRequest = z
  .object({
    at: Offset.optional().openapi({ description: 'Offset of a `session.end`; absent: the latest.' }),
    title: Title.optional(),
    dryRun: z.boolean().optional(),
  })
  .openapi('SessionForkRequest');

const made = {
  session: RunIdValue.nullable(),
  dryRun: z.literal(true).optional(),
  workspace: z.object({
    kind: z.string(),
    restorable: z.boolean(),
    checkpoint: z.string().optional(),
    reason: z.string().optional(),
    leftOut: z.array(z.unknown()),
  }),
  outstanding: z.array(OutstandingWrite),
  bytes: Bytes,
};

export const SessionFork = z.object({ ...made, forkedFrom: Origin }).openapi('SessionFork');

export const ConversationForkRequest = z
  .object({
    node: NodeName.optional().openapi({ description: 'The id or path of an agent node.' }),
    visit: z.number().int().positive().optional(),
    item: z.number().int().min(0).optional(),
    at: Offset.optional().openapi({ description: 'Offset of a `node.enter`, in place of `node`.' }),
    title: Title.optional(),
    dryRun: z.boolean().optional(),
  })
  .openapi('ConversationForkRequest');

/** A session made of the conversation an agent of a graph run had. */
export const ConversationFork = z
  .object({
    ...made,
    forkedFrom: Origin.extend({
      fromNode: z.string(),
      visit: z.number(),
      attempt: z.number(),
      from: Offset,
      through: Offset,
    }),
    turns: z.number(),
  })
  .openapi('ConversationFork');
