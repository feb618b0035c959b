/**
 * Every event Ramet writes: one line of a log each (docs/log-format.md). Bodies are listed by type; `Envelope` is what
 * all share. Readers meet unknown types and fields, and must keep them.
 */
import type { Cost, Usage } from '../usage/types.ts';
import type { Digest, RunId } from './ids.ts';
import type { AssistantMessage, ToolOutput, UserMessage } from './messages.ts';

/** The highest `schema` this code writes and appends to; a log with a higher one is read-only. */
export const SCHEMA = 1;

export type WorkspaceKind = 'git' | 'overlay' | 'directory' | 'none';
export type Effect = 'read' | 'idempotent' | 'write';
export type Contained = boolean | 'unless_egress';
export type Purpose = 'turn' | 'compact' | 'title';
export type EndReason = 'completed' | 'interrupted' | 'failed' | 'limit';

/**
 * Where a node of a graph run stands in the walk: its id, below the map items and fold passes it lies in
 * (`m1[2]/f1#3/body`: item 2 of map `m1`, pass 3 of fold `f1`, node `body`). Items count from 0, passes from 1.
 */
export type NodePath = string;

export interface Envelope {
  readonly seq: number;
  readonly prev: Digest;
  /** RFC 3339 with milliseconds and `Z`. */
  readonly time: string;
  readonly type: string;
  /** The node an event of a graph run belongs to; absent in sessions and in events of the run itself. */
  readonly node?: NodePath;
  /** SHA-256 of event 0, in the first event of a forked graph run that is its own. */
  readonly event0?: Digest;
}

export interface ErrorInfo {
  readonly code: string;
  readonly message: string;
}

export interface LeftOutEntry {
  readonly path: string;
  readonly reason: string;
  readonly bytes?: number;
}

/** A write after a fork point that left the workspace, as shown before a fork and recorded in it. */
export interface OutstandingWrite {
  /** Offset of its `tool.intent` in the source. */
  readonly offset: number;
  readonly callId: string;
  readonly tool: string;
  readonly input: unknown;
  readonly key: string;
  readonly time: string;
  /** Hosts it reached, when the proxy recorded them. */
  readonly egress?: readonly string[];
  /** Whether its outcome is recorded, and how it ended. */
  readonly outcome: ToolOutcomeKind | 'open';
}

/**
 * A permission rule as a session ran with it. `from` says where it comes from: the person's or the project's file, a
 * flag of that command, or a flag of an earlier one that still holds.
 */
export interface RecordedRule {
  readonly tool: string;
  readonly match?: string;
  readonly do: string;
  readonly from?: 'person' | 'project' | 'flag' | 'earlier';
}

export type ToolOutcomeKind = 'ok' | 'error' | 'denied' | 'interrupted' | 'outcome_unknown';

/** How a forked graph run began, recorded in its event 0: the shape of descent in answers, and what a person changed. */
export interface RunOrigin {
  readonly id: RunId;
  /** The last event of the source the child holds: the one before the boundary. */
  readonly offset: number;
  /** SHA-256 of that line in the source. */
  readonly digest: Digest;
  /** Path of the node the child walks again from, and which of the places that node was entered at it is, from 1. */
  readonly fromNode: NodePath;
  readonly visit: number;
  /** The document the child walks. */
  readonly graphHash: Digest;
  /** What event 1 of the log points to. */
  readonly sourceEvent0Digest: Digest;
  /** Offsets of `tool.intent` in the source that a person acknowledged. */
  readonly acknowledgedWrites: readonly number[];
  readonly changes?: RunChanges;
  /** Creation of the child. */
  readonly time: string;
}

/** How a session began that was made of the conversation of an agent's node, recorded in its event 0. */
export interface NodeOrigin {
  /** The graph run. */
  readonly id: RunId;
  /** The `node.exit` that the conversation ended with, and SHA-256 of that line. */
  readonly offset: number;
  readonly digest: Digest;
  readonly fromNode: NodePath;
  /** Which of the places that node was entered at it is, from 1, and the attempt that ended. */
  readonly visit: number;
  readonly attempt: number;
  /** Offset in the run of the `node.enter` that the conversation began with. */
  readonly from: number;
  /** The last line of the session's log that was taken from the run: what follows is its own. */
  readonly through: number;
}

/**
 * A write or idempotent call of the source that the child may make again: what its key was, and whether a person
 * acknowledged it. The source may be removed, so the child holds what it needs of it.
 */
export interface RewalkCall {
  /** Offset of its `tool.intent` in the source. */
  readonly offset: number;
  readonly node: NodePath;
  /** Among the calls of that entry of the node, from 0. */
  readonly index: number;
  readonly tool: string;
  readonly inputDigest: Digest;
  readonly effect: Effect;
  readonly key: string;
  readonly acknowledged: boolean;
}

/** What a fork replaces: the fork node's input, outputs of nodes that had finished, the document. */
export interface RunChanges {
  readonly input?: unknown;
  readonly outputs?: Readonly<Record<NodePath, unknown>>;
  /** The source's document, when the child walks another. */
  readonly graphFrom?: Digest;
}

export interface EventBodies {
  'session.start': {
    readonly schema: number;
    readonly id: RunId;
    /** Random id of the project; null outside one. */
    readonly project: string | null;
    /** Relative to the workspace; '' is its root. */
    readonly cwd: string;
    readonly workspace: WorkspaceKind;
    readonly title?: string;
    readonly versions: Readonly<Record<string, string>>;
    readonly forkedFrom?: NodeOrigin;
    readonly key?: string;
  };
  'session.config': {
    readonly schema: number;
    readonly model: {
      readonly name: string;
      readonly baseUrl?: string;
      readonly script?: { readonly path: string; readonly digest: string };
    };
    readonly tools: readonly { readonly name: string; readonly effect: Effect; readonly contained: Contained }[];
    readonly permissions: readonly RecordedRule[];
    readonly sandbox: string;
    readonly allowNet: readonly string[];
    readonly instructions: readonly { readonly path: string; readonly digest: string }[];
  };
  'workspace.open': {
    readonly kind: WorkspaceKind;
    readonly base: string | null;
    readonly branch: string | null;
    readonly carried: readonly { readonly path: string; readonly from: string; readonly how: string }[];
    readonly copied: readonly string[];
    readonly leftOut: readonly LeftOutEntry[];
    readonly dirty: Readonly<Record<string, unknown>>;
    /** The folder of a `directory` workspace. */
    readonly path?: string;
  };
  'workspace.checkpoint': {
    readonly id: string;
    readonly files: number;
    readonly bytes: number;
    readonly head: string;
    readonly commit: string | null;
    readonly operation: string | null;
    readonly leftOut: readonly LeftOutEntry[];
    readonly changed: {
      readonly added: number;
      readonly modified: number;
      readonly deleted: number;
      readonly paths: readonly string[];
    };
  };
  'workspace.restore': {
    /** Null when there was none to restore. */
    readonly checkpoint: string | null;
    readonly outcome: 'restored' | 'fresh' | 'shared';
    readonly reason?: string;
    readonly carried: readonly { readonly path: string; readonly from: string; readonly how: string }[];
  };
  message: {
    readonly message: UserMessage;
    /** Words of Ramet to the agent, shown before the message: outstanding writes, a workspace that is not restored. */
    readonly notices?: readonly string[];
    /** The idempotency key it was sent with: in this very session no other message has it. */
    readonly key?: string;
    /** Of how it was asked to be run; with a key, which stands for that too. */
    readonly request?: Digest;
  };
  'model.request': {
    readonly digest: Digest;
    readonly model: string;
    readonly attempt: number;
    readonly purpose: Purpose;
  };
  'model.response': {
    readonly model: string;
    readonly attempt: number;
    readonly purpose: Purpose;
    /** Absent when the attempt failed. */
    readonly message?: AssistantMessage;
    readonly finishReason?: string;
    readonly usage?: Usage;
    readonly cost?: Cost;
    readonly error?: ErrorInfo & { readonly retryAfterMs?: number };
  };
  'tool.intent': {
    readonly callId: string;
    readonly tool: string;
    readonly input: unknown;
    readonly effect: Effect;
    readonly contained: Contained;
    readonly key: string;
    /** 2 and up: run again after a crash. */
    readonly attempt?: number;
    /** Offset in the source of the write this one makes again on purpose; each is used once. */
    readonly acknowledged?: number;
  };
  'tool.result': {
    readonly callId: string;
    readonly tool: string;
    readonly outcome: ToolOutcomeKind;
    readonly output: ToolOutput;
    readonly egress?: readonly string[];
    /** The receipt of an earlier, outstanding write was used instead of a new call. */
    readonly receipt?: { readonly offset: number };
  };
  'tool.resolve': {
    readonly callId: string;
    /** Offset of the intent. */
    readonly intent: number;
    readonly resolution: 'happened' | 'did_not_happen' | 'retry';
    readonly output?: ToolOutput;
  };
  'approval.request': {
    readonly callId: string;
    readonly tool: string;
    readonly input: unknown;
    readonly reason: string;
    readonly outstanding?: readonly OutstandingWrite[];
  };
  'approval.answer': {
    readonly callId: string;
    readonly answer: 'allow' | 'deny' | 'reuse';
    /** `flag`: a flag of the command that went on (`--yes`, a matching `--allow`). */
    readonly by: 'person' | 'flag' | 'rule' | 'nobody';
    /** `session`: the same call with the same input is not asked again in this run. */
    readonly scope: 'once' | 'session';
  };
  'context.compact': {
    readonly summary: string;
    /** Messages of events at or before this offset are replaced by the summary. */
    readonly through: number;
  };
  'session.title': { readonly title: string };
  'log.repair': { readonly kept: boolean; readonly droppedBytes: number };
  'session.end': {
    readonly reason: EndReason;
    /** The id of the `workspace.checkpoint` just before it, or `none`; then `why` says why. */
    readonly checkpoint: string;
    readonly why?: string;
    readonly error?: ErrorInfo;
  };
  'session.fork': {
    readonly id: RunId;
    readonly parent: RunId;
    /** The `session.end` the child begins at, and its line's digest. */
    readonly offset: number;
    readonly digest: Digest;
    readonly cwd: string;
    readonly title?: string;
    readonly outstanding?: readonly OutstandingWrite[];
    readonly key?: string;
  };
  'graph.start': {
    readonly schema: number;
    readonly id: RunId;
    /** SHA-256 of the document's canonical JSON. */
    readonly graph: Digest;
    readonly input: unknown;
    readonly project: string | null;
    /** Where the person stood, a host path; programs outside the sandbox start here. */
    readonly cwd: string;
    readonly workspace: WorkspaceKind;
    readonly versions: Readonly<Record<string, string>>;
    readonly title?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly forkedFrom?: RunOrigin;
    readonly rewalk?: readonly RewalkCall[];
    readonly key?: string;
  };
  'node.enter': {
    /** From 1; more after a failure that is tried again, or after a crash that left it open. */
    readonly attempt: number;
    readonly input: unknown;
    /** SHA-256 of the input's canonical JSON. */
    readonly inputDigest: Digest;
  };
  'node.exit': {
    readonly attempt: number;
    readonly outcome: 'ok' | 'failed' | 'interrupted';
    readonly output?: unknown;
    readonly error?: ErrorInfo;
    /** Tried again not before this time; absent: not tried again. */
    readonly retryAt?: string;
  };
  'node.skip': { readonly reason: string };
  'branch.take': { readonly take: string | null; readonly by: 'condition' | 'otherwise' | 'model' };
  'map.open': { readonly count: number };
  'map.item': {
    readonly index: number;
    readonly outcome: 'ok' | 'failed';
    readonly output?: unknown;
    readonly error?: ErrorInfo;
  };
  'fold.pass': { readonly pass: number; readonly output: unknown; readonly done: boolean };
  'gate.open': { readonly question: string; readonly answerSchema: Readonly<Record<string, unknown>> };
  'gate.answer': {
    /** Offset of its `gate.open`. */
    readonly gate: number;
    readonly answer: unknown;
    readonly by: 'person' | 'flag';
  };
  now: { readonly value: string };
  random: { readonly value: number };
  'run.complete': { readonly output: unknown };
  /** Not final: a resumed run tries what failed again. */
  'run.fail': { readonly error: ErrorInfo };
  'run.abandon': { readonly reason?: string };
}

/** The types this version knows and writes. */
export type EventType = keyof EventBodies;

/** A recorded event of a known type. */
export type EventOf<T extends EventType> = Envelope & { readonly type: T } & EventBodies[T];

/** Any known event; discriminate on `type`. */
export type KnownEvent = { [T in EventType]: EventOf<T> }[EventType];

/** An event as parsed from a line: known or not. */
export type LoggedEvent = Envelope & Readonly<Record<string, unknown>>;

/** An event before it has an envelope. */
export type EventDraft = {
  [T in EventType]: { readonly type: T } & Pick<Envelope, 'node' | 'event0'> & EventBodies[T];
}[EventType];
