import type {
  Digest,
  Effect,
  NodePath,
  OutstandingWrite,
  RunChanges,
  RunId,
  WorkspaceKind,
} from '../../events/index.ts';
import type { FileTools, Graph } from '../../graph/index.ts';
import type { NodeMark } from '../../log/index.ts';
import type { ForkSource } from '../types.ts';

/** A source run as planning reads it, the document it walks, and what the built-in tools do with files. */
export interface RunForkSource extends ForkSource {
  readonly graph: Graph;
  readonly fileTools: FileTools;
}

/** How a person names the boundary: a node (and which entry of it), or an offset; and what the child is to change. */
export interface RunForkRequest {
  /** A node's id or path. With neither this nor `at` there is nothing to plan. */
  readonly fromNode?: string;
  /** Which visit: the k-th path it was entered at, from 1, in the order of their first `node.enter`. */
  readonly visit?: number;
  /** Only entries below this item, from 0, of the innermost map around the node. */
  readonly item?: number;
  /** Offset of a `node.enter`. */
  readonly at?: number;
  /** Replaces the fork node's input. */
  readonly input?: unknown;
  /** Replaces outputs of nodes that had finished, by id or path. */
  readonly outputs?: Readonly<Record<string, unknown>>;
  /** The document the child walks; absent: the source's. */
  readonly graph?: Graph;
  /** Offsets of writes a person acknowledges; copied into the plan, not judged. */
  readonly acknowledge?: readonly number[];
  readonly title?: string;
}

/** A call the re-walk may make again: the evidence a person is shown. Its input is as the line holds it, still encoded. */
export interface RunWriteHazard extends OutstandingWrite {
  readonly node: NodePath;
  readonly effect: Effect;
  /** Whether its node comes after the fork node in the graph, or only ran at the same time. */
  readonly relation: 'descends' | 'concurrent';
  /** Begun before the boundary, and not known to have ended before it. */
  readonly straddles: boolean;
}

/** A call in the re-walk that asks nothing of a person. */
export type RunCall = Omit<RunWriteHazard, 'input'>;

/** What the child finds of one workspace: `''` is the run's, others are named by the node that owns one. */
export interface WorkspaceAtBoundary {
  readonly workspace: NodePath;
  readonly kind: WorkspaceKind;
  /** The last checkpoint below the boundary; null when there is none. */
  readonly checkpoint: string | null;
  /** Nodes that were still at work in it: what they wrote is left out. */
  readonly leftOut: readonly NodePath[];
}

/** What a fork of a run will do; nothing in it has been done, and nothing is judged. */
export interface RunForkPlan {
  readonly kind: 'graph';
  readonly source: RunId;
  /** The `node.enter` the child walks again from. */
  readonly boundary: NodeMark;
  readonly fromNode: NodePath;
  /** Which visit of the node that path is, from 1; which attempt of it, the boundary says. */
  readonly visit: number;
  /** Lines and bytes of the source that the child's log holds unchanged: from event 1 on, none when the boundary is event 1. */
  readonly prefix: {
    readonly events: number;
    readonly bytes: number;
    /** The segment that holds the line before the boundary, and its bytes up to the end of that line. */
    readonly segment: number;
    readonly segmentBytes: number;
  };
  /** Of the last event of the prefix. */
  readonly offset: number;
  readonly graphHash: Digest;
  readonly sourceEvent0Digest: Digest;
  readonly writes: readonly RunWriteHazard[];
  /** Calls in the re-walk that need no acknowledgement: contained, and their workspace is restored here. */
  readonly exempt: readonly RunCall[];
  /** Calls in the re-walk that left, or may have, and whose receiver honours their key: they present it again. */
  readonly idempotent: readonly RunCall[];
  readonly workspaces: readonly WorkspaceAtBoundary[];
  readonly acknowledged: readonly number[];
  readonly changes?: RunChanges;
  /**
   * What the source's own fork had changed and the child still rests on, as its line holds it, still encoded: recorded
   * in the child under `changes`.
   */
  readonly inheritedChanges?: Pick<RunChanges, 'input' | 'outputs'>;
  readonly project: string | null;
  readonly title?: string;
}

/** Why a fork of a run cannot be planned. */
export type RunForkError =
  | 'not_a_graph_run'
  | 'log_newer'
  | 'node_unknown'
  | 'node_never_entered'
  | 'node_skipped'
  | 'node_visit_ambiguous'
  | 'not_a_boundary'
  | 'origin_needs_reconciliation'
  | 'graph_changed'
  | 'change_refused';
