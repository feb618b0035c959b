import type { ConversationRequest, Graph, LeftOutEntry, NodeOrigin, RunId, WorkspaceKind } from '@ramet/core';

/** A session of a node's conversation, with the document its run walks. */
export interface ConversationCommit extends ConversationRequest {
  readonly sourceGraph: Graph;
  readonly idempotencyKey?: string;
  /** Plan, answer, and make nothing. */
  readonly dryRun?: boolean;
}

/** What was made of a conversation, or would be (`session` is null). */
export interface ConversationResult {
  readonly session: RunId | null;
  readonly forkedFrom: NodeOrigin;
  readonly turns: number;
  readonly project: string | null;
  readonly workspace: {
    readonly kind: WorkspaceKind;
    /** What its files are restored from when the session first runs. */
    readonly checkpoint: string | null;
    /** Why there is none. */
    readonly why?: string;
    /** What the checkpoint does not hold. */
    readonly leftOut: readonly LeftOutEntry[];
  };
  readonly bytes: { readonly own: number; readonly shared: number };
  /** An earlier request with the same key made it. */
  readonly repeated: boolean;
}
