import type { CarriedFolder, DirtyState, LeftOut, Project } from '../types.ts';

/** Folders a project needs to run its tests and git does not hold. */
export const DEFAULT_CARRY: readonly string[] = ['node_modules', '.venv', 'vendor', 'target'];

/** Bounds of what is looked at and copied when a workspace is made. */
export interface CheckoutLimits {
  /** An ignored file outside carried folders is copied up to this size. */
  readonly ignoredFileBytes: number;
  /** All of them together, in path order. */
  readonly ignoredTotalBytes: number;
  /** Over this many files and folders to look through or to copy, the workspace is refused. */
  readonly entries: number;
  /** Over this many bytes to copy (carried folders, and untracked files with `allowDirty`), it is refused. */
  readonly copyBytes: number;
  /** Whether a home folder or `/` may be a workspace. */
  readonly allowHome: boolean;
}

export const DEFAULT_CHECKOUT_LIMITS: CheckoutLimits = {
  ignoredFileBytes: 1024 * 1024,
  ignoredTotalBytes: 64 * 1024 * 1024,
  entries: 500_000,
  copyBytes: 10 * 1024 * 1024 * 1024,
  allowHome: false,
};

export interface CheckoutRequest {
  readonly project: Project;
  /** Does not exist yet; it is there afterwards, complete, or not at all. */
  readonly target: string;
  /** Bring the person's index and changed and untracked files as they are. */
  readonly allowDirty: boolean;
  /** Absent: `DEFAULT_CARRY`. */
  readonly carry?: readonly string[];
  /** Whether small ignored files come along. */
  readonly captureIgnored: boolean;
  /** Absent fields: `DEFAULT_CHECKOUT_LIMITS`. */
  readonly limits?: Partial<CheckoutLimits>;
  readonly signal?: AbortSignal;
}

/** What one repository (the project's or a submodule's) became; paths relative to its own top, as bytes. */
export interface BuiltRepository {
  readonly base: string | null;
  readonly branch: string | null;
  readonly carried: readonly CarriedFolder[];
  readonly copied: readonly string[];
  readonly leftOut: readonly LeftOut[];
  readonly dirty: DirtyState;
}
