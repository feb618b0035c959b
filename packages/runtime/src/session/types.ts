import type {
  Cost,
  EndReason,
  ErrorInfo,
  ForkOrigin,
  LoggedEvent,
  OutstandingWrite,
  RecordedRule,
  RunId,
  Usage,
  UsageSum,
  WorkspaceKind,
} from '@ramet/core';
import type { ModelDelta } from '../model/types.ts';
import type { FileStore } from '../store/index.ts';

/** Where a rule comes from: a file, a flag of this very command, or a flag of an earlier one that still holds. */
export type RuleSource = NonNullable<RecordedRule['from']>;

/** A permission rule: `deny` beats `ask` beats `allow`, over all sources. */
export interface PermissionRule {
  /** A tool's name, `*`, or `mcp__<server>__*`. */
  readonly tool: string;
  /** A glob the call's subject (command, path) must match; absent: any. */
  readonly match?: string;
  readonly do: 'allow' | 'ask' | 'deny';
  /** Absent in what a caller gives: a flag of its command. */
  readonly from?: RuleSource;
}

/** What a person is asked about one call. */
export interface ApprovalQuestion {
  readonly callId: string;
  readonly tool: string;
  readonly input: unknown;
  /** Why it is asked, in one sentence. */
  readonly reason: string;
  /** Writes of the same tool that already reached the outside and are not undone by the fork. */
  readonly outstanding: readonly OutstandingWrite[];
  /** One of `outstanding` is this very call. */
  readonly matches: boolean;
}

/** `reuse`: answer with the old receipt instead of sending again; only where `matches`. */
export interface ApprovalReply {
  readonly answer: 'allow' | 'deny' | 'reuse';
  readonly scope: 'once' | 'session';
  /** `flag`: beforehand, by a flag of the command. */
  readonly by: 'person' | 'flag' | 'nobody';
}

export interface TurnLimits {
  readonly maxRequests?: number;
  /** Of the session's own usage, input and output together. */
  readonly maxTokens?: number;
  /** Of the session's own usage, in the price list's currency. */
  readonly maxCost?: number;
  readonly maxTimeMs?: number;
}

/** What happens, as it happens; for eyes only, the log is the truth. */
export interface TurnObserver {
  /** The session there is from here on, new or old; before its first `event`. */
  session?(id: RunId): void;
  event?(event: LoggedEvent): void;
  delta?(delta: ModelDelta): void;
  toolOutput?(text: string): void;
  /** A line of progress or a warning that is in no event. */
  notice?(text: string): void;
}

/** What the engine is given; nothing in it is patched or looked up elsewhere. */
export interface SessionServices {
  readonly store: FileStore;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Cryptographically random bytes. */
  readonly randomBytes: (count: number) => Uint8Array;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Waits; rejects when aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface TurnSettings {
  /** `--model`; absent: the session's last, else RAMET_MODEL, else ramet.json. */
  readonly model?: string;
  readonly baseUrl?: string;
  /** `none` was asked for by name; `auto` refuses where no sandbox can be had. */
  readonly sandbox: 'auto' | 'none';
  readonly allowNet: readonly string[];
  /** Of the command line; those of the configuration files are read by the engine. */
  readonly rules: readonly PermissionRule[];
  /** `deny` and `ask` rules that earlier commands gave no longer hold. */
  readonly forgetRules?: boolean;
  /** The person confirmed the project's ramet.json with this very command. */
  readonly trustProject: boolean;
  readonly limits: TurnLimits;
  /**
   * Absent: nobody is there. Its question is in the log, durable, before it is called; it waits as long as it takes, and
   * rejects when the signal is aborted.
   */
  readonly ask?: (question: ApprovalQuestion, signal: AbortSignal) => Promise<ApprovalReply>;
  /** What to do when nobody is there to answer. */
  readonly onAsk: 'deny' | 'park' | 'fail';
  readonly observer: TurnObserver;
  /**
   * The first Ctrl-C: the turn ends as interrupted. With the reason `SUSPEND` it stays open instead, a question that is
   * asked too, and a request without a prompt goes on with it.
   */
  readonly signal: AbortSignal;
}

export interface NewSession {
  /** The folder the person stands in. */
  readonly cwd: string;
  /** Absent: `git` inside a repository, else refused. */
  readonly workspace?: Exclude<WorkspaceKind, 'overlay'>;
  readonly allowDirty: boolean;
  readonly title?: string;
  /** One key makes one session and its first turn; with another message, place, title or other settings it is refused. */
  readonly idempotencyKey?: string;
}

/** A turn: of a new session or an old one. Without a prompt the open turn is continued. */
export interface TurnRequest {
  readonly session:
    | { readonly kind: 'new'; readonly options: NewSession }
    | { readonly kind: 'open'; readonly id: RunId };
  readonly prompt: string | null;
  /** Of the message to a session there is: one key begins one turn; with another message or other settings it is refused. */
  readonly idempotencyKey?: string;
  /** The folder the person stands in: a relative script path starts here. */
  readonly cwd: string;
  readonly attachments: readonly { readonly mediaType: string; readonly filename: string; readonly data: Uint8Array }[];
  readonly settings: TurnSettings;
}

export interface DeniedCall {
  readonly callId: string;
  readonly tool: string;
  /** What it would have acted on: the command, the path; empty when its input cannot be read. */
  readonly subject: string;
  readonly reason: string;
}

/** The turn that an earlier request with the same key began; nothing was sent again. */
export interface RepeatedTurn {
  readonly kind: 'repeated';
  readonly session: RunId;
  readonly turn: number;
  /** Offset of its message. */
  readonly message: number;
  /** Absent while it is open: somebody is at it, or a request without a prompt goes on with it. */
  readonly end?: { readonly offset: number; readonly reason: EndReason };
}

/**
 * How a turn ended. `kind: 'parked'`: it waits for a person, and no `session.end` was written. `suspended`: nor was one
 * here, and nobody is waited for.
 */
export type TurnResult =
  | {
      readonly kind: 'ended';
      readonly session: RunId;
      readonly turn: number;
      readonly end: { readonly offset: number; readonly reason: EndReason };
      readonly text: string;
      readonly usage: UsageSum;
      readonly denied: readonly DeniedCall[];
      readonly error?: ErrorInfo;
      /** Counts and names of what changed, and what the checkpoint holds; absent without one. */
      readonly checkpoint?: LoggedEvent;
    }
  | {
      readonly kind: 'parked';
      readonly session: RunId;
      readonly turn: number;
      readonly reason: 'approval_pending' | 'outcome_unknown';
      readonly offset: number;
      readonly message: string;
      /** Flags without which the call would be another one: its sandbox, its network. */
      readonly flags: readonly string[];
    }
  | { readonly kind: 'suspended'; readonly session: RunId; readonly turn: number }
  | RepeatedTurn;

export type { Cost, ForkOrigin, Usage };
