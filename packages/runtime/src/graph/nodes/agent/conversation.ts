/**
 * The conversation of one node with its model: what a session's turn loop works on, over the run's log.
 *
 * 1. Its events are in the run's log, each with the node's path; its fold sees those of this entry of the node alone.
 * 2. It goes on where it stopped when its owner died or the run was interrupted; after a failure it begins anew.
 */
import {
  canonicalJson,
  createSessionFold,
  type EventOf,
  keyOfNodeCall,
  type LoggedEvent,
  type NodePath,
  type OutstandingWrite,
  SCHEMA,
  type SessionFold,
  ZERO_DIGEST,
} from '@ramet/core';
import type { Model } from '../../../model/index.ts';
import type { CallPolicy } from '../../../session/turn/calls/policy.ts';
import type { TurnContext } from '../../../session/turn/context.ts';
import type { TurnSettings } from '../../../session/types.ts';
import type { Captor } from '../../../session/workspace/capture.ts';
import { type OwnedLog, sha256 } from '../../../store/index.ts';
import type { Tool } from '../../../tools/index.ts';
import type { OpenRun } from '../../drive/types.ts';
import { judgeCall } from '../../history/judge-call.ts';
import { judgeRepeated, readNodeEvents } from '../../history/node-events.ts';
import { toolContextOf } from '../tool-context.ts';
import type { NodeWork } from '../types.ts';

export interface ConversationRequest {
  /** The model's name as the node gives it. */
  readonly model?: string;
  readonly system: string;
  readonly tools: readonly Tool[];
  readonly maxRequests?: number;
}

/** What of a conversation lies in turns that have ended. */
interface EarlierTurns {
  replies: number;
  calls: number;
  requests: number;
}

export interface Conversation {
  readonly context: TurnContext;
  readonly earlier: Readonly<EarlierTurns>;
}

/** Opens the conversation of a node, with what is recorded of it. */
export function openConversation(run: OpenRun, work: NodeWork, request: ConversationRequest): Conversation {
  const earlier: EarlierTurns = { replies: 0, calls: 0, requests: 0 };
  const fold = countTurns(createSessionFold(), earlier);
  for (const event of introduce(run)) fold.add(event);
  const { events, writes } = readNodeEvents(run, work.node.path);
  if (run.journal.goingOn.has(work.node.path)) for (const event of events) fold.add(event);
  const log = scopeLog(run, work.node.path);
  const model = continueModel(run.models.modelOf(work.node.path, request.model), earlier);
  const settings = settingsOf(run, work, request.maxRequests);
  const context: TurnContext = {
    services: run.services,
    settings,
    configuration: run.configuration,
    rules: run.rules,
    log,
    fold,
    model,
    system: request.system,
    tools: new Map(request.tools.map((tool) => [tool.name, tool])),
    toolContext: { ...toolContextOf(run, work), outputLimitBytes: OUTPUT_LIMIT_BYTES },
    captor: NO_CAPTOR,
    policy: policyOf(run, { node: work.node.path, earlier, writes }),
    signal: work.signal,
    timedOut: work.timedOut,
  };
  return { context, earlier };
}

/** Most bytes of one call's output kept for the model, as in a session. */
const OUTPUT_LIMIT_BYTES = 64 * 1024;

/** The checkpoint of a node is taken before its exit, whatever its turns were. */
const NO_CAPTOR: Captor = {
  capture: (_, settle) => settle({ kind: 'none', why: 'the checkpoint of a node comes before its exit' }),
  differs: async () => false,
};

function countTurns(fold: SessionFold, earlier: EarlierTurns): SessionFold {
  return {
    add: (event) => {
      const { open } = fold.state;
      if (event.type === 'session.end' && open !== null) {
        earlier.replies += open.replies;
        earlier.calls += open.calls.length;
        earlier.requests += open.requests;
      }
      fold.add(event);
    },
    get state() {
      return fold.state;
    },
  };
}

/** What a session's fold is told first: whose conversation it is. */
function introduce({ id, journal }: OpenRun): readonly LoggedEvent[] {
  const { project, workspace } = journal.state;
  const start: EventOf<'session.start'> = {
    seq: 0,
    prev: ZERO_DIGEST,
    time: new Date(0).toISOString(),
    type: 'session.start',
    schema: SCHEMA,
    id,
    project,
    cwd: '',
    workspace,
    versions: {},
  };
  return [start as unknown as LoggedEvent];
}

/** The log of the run, as the node's own: what is appended is the node's, and recorded by the journal alone. */
function scopeLog({ journal }: OpenRun, node: string): OwnedLog {
  return {
    ...journal.log,
    append: (drafts, { durable }) => {
      const own = drafts.map((draft) => ({ ...draft, node }));
      return durable ? journal.recordDurably(own) : journal.record(own);
    },
  };
}

/** A script counts the replies of all turns of an entry. */
function continueModel(model: Model, earlier: EarlierTurns): Model {
  return {
    ...model,
    reply: (request, onDelta) => model.reply({ ...request, replyIndex: request.replyIndex + earlier.replies }, onDelta),
  };
}

function settingsOf(run: OpenRun, { node }: NodeWork, maxRequests: number | undefined): TurnSettings {
  const { sandbox, allowNet, rules, trustProject, onAsk, observer, signal, ask } = run.settings;
  const { notice } = observer;
  return {
    sandbox,
    allowNet,
    rules,
    trustProject,
    limits: maxRequests === undefined ? {} : { maxRequests },
    onAsk,
    // The journal shows events.
    observer: notice === undefined ? {} : { notice },
    signal,
    ...(ask === undefined ? {} : { ask: (question, asked) => ask({ ...question, node: node.path }, asked) }),
  };
}

interface Before {
  readonly node: NodePath;
  readonly earlier: Readonly<EarlierTurns>;
  /** Writes of former conversations of the node. */
  readonly writes: readonly OutstandingWrite[];
}

function policyOf(run: OpenRun, { node, earlier, writes }: Before): CallPolicy {
  return {
    keyOf: ({ index, input }) => {
      const digest = sha256(canonicalJson(input));
      return keyOfNodeCall({ run: run.id, path: node, index: earlier.calls + index, input: digest }, sha256);
    },
    judge: (call) =>
      judgeCall(run, { ...call, node, index: earlier.calls + call.index }) ?? judgeRepeated(call, writes),
  };
}
