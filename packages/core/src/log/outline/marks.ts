/**
 * What an outline keeps of single lines. A mark's `position` is its line's first byte in its segment, `bytes` its length
 * without the newline.
 */
import type {
  Contained,
  Digest,
  Effect,
  EndReason,
  LoggedEvent,
  NodePath,
  RunId,
  ToolOutcomeKind,
  WorkspaceKind,
} from '../../events/index.ts';
import type { UsageSum } from '../../usage/index.ts';

/** Where a line lies. */
export interface LinePlace {
  readonly offset: number;
  readonly position: number;
  readonly bytes: number;
}

/** A `session.end` of a session; that of an agent's turn in a graph run is none. */
export interface BoundaryMark extends LinePlace {
  readonly reason: EndReason;
  /** Checkpoint id, or null when it holds none. */
  readonly checkpoint: string | null;
}

export interface StartMark {
  readonly id: RunId;
  readonly project: string | null;
  readonly workspace: WorkspaceKind;
  readonly cwd: string;
  readonly title?: string;
  readonly time: string;
}

/** A `session.start` in event 0. */
export interface SessionStartMark extends StartMark {
  readonly forkedFrom?: NodeDescent;
}

/** A `graph.start` in event 0. */
export interface GraphStartMark extends StartMark {
  /** SHA-256 of the document. */
  readonly graph: Digest;
  /** `time` of a child is its creation. */
  readonly forkedFrom?: RunDescent;
  /** Of its line, without the newline. */
  readonly bytes: number;
  /** `prev` of event 1, when that lies in the same segment. */
  readonly event1Prev?: Digest;
}

/** The one shape of descent in answers. */
export interface ForkOrigin {
  readonly id: RunId;
  /** The last event of the source the child holds. */
  readonly offset: number;
  readonly digest: Digest;
}

/** Of a graph run, also where it was forked, and whether a person changed something there. */
export interface RunDescent extends ForkOrigin {
  readonly fromNode: NodePath;
  readonly changed: boolean;
}

/** Of a session that was made of the conversation of a node. */
export interface NodeDescent extends ForkOrigin {
  readonly fromNode: NodePath;
  /** The last line that was taken from the run. */
  readonly through: number;
}

/** A `session.fork`; `at` is the parent's offset. */
export interface ForkMark extends LinePlace {
  readonly id: RunId;
  readonly parent: RunId;
  readonly at: number;
  readonly digest: Digest;
  readonly cwd: string;
  readonly title?: string;
  readonly time: string;
  /** Usage recorded in this segment before the fork. */
  readonly usageBefore: UsageSum;
  /** How many outstanding writes it lists. */
  readonly outstanding: number;
}

/** The first event of a graph run that is its own, after what it inherited. */
export interface OwnStartMark {
  readonly offset: number;
  /** Usage and `node.enter`s recorded in this segment before it. */
  readonly usageBefore: UsageSum;
  readonly entersBefore: number;
}

/**
 * A `tool.intent` that is not known to stay inside the workspace; in a graph run every one of effect `write`, contained
 * or not.
 */
export interface WriteMark extends LinePlace {
  readonly callId: string;
  readonly node?: NodePath;
  readonly tool: string;
  readonly effect: Effect;
  readonly contained: Contained;
  readonly key: string;
  readonly time: string;
  /** 2 and up: the call is made again, after an attempt whose end is not known. */
  readonly attempt?: number;
}

/**
 * What became of a `WriteMark`'s call. A person's word that it happened, or is to be made again, is kept of graph runs.
 */
export interface WriteOutcomeMark {
  readonly offset: number;
  readonly callId: string;
  readonly node?: NodePath;
  /** Offset of the intent it is about, where the event names it (`tool.resolve`). */
  readonly intent?: number;
  readonly outcome: ToolOutcomeKind | 'did_not_happen' | 'happened' | 'retry';
  readonly egress: readonly string[];
}

/** An event of the walk that forks and lists need: where it lies, and which node it is about. */
export interface NodeMark extends LinePlace {
  readonly type: 'enter' | 'exit' | 'skip';
  readonly node: NodePath;
  /** 0 for a skip. */
  readonly attempt: number;
  readonly outcome?: 'ok' | 'failed' | 'interrupted';
}

/** A `workspace.checkpoint`, and the node that took it. */
export interface CheckpointMark {
  readonly offset: number;
  readonly id: string;
  readonly node?: NodePath;
}

/** A line with a long value of a node, and the rest of its event. */
export interface LongMark extends LinePlace {
  readonly event: LoggedEvent;
  /** The field that is in the line alone. */
  readonly value: 'input' | 'output';
}

/** How a graph run ended, as far as its log says: `failed` is not final. */
export interface RunEndMark {
  readonly offset: number;
  readonly kind: 'completed' | 'failed' | 'abandoned';
  /** Of what made it fail. */
  readonly code?: string;
}

/** A payload a line refers to. */
export interface PayloadMark {
  readonly offset: number;
  readonly digest: string;
  readonly bytes: number;
}

/** Names a call among all of a log: call ids are unique within a node or a turn alone. */
export type CallKey = string;

/** The key of a call; a session's calls are named by their id alone. */
export function callKeyOf({ node, callId }: { readonly node?: NodePath; readonly callId: string }): CallKey {
  return node === undefined ? callId : `${node}\n${callId}`;
}

/** The node an event belongs to, as a field of a mark: what is no text names none. */
export function nodeFieldOf({ node }: { readonly node?: unknown }): { readonly node?: NodePath } {
  return typeof node === 'string' ? { node } : {};
}
