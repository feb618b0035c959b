import type {
  Digest,
  Graph,
  NodePath,
  RunForkPlan,
  RunForkRequest,
  RunId,
  RunOrigin,
  RunWriteHazard,
} from '@ramet/core';
import type { RunStore } from '../store/index.ts';

export interface RunForkContext {
  readonly store: RunStore;
  readonly makeId: () => RunId;
  /** Current time in Unix milliseconds. */
  readonly now: () => number;
}

/** A fork of a run, with the documents it needs. */
export interface RunForkCommit extends RunForkRequest {
  /** The document the source walks. */
  readonly sourceGraph: Graph;
  readonly idempotencyKey?: string;
  /** A part of what the key stands for, besides what is here. */
  readonly drive?: Digest;
  /** Plan, answer, and make nothing. */
  readonly dryRun?: boolean;
  /** Runs when all of the child is durable but its place among the runs: to keep what it needs, its document. */
  readonly beforeCommit?: () => void;
}

/** What a fork that is refused with `write_replay_hazard` tells besides its message, on the command line and by HTTP. */
export interface ReplayHazard {
  readonly id: RunId;
  /** Offset of the fork node's `node.enter`. */
  readonly at: number;
  readonly fromNode: NodePath;
  /** Writes that would be made again and nobody acknowledged. */
  readonly writes: readonly RunWriteHazard[];
}

/** What a fork made, or would make (`run` is null). */
export interface RunForkResult {
  readonly run: RunId | null;
  readonly forkedFrom: RunOrigin;
  /** Null when an earlier request with the same key made the child: its own log says what it is. */
  readonly plan: RunForkPlan | null;
  /** Whether every write it makes again is acknowledged. */
  readonly wouldProceed: boolean;
  readonly bytes: { readonly own: number; readonly shared: number };
  /** Payloads of the prefix that the source has lost: the child misses them too. */
  readonly missingPayloads: readonly string[];
  /** An earlier request with the same key made it. */
  readonly repeated: boolean;
}
