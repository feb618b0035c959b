import type { EventDraft, WorkspaceKind } from '@ramet/core';
import type { CheckpointRecord, Project } from '../../workspace/types.ts';

/** What became of a checkpoint. `none`: this kind of workspace has none. */
export type CheckpointTaken =
  | { readonly kind: 'taken'; readonly record: CheckpointRecord }
  | { readonly kind: 'none'; readonly why: string }
  | { readonly kind: 'failed'; readonly why: string };

/** What one capture starts from. */
export interface CaptureFrom {
  /** The run's latest checkpoint. */
  readonly previous: string | null;
  readonly base: string | null;
}

/** A workspace that is ready for a turn. */
export interface BoundWorkspace {
  readonly kind: WorkspaceKind;
  /** Host path of the agent's files. */
  readonly path: string;
  readonly project: Project | null;
  /** Paths the sandbox shows read-only at their own place. */
  readonly readOnly: readonly string[];
  /** Paths in the workspace the agent may read and not write. */
  readonly frozen: readonly string[];
  readonly identity?: { readonly name: string; readonly email: string };
  /** Lets go of what keeps others out of a `directory` workspace. */
  release(): void;
}

/** A workspace and the events that say how it came to be. */
export interface PreparedWorkspace {
  readonly workspace: BoundWorkspace;
  readonly events: readonly EventDraft[];
}
