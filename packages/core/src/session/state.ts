/**
 * The state of a session as its turn loop needs it: a fold over the log.
 *
 * 1. `foldEvent` is pure bookkeeping over recorded facts; it never decides what happens next (`nextStep` does).
 * 2. A call is open from the reply that names it until its `tool.result`.
 * 3. What lies before the last `session.fork`, and what was taken of a node, is context, not this run's doing: grants
 *    are dropped there.
 */
import {
  type AssistantMessage,
  type EventOf,
  type EventType,
  type KnownEvent,
  knownEvent,
  type LoggedEvent,
  type OutstandingWrite,
  type RunId,
  type ToolCallPart,
} from '../events/index.ts';
import { addReply, NO_USAGE, type UsageSum } from '../usage/index.ts';

/** One tool call of the open turn. */
export interface CallState {
  readonly callId: string;
  readonly tool: string;
  readonly input: unknown;
  /** Position among the turn's calls, from 0. */
  readonly index: number;
  readonly intent?: EventOf<'tool.intent'>;
  readonly approvalRequest?: EventOf<'approval.request'>;
  readonly approval?: EventOf<'approval.answer'>;
  readonly resolution?: EventOf<'tool.resolve'>;
  readonly result?: EventOf<'tool.result'>;
  /** The `session.config` it was first asked about under, or last began under. */
  readonly under?: EventOf<'session.config'>;
}

/** A turn that has not ended. */
export interface OpenTurn {
  /** From 1, inherited turns included. */
  readonly turn: number;
  readonly start: number;
  readonly startedAt: string;
  /** The idempotency key of its message. */
  readonly key?: string;
  /** Replies of the model to the turn's own requests. */
  readonly replies: number;
  readonly requests: number;
  readonly lastReply?: AssistantMessage;
  readonly calls: readonly CallState[];
  readonly usage: UsageSum;
}

/** An event that stands in the model's context, values still encoded; see `renderContext`. */
export type ContextEvent =
  | EventOf<'message'>
  | EventOf<'model.response'>
  | EventOf<'tool.result'>
  | EventOf<'context.compact'>;

/** The run a session inherited from: a session, or a graph run. */
export interface Descent {
  readonly parent: RunId;
  /** Of the parent's last event that counts here. */
  readonly offset: number;
  /** Events before this one are not the session's own. */
  readonly ownFrom: number;
}

/** A message of this very session that was sent with an idempotency key. */
export interface KeyedMessage {
  readonly turn: number;
  readonly event: EventOf<'message'>;
  /** Of its turn; absent while that is open. */
  readonly end?: EventOf<'session.end'>;
}

export interface SessionState {
  readonly id: RunId;
  readonly project: string | null;
  readonly cwd: string;
  readonly turns: number;
  readonly open: OpenTurn | null;
  readonly lastEnd?: EventOf<'session.end'>;
  readonly lastCheckpoint?: EventOf<'workspace.checkpoint'>;
  readonly config?: EventOf<'session.config'>;
  readonly workspaceOpen?: EventOf<'workspace.open'>;
  readonly fork?: EventOf<'session.fork'>;
  /** Where it comes from, when it inherited anything. */
  readonly descent?: Descent;
  /** The runs this one descends from, nearest first. */
  readonly ancestors: readonly RunId[];
  /** A `workspace.open` or `workspace.restore` of this run itself, not of an ancestor. */
  readonly workspaceReady: boolean;
  /** What became of the files since the last message: the agent has not been told yet. */
  readonly untoldRestore?: EventOf<'workspace.restore'>;
  readonly context: readonly ContextEvent[];
  /** By key; a fork inherits none. */
  readonly keyed: ReadonlyMap<string, KeyedMessage>;
  /** Calls a person allowed for the rest of this run: tool and canonical input. */
  readonly grants: readonly { readonly tool: string; readonly input: unknown }[];
  readonly outstanding: readonly OutstandingWrite[];
  /** Tokens of the last reply's request: how full the context is. */
  readonly contextTokens?: number;
  readonly own: UsageSum;
  readonly schema: number;
  readonly events: number;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
interface Draft extends Mutable<Omit<SessionState, 'context' | 'open' | 'grants' | 'keyed'>> {
  open: (Mutable<Omit<OpenTurn, 'calls'>> & { calls: Mutable<CallState>[] }) | null;
  context: ContextEvent[];
  keyed: Map<string, Mutable<KeyedMessage>>;
  grants: { readonly tool: string; readonly input: unknown }[];
}

/** A fold that events are fed to in order; `state` is what they amount to so far. */
export interface SessionFold {
  add(event: LoggedEvent): void;
  readonly state: SessionState;
}

/** Starts a fold; the first event must be a `session.start`. */
export function createSessionFold(): SessionFold {
  const draft: Draft = {
    id: '' as RunId,
    project: null,
    cwd: '',
    turns: 0,
    open: null,
    workspaceReady: false,
    context: [],
    keyed: new Map(),
    grants: [],
    ancestors: [],
    outstanding: [],
    own: NO_USAGE,
    schema: 0,
    events: 0,
  };
  return {
    add: (event) => {
      draft.events = event.seq + 1;
      if (Number.isSafeInteger(event.schema)) draft.schema = Math.max(draft.schema, event.schema as number);
      const known = knownEvent(event);
      if (known !== null) foldEvent(draft, known);
      if (draft.fork === undefined && draft.descent?.ownFrom === draft.events) forgetOwn(draft);
    },
    get state() {
      return draft;
    },
  };
}

type Folder<T extends EventType> = (draft: Draft, event: EventOf<T>) => void;

const FOLDERS: { readonly [T in EventType]?: Folder<T> } = {
  'session.start': (draft, event) => {
    if (event.seq > 0) return;
    draft.id = event.id;
    draft.project = event.project;
    draft.cwd = event.cwd;
    if (event.forkedFrom === undefined) return;
    const { id: parent, offset, through } = event.forkedFrom;
    draft.descent = { parent, offset, ownFrom: through + 1 };
    draft.ancestors = [parent];
  },
  'session.fork': foldFork,
  'session.config': (draft, event) => {
    draft.config = event;
  },
  'workspace.open': (draft, event) => {
    draft.workspaceOpen = event;
    draft.workspaceReady = true;
  },
  'workspace.restore': (draft, event) => {
    draft.workspaceReady = true;
    draft.untoldRestore = event;
  },
  'workspace.checkpoint': (draft, event) => {
    draft.lastCheckpoint = event;
  },
  message: foldMessage,
  'model.request': (draft, event) => {
    if (draft.open !== null && event.purpose === 'turn') draft.open.requests += 1;
  },
  'model.response': foldResponse,
  'tool.intent': (draft, event) => {
    // A new attempt is a new question: what a person said of the one before does not cover it.
    const call = updateCall(draft, event.callId, { intent: event, ...configOf(draft) });
    if (call) delete call.resolution;
  },
  'tool.result': (draft, event) => {
    if (updateCall(draft, event.callId, { result: event })) draft.context.push(event);
  },
  'tool.resolve': (draft, event) => {
    updateCall(draft, event.callId, { resolution: event });
  },
  'approval.request': (draft, event) => {
    updateCall(draft, event.callId, { approvalRequest: event, ...configOf(draft) });
  },
  'approval.answer': foldAnswer,
  'context.compact': (draft, event) => {
    draft.context = [event, ...draft.context.filter((kept) => kept.seq > event.through)];
    delete draft.contextTokens;
  },
  'session.end': foldEnd,
};

function foldEvent(draft: Draft, event: KnownEvent): void {
  (FOLDERS[event.type] as Folder<EventType> | undefined)?.(draft, event);
}

function foldFork(draft: Draft, event: EventOf<'session.fork'>): void {
  draft.id = event.id;
  draft.cwd = event.cwd;
  draft.fork = event;
  draft.descent = { parent: event.parent, offset: event.offset, ownFrom: event.seq };
  draft.ancestors = [event.parent, ...draft.ancestors];
  draft.outstanding = event.outstanding ?? [];
  forgetOwn(draft);
}

/** Nothing so far was this run's doing. */
function forgetOwn(draft: Draft): void {
  draft.workspaceReady = false;
  delete draft.untoldRestore;
  draft.grants = [];
  draft.keyed = new Map();
  draft.own = NO_USAGE;
}

function foldMessage(draft: Draft, event: EventOf<'message'>): void {
  draft.turns += 1;
  delete draft.untoldRestore;
  draft.context.push(event);
  if (event.key !== undefined) draft.keyed.set(event.key, { turn: draft.turns, event });
  draft.open = {
    turn: draft.turns,
    start: event.seq,
    startedAt: event.time,
    ...(event.key === undefined ? {} : { key: event.key }),
    replies: 0,
    requests: 0,
    calls: [],
    usage: NO_USAGE,
  };
}

function foldEnd(draft: Draft, event: EventOf<'session.end'>): void {
  const keyed = draft.open?.key === undefined ? undefined : draft.keyed.get(draft.open.key);
  if (keyed !== undefined) keyed.end = event;
  draft.open = null;
  draft.lastEnd = event;
}

function foldResponse(draft: Draft, event: EventOf<'model.response'>): void {
  if (event.message !== undefined || event.usage !== undefined) {
    draft.own = addReply(draft.own, event.usage, event.cost);
    if (draft.open !== null) draft.open.usage = addReply(draft.open.usage, event.usage, event.cost);
  }
  if (event.purpose !== 'turn' || draft.open === null) return;
  if (event.message === undefined) {
    // A request that was told to stop is made again when its turn goes on: it counts once.
    if (event.error?.code === 'interrupted') draft.open.requests = Math.max(0, draft.open.requests - 1);
    return;
  }
  draft.context.push(event);
  draft.open.replies += 1;
  draft.open.lastReply = event.message;
  const tokens = addReply(NO_USAGE, event.usage, undefined);
  if (tokens.inputTokens > 0) draft.contextTokens = tokens.inputTokens + tokens.outputTokens;
  for (const part of toolCallsOf(event.message)) {
    const { toolCallId: callId, toolName: tool, input } = part;
    draft.open.calls.push({ callId, tool, input, index: draft.open.calls.length });
  }
}

function foldAnswer(draft: Draft, event: EventOf<'approval.answer'>): void {
  const call = updateCall(draft, event.callId, { approval: event });
  if (call && event.answer === 'allow' && event.scope === 'session') {
    draft.grants.push({ tool: call.tool, input: call.input });
  }
}

function configOf({ config }: Draft): Pick<CallState, 'under'> {
  return config === undefined ? {} : { under: config };
}

/** Updates the first call with this id that has no result yet: calls are made in order, and providers reuse ids. */
function updateCall(draft: Draft, callId: string, change: Partial<CallState>): Mutable<CallState> | undefined {
  const call = draft.open?.calls.find((candidate) => candidate.callId === callId && candidate.result === undefined);
  return call === undefined ? undefined : Object.assign(call, change);
}

/** The tool calls of a reply, in order; parts that are not well formed are passed over. */
export function toolCallsOf(message: AssistantMessage): readonly ToolCallPart[] {
  const parts: readonly unknown[] = Array.isArray(message.content) ? message.content : [];
  return parts.filter(
    (part): part is ToolCallPart =>
      typeof part === 'object' &&
      part !== null &&
      (part as ToolCallPart).type === 'tool-call' &&
      typeof (part as ToolCallPart).toolCallId === 'string' &&
      typeof (part as ToolCallPart).toolName === 'string',
  );
}
