import type { RunId } from '@ramet/core';
import type { LeftOut, Project } from '../types.ts';

export interface ApplyRequest {
  readonly project: Project;
  /** The run's checkpoint to bring back. */
  readonly checkpoint: string;
  readonly runId: RunId;
  /** The commit the run's workspace began at; null where it began without one. */
  readonly base: string | null;
  /** A checkpoint of the person's uncommitted changes that the workspace began with; absent or null where there were none. */
  readonly opening?: string | null;
  /** A new branch to make besides `refs/ramet/<id>`. */
  readonly branch?: string;
  /** Merge the agent's changes into the files of the checkout. */
  readonly toCheckout?: boolean;
  /** A folder in the person's checkout (a linked worktree's, too). Absent: the project's. */
  readonly checkout?: string;
  /** The time of the commit that holds loose files: the checkpoint's, so that it is the same commit each time. */
  readonly takenMs: number;
}

export interface AppliedCheckpoint {
  /** `refs/ramet/<id>`, and what it names now. */
  readonly ref: string;
  readonly commit: string;
  /** What the ref named before; null when it is new. */
  readonly previous: string | null;
  /** The agent's own HEAD; null when it had no commit. */
  readonly head: string | null;
  /** Whether a commit with loose files lies on top of it. */
  readonly loose: boolean;
  readonly branch: string | null;
  /** The checkout whose repository has them now. */
  readonly repository: string;
  /** What was written to the checkout's files; null unless asked for. The index is as it was. */
  readonly checkout: AppliedFiles | null;
  readonly leftOut: AppliedLeftOut;
  /**
   * Files the person's attributes send through a filter (LFS): no filter ran, so the loose commit holds them as they
   * were in the workspace.
   */
  readonly unfiltered: readonly string[];
  /** An operation the agent was in the middle of: its half-done files are in the loose commit. */
  readonly operation: string | null;
}

export interface AppliedFiles {
  readonly path: string;
  /** What was not there already. As text; bytes that are not UTF-8 as `\xNN`. */
  readonly written: readonly string[];
  readonly deleted: readonly string[];
}

/** What did not come along. */
export interface AppliedLeftOut {
  readonly ignored: number;
  /** Files of repositories inside the workspace. */
  readonly nested: number;
  /** Links to other repositories that come as links: their commits may be nowhere but in the workspace. */
  readonly links: readonly string[];
  /** Not in the checkpoint at all. */
  readonly files: readonly LeftOut[];
}
