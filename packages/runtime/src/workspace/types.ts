import type { Sandbox } from '../sandbox/types.ts';

/** A project: a repository of the person's, known by its common git directory, with two repositories of ours. */
export interface Project {
  /** Random, recorded in its runs; survives a move of the repository. */
  readonly id: string;
  /** `projects/<id>` below the state folder. */
  readonly folder: string;
  /** The person's commits that runs need; mounted read-only in sandboxes. */
  readonly baseGit: string;
  /** Checkpoints of all runs of the project; never visible to an agent. */
  readonly storeGit: string;
  /** The person's checkout: top level of the working tree the run was started in. */
  readonly checkout: string;
  /** The person's common git directory. */
  readonly commonDir: string;
}

/** What a private checkout was made from, as recorded in `workspace.open`. */
export interface OpenedWorkspace {
  readonly kind: 'git' | 'directory' | 'none';
  /** The person's HEAD commit; null in an unborn repository or outside one. */
  readonly base: string | null;
  /** The branch HEAD names; null when detached or outside a repository. */
  readonly branch: string | null;
  /** Folders brought along (`node_modules`): how, and that nobody verified them. */
  readonly carried: readonly CarriedFolder[];
  /** Ignored files of at most 1 MiB copied from the project. */
  readonly copied: readonly string[];
  /** Ignored files that were not copied, and why. */
  readonly leftOut: readonly LeftOut[];
  /** What stays behind in the person's dirty checkout, or came along with `--allow-dirty`. */
  readonly dirty: DirtyState;
  /** How many there are of what `copied` and `leftOut` list at most 200 of. */
  readonly counts?: { readonly copied: number; readonly leftOut: number };
}

export interface CarriedFolder {
  readonly path: string;
  readonly from: 'project' | 'parent';
  readonly how: 'reflink' | 'copy' | 'failed';
  /** Why it failed, or what of it could not be read. */
  readonly reason?: string;
}

/** Uncommitted changes of the person's checkout; paths are escaped text, at most 100 of each kind. */
export interface DirtyState {
  readonly staged: readonly string[];
  readonly unstaged: readonly string[];
  readonly untracked: readonly string[];
  readonly stashes: number;
  /** An operation in progress (`merge`, `rebase`, ...), which never comes along. */
  readonly operation: string | null;
  /** Whether index and files came along. */
  readonly carried: boolean;
  /** How many paths there are of each kind. */
  readonly counts?: { readonly staged: number; readonly unstaged: number; readonly untracked: number };
}

/** One thing a checkpoint or a workspace does not hold. `path` is escaped text when it is not UTF-8. */
export interface LeftOut {
  readonly path: string;
  readonly reason: 'too_large' | 'over_total' | 'ignored' | 'special_file' | 'unreadable' | 'carried' | 'not_supported';
  readonly bytes?: number;
}

/** A checkpoint as `workspace.checkpoint` records it. */
export interface CheckpointRecord {
  /** The commit in `store.git`. */
  readonly id: string;
  /** Files in the working tree it holds, and their bytes. */
  readonly files: number;
  readonly bytes: number;
  /** HEAD's text (`ref: refs/heads/main` or a commit), and the commit it resolves to (null when unborn). */
  readonly head: string;
  readonly commit: string | null;
  /** An operation in progress that came along (`merge`, `rebase`, `cherry-pick`, `revert`, `bisect`, `am`). */
  readonly operation: string | null;
  /** What it does not hold; the first 200 in path order. */
  readonly leftOut: readonly LeftOut[];
  /** How many things it does not hold; only where `leftOut` does not list them all. */
  readonly leftOutCount?: number;
  /** Only where the agent's git directory is gone or broken: the checkpoint then holds files, but no usable `.git`. */
  readonly git?: { readonly state: 'absent' | 'unusable'; readonly reason: string };
  /** Working-tree changes since the previous checkpoint (or since the base commit): counts and up to 50 paths. */
  readonly changed: {
    readonly added: number;
    readonly modified: number;
    readonly deleted: number;
    readonly paths: readonly string[];
  };
}

/** A workspace folder of a run and what capturing it needs. */
export interface WorkspaceHandle {
  readonly project: Project;
  /** `runs/<id>/workspace`. */
  readonly path: string;
  /** `runs/<id>/sandbox`: ours, derived, outside the agent's reach (stat cache, scratch repositories). */
  readonly privateFolder: string;
  /** Runs git against the agent's git directory; kind `none` makes capture read its objects as bytes instead. */
  readonly sandbox: Sandbox;
}

export interface CaptureLimits {
  readonly untrackedFileBytes: number;
  readonly untrackedTotalBytes: number;
  readonly ignoredFileBytes: number;
  readonly ignoredTotalBytes: number;
  /** The agent's new git objects as one pack. */
  readonly packBytes: number;
  /** For making that pack, and as much again for checking it. */
  readonly packTimeMs: number;
}

/** 50 MiB and 1 GiB for untracked files, 1 MiB and 64 MiB for ignored ones, 8 GiB and 10 minutes for git's objects. */
export const DEFAULT_CAPTURE_LIMITS: CaptureLimits = {
  untrackedFileBytes: 50 * 1024 * 1024,
  untrackedTotalBytes: 1024 * 1024 * 1024,
  ignoredFileBytes: 1024 * 1024,
  ignoredTotalBytes: 64 * 1024 * 1024,
  packBytes: 8 * 1024 * 1024 * 1024,
  packTimeMs: 10 * 60 * 1000,
};

export interface CaptureRequest {
  readonly workspace: WorkspaceHandle;
  /** The run's previous checkpoint: unchanged content is taken from it. */
  readonly previous: string | null;
  /** The person's commit the workspace began at: what `changed` counts from when there is no previous checkpoint. */
  readonly base: string | null;
  /** Folder names that are carried, hence never captured where ignored. */
  readonly carry: readonly string[];
  readonly captureIgnored: boolean;
  readonly limits: CaptureLimits;
}

export interface RestoreRequest {
  readonly project: Project;
  readonly checkpoint: string;
  /** Does not exist yet; it is there afterwards, complete and verified, or not at all. */
  readonly target: string;
  /** Where carried folders come from, first that has one: the parent's workspace, the project's checkout. */
  readonly carryFrom: readonly { readonly from: 'parent' | 'project'; readonly path: string }[];
  readonly carry: readonly string[];
}

export interface RestoredWorkspace {
  readonly files: number;
  readonly carried: readonly CarriedFolder[];
}
