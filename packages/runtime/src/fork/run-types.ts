import type { Graph, RunForkPlan, RunForkRequest, RunId, RunOrigin } from '@ramet/core';
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
  /** Plan, answer, and make nothing. */
  readonly dryRun?: boolean;
  /** Runs when all of the child is durable but its place among the runs: to keep what it needs, its document. */
  readonly beforeCommit?: () => void;
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
