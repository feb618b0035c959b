/**
 * What a walk keeps beside the nodes, so that a move costs what it changes and not what the run is long: bodies being
 * walked, what to look at next, who is at work, what has failed. Types only; `bodies.ts` keeps them.
 *
 * 1. All of it is a function of the events and the graph. Only the fold changes it.
 * 2. Of a body that is done, nothing is left here but its output.
 */
import type { BodyPath, EventOf, NodePath } from '../../../events/index.ts';
import type { Graph, PlacedNode, Scope } from '../../document/graph.ts';
import type { NodeState, RunState } from '../types.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A node of the walk, with what only the fold and the walk look at. */
export interface WalkedNode extends Mutable<NodeState> {
  readonly placed: PlacedNode;
  readonly body: WalkedBody;
  /** It failed, and what failed around it is tried again. */
  again?: boolean;
  /** Of a map or fold that has not finished. */
  bodies?: WalkedBodies;
}

/** A body at one place of the walk: the document itself, an item of a map, a pass of a fold. */
export interface WalkedBody {
  readonly path: BodyPath;
  readonly scope: Scope;
  /** The map or fold it belongs to; null for the document. */
  readonly owner: WalkedNode | null;
  /** The item or pass; 0 for the document. */
  readonly index: number;
  /** Of nodes with a decided edge into them: how many are not decided, and whether one is live. */
  readonly edges: Map<string, { undecided: number; live: boolean }>;
  readonly nodes: Map<string, WalkedNode>;
  /** Nodes that are neither finished nor skipped. */
  unfinished: number;
}

/** The bodies of a map or fold. */
export interface WalkedBodies {
  readonly open: Map<number, WalkedBody>;
  /** Of a map, by item: what its output will hold, encoded. Of a fold: outputs of its passes, or the last one alone. */
  readonly outputs: unknown[];
  /** Of a map: items below it were begun. */
  next: number;
  /** Of a fold: its last pass said that it is done. */
  done: boolean;
  /** Nodes below it whose failure made it fail. */
  failed: readonly WalkedNode[];
}

/** A node that is to be looked at, entered or not; without `id`, a body whose nodes are all finished or skipped. */
export interface Task {
  readonly body: WalkedBody;
  readonly id: string | null;
}

/** What fails when a node in it fails for good: the run, an item of a collecting map, or a map or fold. */
export type FailedPart =
  | { readonly kind: 'run'; readonly key: ''; readonly nodes: WalkedNode[] }
  | { readonly kind: 'item'; readonly key: BodyPath; readonly body: WalkedBody; readonly nodes: WalkedNode[] }
  | { readonly kind: 'node'; readonly key: NodePath; readonly owner: WalkedNode; readonly nodes: WalkedNode[] };

export interface WalkProgress {
  readonly graph: Graph;
  readonly root: WalkedBody;
  readonly bodies: Map<BodyPath, WalkedBody>;
  /** By path of the node or body. */
  readonly tasks: Map<string, Task>;
  /** Entered, not finished, and in need of an effect. */
  readonly running: Set<WalkedNode>;
  readonly delayed: Set<WalkedNode>;
  /** Gates without an answer. */
  readonly gates: Set<WalkedNode>;
  /** By the key of the part. */
  readonly failures: Map<string, FailedPart>;
  /** Time of the last event. */
  lastTimeMs: number;
  /** The first inherited event that an ancestor which was itself a fork wrote; infinite when there is none. */
  ancestorForkedAt: number;
}

/** The state while it is folded. */
export interface RunDraft extends Mutable<Omit<RunState, 'nodes' | 'checkpoints' | 'progress'>> {
  readonly nodes: Map<NodePath, WalkedNode>;
  readonly checkpoints: Map<NodePath, EventOf<'workspace.checkpoint'>>;
  readonly progress: WalkProgress;
}
