/** What the runtime's graph engine is asked for, and what it answers. */
import type {
  Digest,
  ErrorInfo,
  GraphDocument,
  LoggedEvent,
  NodePath,
  RunForkRequest,
  RunId,
  UsageSum,
  WorkspaceKind,
} from '@ramet/core';
import type { ApprovalQuestion, ApprovalReply, PermissionRule, SessionServices } from '../session/index.ts';
import type { Tool } from '../tools/index.ts';
import type { DrivenRun } from './driven-run.ts';

/** As a session's services, and the functions a library user registered as tools: one that throws fails its node. */
export interface RunServices extends SessionServices {
  readonly functions?: readonly Tool[];
}

/** What holds for as long as a command drives a run. */
export interface RunSettings {
  /** For agent nodes and model branches that name none. */
  readonly model?: string;
  readonly baseUrl?: string;
  readonly sandbox: 'auto' | 'none';
  readonly allowNet: readonly string[];
  readonly rules: readonly PermissionRule[];
  readonly trustProject: boolean;
  readonly limits: RunLimits;
  readonly ask?: (
    question: ApprovalQuestion & { readonly node: NodePath },
    signal: AbortSignal,
  ) => Promise<ApprovalReply>;
  readonly onAsk: 'deny' | 'park' | 'fail';
  /** Called when the run begins to be driven, with what can be said to it until that ends. */
  readonly onDriving?: (run: DrivenRun) => void;
  readonly observer: RunObserver;
  /** Aborted: what is at work is interrupted. With the reason `SUSPEND` nobody did, and questions stay open. */
  readonly signal: AbortSignal;
}

/** The tighter of these and the document's holds. */
export interface RunLimits {
  readonly maxSteps?: number;
  readonly maxTokens?: number;
  readonly maxCost?: number;
  readonly maxTimeMs?: number;
}

export interface RunObserver {
  run?(id: RunId): void;
  event?(event: LoggedEvent): void;
  notice?(text: string): void;
}

export interface NewRun {
  readonly document: GraphDocument;
  readonly input: unknown;
  /** The folder the person stands in. */
  readonly cwd: string;
  /** Absent: `git` inside a repository when a node uses files, else `none`. */
  readonly workspace?: Exclude<WorkspaceKind, 'overlay'>;
  readonly allowDirty: boolean;
  readonly title?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** One key makes one run; with another document, input, place, title, other labels or settings it is refused. */
  readonly idempotencyKey?: string;
}

/** A run that is there, and is driven by `resumeRun`. */
export interface MadeRun {
  readonly run: RunId;
  /** An earlier request with the same key made it. */
  readonly repeated: boolean;
}

/** What a parked run waits for. */
export interface ParkedFor {
  readonly gates: readonly {
    readonly node: NodePath;
    readonly offset: number;
    readonly question: string;
    readonly answerSchema: Readonly<Record<string, unknown>>;
  }[];
  /** Calls whose outcome nobody knows (`outcome_unknown`), or which a person must allow (`approval_pending`). */
  readonly calls: readonly {
    readonly node: NodePath;
    readonly offset: number;
    readonly reason: 'outcome_unknown' | 'approval_pending';
    readonly message: string;
  }[];
}

/** How driving a run ended. `interrupted`: it was told to stop, or was suspended, and is gone on with by `resumeRun`. */
export interface RunResult {
  readonly run: RunId;
  readonly status: 'completed' | 'parked' | 'failed' | 'abandoned' | 'interrupted';
  readonly output?: unknown;
  readonly error?: ErrorInfo;
  readonly parked?: ParkedFor;
  /** The run's own. */
  readonly usage: UsageSum;
}

export interface RunForkOptions extends Omit<RunForkRequest, 'graph'> {
  /** Another document for the child. */
  readonly document?: GraphDocument;
  readonly idempotencyKey?: string;
  /** How the child is to be driven, where the same request says it (`digestSettings`): a part of what its key stands for. */
  readonly drive?: Digest;
  readonly dryRun?: boolean;
}
