/** Graph runs as they are told. The same JSON as `ramet runs`, `show`, `graph run` and `fork` answer. */
import { z } from '@hono/zod-openapi';
import { WorkspaceKind } from './session.ts';
import { Live, Settings } from './settings.ts';
import {
  AbsolutePath,
  Bytes,
  Damage,
  Digest,
  ErrorInfo,
  Forks,
  GraphOrHash,
  NodeName,
  Offset,
  Origin,
  OutstandingWrite,
  Owner,
  RunIdValue,
  Time,
  Title,
  UsageOf,
} from './values.ts';

const Gate = z.object({
  node: z.string(),
  offset: Offset,
  question: z.string(),
  answerSchema: z.record(z.string(), z.unknown()),
});

const WaitingCall = z.object({
  node: z.string(),
  offset: Offset,
  tool: z.string(),
  reason: z.enum(['outcome_unknown', 'approval_pending']),
});

const common = {
  id: RunIdValue,
  title: z.string(),
  titleFrom: z.enum(['own', 'inherited', 'none']),
  state: z.enum(['running', 'idle', 'parked', 'interrupted', 'completed', 'failed', 'abandoned', 'damaged']),
  graph: z.object({ hash: Digest, name: z.string().optional() }),
  errorCode: z.string().optional(),
  steps: z.object({ own: z.number(), all: z.number() }),
  nodes: z.object({ entered: z.number(), done: z.number() }),
  project: z.string().nullable(),
  workspace: WorkspaceKind,
  createdAt: Time,
  lastTime: Time,
  events: z.number(),
  own: UsageOf,
  inherited: UsageOf,
  bytes: Bytes,
  gates: z.array(Gate),
  calls: z.array(WaitingCall),
  flags: z.array(z.string()),
  owner: Owner.optional(),
  damage: Damage.optional(),
};

/** A row of the list. */
export const Run = z
  .object({ ...common, openGates: z.number(), forkedFrom: Origin.extend({ fromNode: z.string() }).optional() })
  .openapi('Run');

const RunOrigin = Origin.extend({
  fromNode: z.string(),
  visit: z.number(),
  graphHash: Digest,
  sourceEvent0Digest: Digest,
  acknowledgedWrites: z.array(Offset),
  changes: z.looseObject({}).optional(),
  time: Time.openapi({ description: 'When the child was made.' }),
}).openapi('RunOrigin');

const RunNode = z
  .looseObject({
    node: z.string().openapi({ description: 'Its path: items of maps and passes of folds included.' }),
    id: z.string(),
    kind: z.string().nullable(),
    state: z.enum(['entered', 'waiting', 'delayed', 'ok', 'failed', 'interrupted', 'skipped']),
    visits: z.array(z.object({ offset: Offset, time: Time, inherited: z.boolean() })),
    input: z.unknown().optional(),
    output: z.unknown().optional(),
    error: ErrorInfo.optional(),
    calls: z.array(
      z.object({
        offset: Offset,
        tool: z.string(),
        effect: z.string(),
        contained: z.union([z.boolean(), z.string()]),
        outcome: z.string(),
        inherited: z.boolean(),
      }),
    ),
  })
  .openapi('RunNode');

export const RunDetail = z
  .object({
    ...common,
    forkedFrom: RunOrigin.optional(),
    digest: Digest,
    cwd: z.string(),
    labels: z.record(z.string(), z.string()),
    input: z.unknown(),
    output: z.unknown().optional(),
    error: ErrorInfo.optional(),
    path: z.string().optional(),
    walk: z.array(RunNode),
    forks: Forks,
    live: Live,
  })
  .openapi('RunDetail');

const Labels = z
  .record(z.string().min(1).max(64), z.string().max(1000))
  .refine((labels) => Object.keys(labels).length <= 100, 'has more than 100 labels');

export const NewRun = Settings.extend({
  graph: GraphOrHash.openapi({ description: 'The hash of a document that was submitted, or a document.' }),
  input: z.unknown().optional(),
  cwd: AbsolutePath,
  title: Title.optional(),
  labels: Labels.optional(),
  workspace: z.enum(['git', 'directory', 'none']).optional(),
  allowDirty: z.boolean().optional(),
}).openapi('NewRun');

export const StartedRun = z.object({ run: RunIdValue, status: z.string() }).openapi('StartedRun');

export const GateAnswer = Settings.extend({
  gate: z.union([NodeName, Offset]).optional().openapi({ description: 'Absent: the only open one.' }),
  answer: z.unknown(),
  start: z.boolean().optional().openapi({ description: 'Whether to go on with the run. Default: yes.' }),
}).openapi('GateAnswer');

export const AnsweredGate = z
  .object({ run: RunIdValue, node: z.string(), gate: Offset, started: z.boolean() })
  .openapi('AnsweredGate');

export const RunForkRequest = Settings.extend({
  fromNode: NodeName.optional(),
  visit: z.number().int().positive().optional(),
  item: z.number().int().min(0).optional(),
  at: Offset.optional(),
  acknowledgeWrites: z.union([z.array(Offset).max(10_000), z.literal('all')]).optional(),
  dryRun: z.boolean().optional(),
  input: z.unknown().optional(),
  outputs: z.record(z.string(), z.unknown()).optional(),
  graph: GraphOrHash.optional(),
  title: Title.optional(),
  start: z.boolean().optional().openapi({ description: 'Whether to go on with the child. Default: yes.' }),
}).openapi('RunForkRequest');

const WriteHazard = OutstandingWrite.extend({
  node: z.string(),
  effect: z.string(),
  relation: z.enum(['descends', 'concurrent']),
  straddles: z.boolean(),
}).openapi('WriteHazard');

const ForkedCall = z.looseObject({ offset: Offset, node: z.string(), tool: z.string() });

export const RunFork = z
  .object({
    run: RunIdValue.nullable(),
    dryRun: z.literal(true).optional(),
    wouldProceed: z.boolean().optional(),
    status: z.string().optional(),
    forkedFrom: RunOrigin,
    boundary: z.object({ offset: Offset, node: z.string(), attempt: z.number() }).optional(),
    prefix: z.object({ events: z.number(), bytes: z.number() }).optional(),
    writes: z.array(WriteHazard).optional(),
    exempt: z.array(ForkedCall).optional(),
    idempotent: z.array(ForkedCall).optional(),
    workspaces: z
      .array(
        z.object({
          workspace: z.string(),
          kind: WorkspaceKind,
          checkpoint: z.string().nullable(),
          leftOut: z.array(z.string()),
        }),
      )
      .optional(),
    bytes: Bytes,
    missingPayloads: z.array(z.string()).optional(),
    repeated: z.boolean().optional(),
  })
  .openapi('RunFork');
