/**
 * What a walk knows and what it asks for. The state is folded from the log alone; the moves are derived from state and
 * graph alone; effects are the runtime's.
 */
import type {
  Digest,
  ErrorInfo,
  EventDraft,
  EventOf,
  NodePath,
  RunId,
  RunOrigin,
  ToolOutput,
  WorkspaceKind,
} from '../../events/index.ts';
import type { UsageSum } from '../../usage/index.ts';

/** `waiting`: a gate, or a call whose outcome nobody knows. `delayed`: failed, and tried again at `retryAt`. */
export type NodeStatus = 'running' | 'waiting' | 'delayed' | 'ok' | 'failed' | 'skipped';

/** One node at one place of the walk. Values are as the log holds them, still encoded. */
export interface NodeState {
  readonly path: NodePath;
  readonly id: string;
  readonly status: NodeStatus;
  /** Of the latest `node.enter`; 0 when it was skipped. */
  readonly attempt: number;
  /** Offset of the first `node.enter` (or the `node.skip`), and of the latest. */
  readonly entered: number;
  readonly lastEntered: number;
  readonly input?: unknown;
  readonly inputDigest?: Digest;
  readonly output?: unknown;
  readonly error?: ErrorInfo;
  readonly retryAt?: string;
  readonly skipReason?: string;
  /** Of a branch. */
  readonly take?: string | null;
  readonly gate?: EventOf<'gate.open'>;
  readonly answer?: EventOf<'gate.answer'>;
  /** Of a tool node: its call, as far as it is recorded in the latest attempt. */
  readonly call?: NodeCall;
  /** Of a map: how many items, and how many are done. */
  readonly items?: { readonly count: number; readonly done: number };
  /** Of a fold: passes done. */
  readonly passes?: number;
}

export interface NodeCall {
  readonly intent: EventOf<'tool.intent'>;
  readonly result?: EventOf<'tool.result'>;
  readonly resolution?: EventOf<'tool.resolve'>;
}

/** How the run stands. */
export type RunStatus = 'running' | 'completed' | 'failed' | 'abandoned';

export interface RunState {
  readonly id: RunId;
  readonly graph: Digest;
  readonly input: unknown;
  readonly project: string | null;
  readonly cwd: string;
  readonly workspace: WorkspaceKind;
  readonly forkedFrom?: RunOrigin;
  /** Offset of the last event that is not the run's own; -1 when all are. */
  readonly inheritedThrough: number;
  readonly status: RunStatus;
  readonly output?: unknown;
  readonly error?: ErrorInfo;
  readonly nodes: ReadonlyMap<NodePath, NodeState>;
  /** The last checkpoint of each workspace: `''` is the run's, others are named by the path of the node that owns one. */
  readonly checkpoints: ReadonlyMap<NodePath, EventOf<'workspace.checkpoint'>>;
  readonly workspaceOpen?: EventOf<'workspace.open'>;
  /** A `workspace.open` or `workspace.restore` of this run itself. */
  readonly workspaceReady: boolean;
  /** Nodes entered by this run itself. */
  readonly steps: number;
  readonly own: UsageSum;
  readonly schema: number;
  readonly events: number;
}

/** A node that was entered, has no exit, and needs an effect: an agent, a call, a model's choice. */
export interface ActiveNode {
  readonly path: NodePath;
  readonly id: string;
  readonly attempt: number;
  /** Decoded. */
  readonly input: unknown;
}

/** What is next. With `drafts`, append those and derive again; the rest is of the moment after the last append. */
export interface Moves {
  /** Bookkeeping that follows from what is recorded: enters, skips, ways, items, passes, gates, exits, the end. */
  readonly drafts: readonly EventDraft[];
  readonly active: readonly ActiveNode[];
  readonly delayed: readonly { readonly path: NodePath; readonly retryAt: string }[];
  readonly gates: readonly OpenGate[];
}

/** A gate without an answer. */
export interface OpenGate {
  readonly path: NodePath;
  readonly offset: number;
  readonly question: unknown;
  readonly answerSchema: Readonly<Record<string, unknown>>;
}

/** What became of an active node, for `draftExit`. */
export type NodeOutcome =
  | { readonly kind: 'ok'; readonly output: unknown }
  | { readonly kind: 'failed'; readonly error: ErrorInfo; readonly final?: boolean }
  | { readonly kind: 'interrupted' };

export type { ToolOutput };
