/**
 * What a walk knows and what it asks for. The state is folded from the log and the graph alone; the moves are derived
 * from state and graph alone; effects are the runtime's.
 */
import type {
  Digest,
  ErrorInfo,
  EventDraft,
  EventOf,
  NodePath,
  RunId,
  RunOrigin,
  Sha256,
  WorkspaceKind,
} from '../../events/index.ts';
import type { UsageSum } from '../../usage/index.ts';
import type { GraphLimits } from '../document/types.ts';
import type { WalkProgress } from './state/progress.ts';

/**
 * `waiting`: a gate without an answer. `delayed`: failed, and tried again at `retryAt`. `failed`: not tried again while
 * the run, or the map or fold around it, is not. `interrupted`: told to stop; entered again when the run goes on.
 */
export type NodeStatus = 'running' | 'waiting' | 'delayed' | 'ok' | 'failed' | 'interrupted' | 'skipped';

/** One node at one place of the walk. Values are as the log holds them, still encoded. */
export interface NodeState {
  readonly path: NodePath;
  readonly id: string;
  readonly status: NodeStatus;
  /** Of the latest `node.enter`; 0 when it was skipped. */
  readonly attempt: number;
  /** Failed attempts since the run, or the map or fold around it, last began to try it: what `retry` counts. */
  readonly failures: number;
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
  /**
   * Of a tool node that has not finished: its latest call. An attempt after a crash finds that of the attempt before;
   * after a recorded exit there is none. Of an agent: the call that has no result yet.
   */
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
  /** Offset of the `run.fail` that holds. */
  readonly failedAt?: number;
  /** Of finished items and passes nothing is kept but what their map or fold needs. */
  readonly nodes: ReadonlyMap<NodePath, NodeState>;
  /** The last checkpoint of each workspace: `''` is the run's, others are named by the path of the node that owns one. */
  readonly checkpoints: ReadonlyMap<NodePath, EventOf<'workspace.checkpoint'>>;
  readonly workspaceOpen?: EventOf<'workspace.open'>;
  /** A `workspace.open` or `workspace.restore` of this run itself. */
  readonly workspaceReady: boolean;
  /** Nodes entered by this run itself. */
  readonly steps: number;
  /** How long nodes of this run itself were at work, as far as its events say. */
  readonly workedMs: number;
  readonly own: UsageSum;
  readonly schema: number;
  readonly events: number;
  /** What `nextMoves` would else derive from all nodes each time: a function of the events and the graph. */
  readonly progress: WalkProgress;
}

/** What `nextMoves` needs to know besides the graph and the state. */
export interface WalkOptions {
  /** Turns a value of the log back (`decodeValue`). Give the same function each time: what it made is kept by it. */
  readonly decode: (value: unknown) => unknown;
  readonly sha256: Sha256;
  /** Unix time: decides which delayed retries are due. */
  readonly nowMs: number;
  /** Of the command line; the tighter of these and the document's holds. */
  readonly limits?: GraphLimits;
  /**
   * Nodes whose latest `node.enter` this process appended, until it appends their exit. One that was entered, is not
   * among them and has no exit was left by a dead owner or a former command.
   */
  readonly taken?: ReadonlySet<NodePath>;
  /** Offset of the `run.fail` after which a person lets the run go on; a later one ends the run again. */
  readonly undoes?: number;
}

/** A node that was entered by this process, has no exit, and needs an effect: an agent, a call, a model's choice. */
export interface ActiveNode {
  readonly path: NodePath;
  readonly id: string;
  readonly attempt: number;
  /** Decoded. */
  readonly input: unknown;
}

/**
 * What is next. With `drafts`, append those and derive again: the lists are empty then. With neither drafts nor active
 * nor delayed nodes the run has ended or is parked.
 */
export interface Moves {
  /** Bookkeeping that follows from what is recorded: enters, skips, ways, items, passes, gates, exits, the end. */
  readonly drafts: readonly EventDraft[];
  readonly active: readonly ActiveNode[];
  /** Those of `active` to be stopped and recorded as `interrupted`: something around them has failed for good. */
  readonly stopping: readonly NodePath[];
  readonly delayed: readonly { readonly path: NodePath; readonly retryAt: string }[];
  readonly gates: readonly OpenGate[];
  readonly unknown: readonly UnknownCall[];
}

/** A gate without an answer. */
export interface OpenGate {
  readonly path: NodePath;
  readonly offset: number;
  /** As the log holds it. */
  readonly question: unknown;
  readonly answerSchema: Readonly<Record<string, unknown>>;
}

/** A write that may have reached the outside, has no result, and about which nobody has said what happened. */
export interface UnknownCall {
  readonly path: NodePath;
  /** Of its `tool.intent`. */
  readonly offset: number;
  readonly callId: string;
  readonly tool: string;
  readonly key: string;
}

/** What became of an active node, for `draftExit`. `final`: not tried again, whatever its `retry` says. */
export type NodeOutcome =
  | { readonly kind: 'ok'; readonly output: unknown }
  | { readonly kind: 'failed'; readonly error: ErrorInfo; readonly final?: boolean }
  | { readonly kind: 'interrupted' };
