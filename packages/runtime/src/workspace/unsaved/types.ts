import type { CaptureRequest, Project, WorkspaceHandle } from '../types.ts';

export interface UnsavedRequest extends Pick<CaptureRequest, 'carry' | 'captureIgnored' | 'limits'> {
  readonly project: Project;
  /** The live workspace; null where the folder is gone or was never made. */
  readonly workspace: WorkspaceHandle | null;
  /** The run's last checkpoint; null without one. */
  readonly checkpoint: string | null;
  /** Checkpoints of the runs that stay; asked for only when it matters. */
  readonly others: () => readonly string[];
}

export type UnsavedKind =
  | 'no_checkpoint'
  | 'workspace_changed'
  | 'not_comparable'
  | 'operation'
  | 'commits'
  | 'files'
  | 'ignored_files'
  | 'staged'
  | 'nested'
  | 'ref';

/** One kind of work that would be lost. */
export interface UnsavedReason {
  readonly kind: UnsavedKind;
  readonly count: number;
  /** The first ten: paths as text, or ids of commits. */
  readonly names: readonly string[];
  /** In words, for a person. */
  readonly message: string;
}
