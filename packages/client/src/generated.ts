// Generated from the OpenAPI document by `npm run client`. Do not edit.
/** The types of the HTTP API, and its operations. */

export type AnsweredGate = {
  /** The id of a session or a graph run. */
  readonly run: string;
  readonly node: string;
  readonly gate: number;
  readonly started: boolean;
};

export type Applied = {
  /** The id of a session or a graph run. */
  readonly id: string;
  readonly ref: string;
  readonly commit: string;
  readonly branch: string | null;
  readonly uncaptured?: Uncaptured;
  readonly [more: string]: unknown;
};

export type ApplyRequest = {
  readonly branch?: string;
  readonly toCheckout?: boolean;
  /** Whose repository, or files, get it. */
  readonly checkout?: string;
};

export type Ask = {
  readonly callId: string;
  readonly node?: string;
  readonly tool: string;
  readonly input?: unknown;
  readonly reason: string;
  readonly outstanding: readonly (OutstandingWrite)[];
  /** One of `outstanding` is this very call: it can be answered `reuse`. */
  readonly matches: boolean;
};

export type AskAnswer = {
  readonly answer: "allow" | "deny" | "reuse";
  readonly scope?: "once" | "session";
  /** Of a graph run, where one call id is asked by several nodes. */
  readonly node?: string;
};

export type Attachment = {
  readonly mediaType: string;
  readonly filename: string;
  readonly data: string;
};

export type Bytes = {
  /** What removing the run would free. */
  readonly own: number;
  /** What others hold too. */
  readonly shared: number;
};

export type Capabilities = {
  readonly version: string;
  readonly stateFolder: string;
  readonly platform: string;
  readonly sandbox: {
    readonly available: boolean;
    readonly reason?: string;
  };
  readonly microVms: {
    readonly available: boolean;
    readonly reason?: string;
  };
  readonly models: {
    readonly default: string | null;
    readonly providers: readonly ({
      readonly name: string;
      readonly hasKey: boolean;
    })[];
  };
  readonly projects: readonly ({
    readonly id: string;
    readonly path: string;
  })[];
  readonly checks: readonly ({
    readonly name: string;
    readonly level: string;
    readonly message: string;
    readonly remedy?: string;
  })[];
};

export type ChangedFile = {
  readonly status: string;
  /** Its path, as text. */
  readonly shown: string;
  readonly oldShown: string | null;
  /** Its path, a character for each byte. */
  readonly path: string;
  readonly oldPath: string | null;
  readonly utf8: boolean;
  readonly additions: number | null;
  readonly deletions: number | null;
  readonly binary: boolean;
  /** As git writes it, within limits. */
  readonly patch?: string;
  /** There is more of the patch. */
  readonly truncated?: boolean;
  readonly [more: string]: unknown;
};

export type CheckResult = {
  /** The id of a session or a graph run. */
  readonly id: string;
  readonly offset: number;
  readonly checkpoint: string;
  readonly command: string;
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly interrupted: boolean;
  readonly durationMs: number;
  readonly stdout: {
    readonly text: string;
    /** Bytes in its middle that were dropped. */
    readonly dropped: number;
  };
  readonly stderr: {
    readonly text: string;
    /** Bytes in its middle that were dropped. */
    readonly dropped: number;
  };
};

export type Comparison = {
  /** What the left one is to the right one. */
  readonly relation: "same" | "parent" | "child" | "siblings" | "relatives" | "none";
  /** The last event that both logs hold; null when they share none. */
  readonly common: {
    readonly offset: number;
    /** SHA-256, 64 hexadecimal digits. */
    readonly digest: string;
  } | null;
  readonly left: {
    /** The id of a session or a graph run. */
    readonly id: string;
    readonly title: string;
    readonly model?: string;
    readonly turns: {
      readonly begun: number;
      readonly ended: number;
    };
    /** Results of calls, by outcome. */
    readonly calls: Readonly<Record<string, number>>;
    /** From each message to the end of its turn. */
    readonly durationMs: number;
    readonly own: {
      readonly usage: Usage;
    };
    /** RFC 3339, milliseconds, UTC. */
    readonly firstTime: string | null;
    /** RFC 3339, milliseconds, UTC. */
    readonly lastTime: string | null;
    readonly damaged: boolean;
  };
  readonly right: {
    /** The id of a session or a graph run. */
    readonly id: string;
    readonly title: string;
    readonly model?: string;
    readonly turns: {
      readonly begun: number;
      readonly ended: number;
    };
    /** Results of calls, by outcome. */
    readonly calls: Readonly<Record<string, number>>;
    /** From each message to the end of its turn. */
    readonly durationMs: number;
    readonly own: {
      readonly usage: Usage;
    };
    /** RFC 3339, milliseconds, UTC. */
    readonly firstTime: string | null;
    /** RFC 3339, milliseconds, UTC. */
    readonly lastTime: string | null;
    readonly damaged: boolean;
  };
  readonly diff: Diff | null;
  /** Why there is no diff. */
  readonly reason?: string;
};

export type ConversationFork = {
  /** The id of a session or a graph run. */
  readonly session: string | null;
  readonly dryRun?: true;
  readonly workspace: {
    readonly kind: string;
    readonly restorable: boolean;
    readonly checkpoint?: string;
    readonly reason?: string;
    readonly leftOut: readonly (unknown)[];
  };
  readonly outstanding: readonly (OutstandingWrite)[];
  readonly bytes: Bytes;
  readonly forkedFrom: Origin & {
    readonly fromNode: string;
    readonly visit: number;
    readonly attempt: number;
    readonly from: number;
    readonly through: number;
  };
  readonly turns: number;
};

export type ConversationForkRequest = {
  /** The id or path of an agent node. */
  readonly node?: string;
  readonly visit?: number;
  readonly item?: number;
  /** Offset of a `node.enter`, in place of `node`. */
  readonly at?: number;
  readonly title?: string;
  readonly dryRun?: boolean;
};

export type Damage = {
  readonly segment: string;
  readonly line: number;
  readonly byte: number;
  readonly offset: number;
  readonly expected: string;
  readonly found: string;
} | {
  readonly reason: string;
};

export type Diff = {
  /** The id of a session or a graph run. */
  readonly id: string;
  readonly from: Readonly<Record<string, unknown>> | null;
  readonly to: string;
  readonly files: readonly (ChangedFile)[];
  readonly hidden: {
    readonly ignored: number;
    readonly nested: number;
  };
  readonly leftOut: readonly ({
    readonly path: string;
    readonly [more: string]: unknown;
  })[];
  readonly uncaptured?: readonly (Uncaptured)[];
};

export type ErrorInfo = {
  readonly code: string;
  readonly message: string;
};

export type EventPage = {
  /** The id of a session or a graph run. */
  readonly id: string;
  readonly events: readonly ({
    readonly seq: number;
    readonly prev: string;
    /** RFC 3339, milliseconds, UTC. */
    readonly time: string;
    readonly type: string;
    readonly [more: string]: unknown;
  })[];
  /** Where the next page begins; null at the end of the log. */
  readonly next: number | null;
  readonly total: number;
  readonly damage?: Damage;
};

export type File = {
  readonly checkpoint: string;
  readonly offset: number;
  readonly path: string;
  readonly kind: "file" | "link";
  readonly size: number;
  /** Null when it is no text or too large; `raw` has its bytes. */
  readonly text: string | null;
  readonly truncated: boolean;
};

export type Folder = {
  readonly checkpoint: string;
  /** Of the boundary whose checkpoint it is. */
  readonly offset: number;
  readonly path: string;
  readonly entries: readonly (FolderEntry)[];
  readonly count: number;
  readonly truncated: boolean;
};

export type FolderEntry = {
  readonly name: string;
  /** Whether the name is text as it is; else it cannot be asked for. */
  readonly utf8: boolean;
  readonly kind: "file" | "link" | "folder";
  /** Permission bits. */
  readonly mode: number;
  /** Null of a folder. */
  readonly size: number | null;
  /** Of a link; it is never followed. */
  readonly target?: string;
};

export type GateAnswer = Settings & {
  /** Absent: the only open one. */
  readonly gate?: string | number;
  readonly answer?: unknown;
  /** Whether to go on with the run. Default: yes. */
  readonly start?: boolean;
};

export type GraphDocument = Readonly<Record<string, unknown>>;

export type GraphProblem = {
  readonly at?: string;
  readonly message: string;
  readonly [more: string]: unknown;
};

export type GraphValidation = {
  readonly ok: boolean;
  /** SHA-256, 64 hexadecimal digits. */
  readonly graph?: string;
  readonly code?: string;
  readonly message?: string;
  readonly problems: readonly (GraphProblem)[];
};

export type Inbox = {
  readonly items: readonly (InboxItem)[];
};

export type InboxItem = {
  readonly waits: "approval";
  /** The id of a session or a graph run. */
  readonly id: string;
  readonly kind: "session" | "run";
  readonly title: string;
  /** RFC 3339, milliseconds, UTC. */
  readonly since: string;
  readonly ask: Ask;
} | {
  readonly waits: "gate";
  /** The id of a session or a graph run. */
  readonly id: string;
  readonly kind: "session" | "run";
  readonly title: string;
  /** RFC 3339, milliseconds, UTC. */
  readonly since: string;
  readonly node: string;
  readonly offset: number;
  readonly question: string;
  readonly answerSchema: Readonly<Record<string, unknown>>;
} | {
  readonly waits: "outcome";
  /** The id of a session or a graph run. */
  readonly id: string;
  readonly kind: "session" | "run";
  readonly title: string;
  /** RFC 3339, milliseconds, UTC. */
  readonly since: string;
  readonly offset: number;
  readonly tool: string;
  readonly node?: string;
} | {
  readonly waits: "resume";
  /** The id of a session or a graph run. */
  readonly id: string;
  readonly kind: "session" | "run";
  readonly title: string;
  /** RFC 3339, milliseconds, UTC. */
  readonly since: string;
  readonly reason: string;
};

export type KeptGraph = {
  /** SHA-256, 64 hexadecimal digits. */
  readonly graph: string;
};

export type Limits = {
  readonly maxRequests?: number;
  readonly maxSteps?: number;
  readonly maxTokens?: number;
  readonly maxCost?: number;
  readonly maxTimeMs?: number;
};

export type Live = {
  readonly owner: "daemon" | "other" | "none";
  readonly startedAt?: string;
  readonly asks: readonly (Ask)[];
  /** Why the last thing this daemon tried with it did not begin. */
  readonly error?: {
    readonly code: string;
    readonly message: string;
  };
};

export type NewMessage = Settings & {
  readonly prompt: string;
  readonly attachments?: readonly (Attachment)[];
};

export type NewRun = Settings & {
  /** The hash of a document that was submitted, or a document. */
  readonly graph: string | Readonly<Record<string, unknown>>;
  readonly input?: unknown;
  readonly cwd: string;
  readonly title?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly workspace?: "git" | "directory" | "none";
  readonly allowDirty?: boolean;
};

export type NewSession = Settings & {
  /** The folder to work for: a git repository, or any folder with `workspace`. */
  readonly cwd: string;
  readonly prompt: string;
  readonly title?: string;
  readonly workspace?: "git" | "directory" | "none";
  readonly allowDirty?: boolean;
  readonly attachments?: readonly (Attachment)[];
};

export type Origin = {
  /** The id of a session or a graph run. */
  readonly id: string;
  readonly offset: number;
  /** SHA-256, 64 hexadecimal digits. */
  readonly digest: string;
  /** The node of a graph run that it goes on from. */
  readonly fromNode?: string;
  /** The parent is not in the store any more. */
  readonly removed?: true;
};

export type OutstandingWrite = {
  readonly offset: number;
  readonly tool: string;
  readonly input?: unknown;
  readonly key: string;
  /** RFC 3339, milliseconds, UTC. */
  readonly time: string;
  readonly outcome: string;
  readonly [more: string]: unknown;
};

export type Owner = {
  readonly pid?: number;
  readonly host?: string;
  readonly start?: string;
  /** This daemon owns it. */
  readonly self: boolean;
};

export type Problem = {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: "bad_usage" | "malformed_id" | "unknown_run" | "ambiguous_id" | "no_model" | "no_key" | "unknown_model" | "bad_script" | "bad_config" | "nothing_to_continue" | "no_open_turn" | "nothing_to_do" | "bad_graph" | "bad_input" | "unknown_gate" | "ambiguous_gate" | "log_damaged" | "log_newer" | "disk_failed" | "event_too_large" | "state_unusable" | "git_failed" | "git_missing" | "checkpoint_failed" | "checkpoint_missing" | "restore_failed" | "workspace_failed" | "process_failed" | "model_failed" | "script_exhausted" | "script_changed" | "turn_failed" | "expression_failed" | "node_failed" | "output_invalid" | "replay_diverged" | "internal_error" | "not_a_boundary" | "no_completed_turn" | "turn_open" | "not_a_session" | "not_a_graph_run" | "node_unknown" | "node_never_entered" | "node_skipped" | "node_visit_ambiguous" | "origin_needs_reconciliation" | "write_replay_hazard" | "not_a_hazard" | "graph_changed" | "change_refused" | "gate_answered" | "run_ended" | "child_removed" | "key_reused" | "no_sandbox" | "no_workspace" | "unsupported_repository" | "workspace_too_large" | "workspace_changed" | "directory_in_use" | "branch_exists" | "apply_conflict" | "no_checkpoint" | "would_lose_work" | "not_confirmed" | "network_file_system" | "approval_denied" | "limit_reached" | "owned_elsewhere" | "verification_failed" | "outcome_unknown" | "approval_pending" | "gate_pending" | "interrupted" | "unauthorized" | "forbidden" | "not_found" | "method_not_allowed" | "request_timeout" | "too_large" | "unsupported_media_type" | "too_many_requests" | "headers_too_large";
  readonly [more: string]: unknown;
};

export type RemovalPlan = {
  readonly runs: readonly ({
    /** The id of a session or a graph run. */
    readonly id: string;
    readonly title: string;
    readonly bytes: Bytes;
    readonly unsaved: readonly ({
      readonly kind: string;
      readonly message: string;
      readonly [more: string]: unknown;
    })[];
    readonly children: readonly (string)[];
    readonly [more: string]: unknown;
  })[];
  readonly bytes: Bytes;
  readonly dryRun?: true;
  /** Empty in a plan. */
  readonly removed: readonly (string)[];
};

export type Removed = RemovalPlan & {
  /** Refs that stay, each with the reason. */
  readonly stuck?: readonly (string)[];
};

export type Resolution = {
  readonly offset: number;
  readonly resolution: "happened" | "did_not_happen" | "retry";
  /** What the call answered; only with `happened`. */
  readonly result?: unknown;
};

export type Rule = {
  /** A tool, `*`, or `mcp__<server>__*`. */
  readonly tool: string;
  /** A glob that the command or path must match. */
  readonly match?: string;
  readonly do: "allow" | "ask" | "deny";
};

export type Run = {
  /** The id of a session or a graph run. */
  readonly id: string;
  readonly title: string;
  readonly titleFrom: "own" | "inherited" | "none";
  readonly state: "running" | "idle" | "parked" | "interrupted" | "completed" | "failed" | "abandoned" | "damaged";
  readonly graph: {
    /** SHA-256, 64 hexadecimal digits. */
    readonly hash: string;
    readonly name?: string;
  };
  readonly errorCode?: string;
  readonly steps: {
    readonly own: number;
    readonly all: number;
  };
  readonly nodes: {
    readonly entered: number;
    readonly done: number;
  };
  readonly project: string | null;
  readonly workspace: WorkspaceKind;
  /** RFC 3339, milliseconds, UTC. */
  readonly createdAt: string;
  /** RFC 3339, milliseconds, UTC. */
  readonly lastTime: string;
  readonly events: number;
  readonly own: {
    readonly usage: Usage;
  };
  readonly inherited: {
    readonly usage: Usage;
  };
  readonly bytes: Bytes;
  readonly gates: readonly ({
    readonly node: string;
    readonly offset: number;
    readonly question: string;
    readonly answerSchema: Readonly<Record<string, unknown>>;
  })[];
  readonly calls: readonly ({
    readonly node: string;
    readonly offset: number;
    readonly tool: string;
    readonly reason: "outcome_unknown" | "approval_pending";
  })[];
  readonly flags: readonly (string)[];
  readonly owner?: Owner;
  readonly damage?: Damage;
  readonly openGates: number;
  readonly forkedFrom?: Origin & {
    readonly fromNode: string;
  };
};

export type RunDetail = {
  /** The id of a session or a graph run. */
  readonly id: string;
  readonly title: string;
  readonly titleFrom: "own" | "inherited" | "none";
  readonly state: "running" | "idle" | "parked" | "interrupted" | "completed" | "failed" | "abandoned" | "damaged";
  readonly graph: {
    /** SHA-256, 64 hexadecimal digits. */
    readonly hash: string;
    readonly name?: string;
  };
  readonly errorCode?: string;
  readonly steps: {
    readonly own: number;
    readonly all: number;
  };
  readonly nodes: {
    readonly entered: number;
    readonly done: number;
  };
  readonly project: string | null;
  readonly workspace: WorkspaceKind;
  /** RFC 3339, milliseconds, UTC. */
  readonly createdAt: string;
  /** RFC 3339, milliseconds, UTC. */
  readonly lastTime: string;
  readonly events: number;
  readonly own: {
    readonly usage: Usage;
  };
  readonly inherited: {
    readonly usage: Usage;
  };
  readonly bytes: Bytes;
  readonly gates: readonly ({
    readonly node: string;
    readonly offset: number;
    readonly question: string;
    readonly answerSchema: Readonly<Record<string, unknown>>;
  })[];
  readonly calls: readonly ({
    readonly node: string;
    readonly offset: number;
    readonly tool: string;
    readonly reason: "outcome_unknown" | "approval_pending";
  })[];
  readonly flags: readonly (string)[];
  readonly owner?: Owner;
  readonly damage?: Damage;
  readonly forkedFrom?: RunOrigin;
  /** SHA-256, 64 hexadecimal digits. */
  readonly digest: string;
  readonly cwd: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly error?: ErrorInfo;
  readonly path?: string;
  readonly walk: readonly (RunNode)[];
  readonly forks: readonly ({
    /** The id of a session or a graph run. */
    readonly id: string;
    readonly kind: "session" | "run";
    readonly offset: number;
    readonly title: string;
  })[];
  readonly live: Live;
};

export type RunFork = {
  /** The id of a session or a graph run. */
  readonly run: string | null;
  readonly dryRun?: true;
  readonly wouldProceed?: boolean;
  readonly status?: string;
  readonly forkedFrom: RunOrigin;
  readonly boundary?: {
    readonly offset: number;
    readonly node: string;
    readonly attempt: number;
  };
  readonly prefix?: {
    readonly events: number;
    readonly bytes: number;
  };
  readonly writes?: readonly (WriteHazard)[];
  readonly exempt?: readonly ({
    readonly offset: number;
    readonly node: string;
    readonly tool: string;
    readonly [more: string]: unknown;
  })[];
  readonly idempotent?: readonly ({
    readonly offset: number;
    readonly node: string;
    readonly tool: string;
    readonly [more: string]: unknown;
  })[];
  readonly workspaces?: readonly ({
    readonly workspace: string;
    readonly kind: WorkspaceKind;
    readonly checkpoint: string | null;
    readonly leftOut: readonly (string)[];
  })[];
  readonly bytes: Bytes;
  readonly missingPayloads?: readonly (string)[];
  readonly repeated?: boolean;
};

export type RunForkRequest = Settings & {
  readonly fromNode?: string;
  readonly visit?: number;
  readonly item?: number;
  readonly at?: number;
  readonly acknowledgeWrites?: readonly (number)[] | "all";
  readonly dryRun?: boolean;
  readonly input?: unknown;
  readonly outputs?: Readonly<Record<string, unknown>>;
  readonly graph?: string | Readonly<Record<string, unknown>>;
  readonly title?: string;
  /** Whether to go on with the child. Default: yes. */
  readonly start?: boolean;
};

export type RunNode = {
  /** Its path: items of maps and passes of folds included. */
  readonly node: string;
  readonly id: string;
  readonly kind: string | null;
  readonly state: "entered" | "waiting" | "delayed" | "ok" | "failed" | "interrupted" | "skipped";
  readonly visits: readonly ({
    readonly offset: number;
    /** RFC 3339, milliseconds, UTC. */
    readonly time: string;
    readonly inherited: boolean;
  })[];
  readonly input?: unknown;
  readonly output?: unknown;
  readonly error?: ErrorInfo;
  readonly calls: readonly ({
    readonly offset: number;
    readonly tool: string;
    readonly effect: string;
    readonly contained: boolean | string;
    readonly outcome: string;
    readonly inherited: boolean;
  })[];
  readonly [more: string]: unknown;
};

export type RunOrigin = Origin & {
  readonly fromNode: string;
  readonly visit: number;
  /** SHA-256, 64 hexadecimal digits. */
  readonly graphHash: string;
  /** SHA-256, 64 hexadecimal digits. */
  readonly sourceEvent0Digest: string;
  readonly acknowledgedWrites: readonly (number)[];
  readonly changes?: Readonly<Record<string, unknown>>;
  /** When the child was made. */
  readonly time: string;
};

export type Session = {
  /** The id of a session or a graph run. */
  readonly id: string;
  readonly title: string;
  readonly titleFrom: "own" | "inherited" | "prompt" | "none";
  readonly state: "running" | "idle" | "interrupted" | "damaged";
  readonly forkedFrom?: Origin;
  readonly project: string | null;
  readonly model?: string;
  /** RFC 3339, milliseconds, UTC. */
  readonly createdAt: string;
  /** RFC 3339, milliseconds, UTC. */
  readonly lastTime: string;
  readonly events: number;
  readonly lastEnd?: {
    readonly offset: number;
    readonly reason: string;
    readonly checkpoint: string | null;
  };
  readonly own: {
    readonly usage: Usage;
  };
  readonly inherited: {
    readonly usage: Usage;
  };
  readonly bytes: Bytes;
  readonly owner?: Owner;
  readonly damage?: Damage;
  readonly turns: number;
  readonly ownTurns: number;
  readonly workspace: WorkspaceKind | null;
};

export type SessionDetail = {
  /** The id of a session or a graph run. */
  readonly id: string;
  readonly title: string;
  readonly titleFrom: "own" | "inherited" | "prompt" | "none";
  readonly state: "running" | "idle" | "interrupted" | "damaged";
  readonly forkedFrom?: Origin;
  readonly project: string | null;
  readonly model?: string;
  /** RFC 3339, milliseconds, UTC. */
  readonly createdAt: string;
  /** RFC 3339, milliseconds, UTC. */
  readonly lastTime: string;
  readonly events: number;
  readonly lastEnd?: {
    readonly offset: number;
    readonly reason: string;
    readonly checkpoint: string | null;
  };
  readonly own: {
    readonly usage: Usage;
  };
  readonly inherited: {
    readonly usage: Usage;
  };
  readonly bytes: Bytes;
  readonly owner?: Owner;
  readonly damage?: Damage;
  /** SHA-256, 64 hexadecimal digits. */
  readonly digest: string;
  readonly cwd: string;
  readonly outstanding: number;
  readonly rules: readonly ({
    readonly tool: string;
    readonly do: string;
    readonly [more: string]: unknown;
  })[];
  readonly workspace: {
    readonly kind: WorkspaceKind;
    readonly path?: string;
    readonly base: string | null;
    readonly branch: string | null;
    readonly [more: string]: unknown;
  };
  readonly turns: readonly (Turn)[];
  readonly forks: readonly ({
    /** The id of a session or a graph run. */
    readonly id: string;
    readonly kind: "session" | "run";
    readonly offset: number;
    readonly title: string;
  })[];
  readonly live: Live;
};

export type SessionFork = {
  /** The id of a session or a graph run. */
  readonly session: string | null;
  readonly dryRun?: true;
  readonly workspace: {
    readonly kind: string;
    readonly restorable: boolean;
    readonly checkpoint?: string;
    readonly reason?: string;
    readonly leftOut: readonly (unknown)[];
  };
  readonly outstanding: readonly (OutstandingWrite)[];
  readonly bytes: Bytes;
  readonly forkedFrom: Origin;
};

export type SessionForkRequest = {
  /** Offset of a `session.end`; absent: the latest. */
  readonly at?: number;
  readonly title?: string;
  readonly dryRun?: boolean;
};

export type Settings = {
  /** Absent: the last one, else RAMET_MODEL, else ramet.json. */
  readonly model?: string;
  readonly baseUrl?: string;
  readonly sandbox?: "auto" | "none";
  readonly allowNet?: readonly (string)[];
  readonly rules?: readonly (Rule)[];
  readonly forgetRules?: boolean;
  readonly trustProject?: boolean;
  readonly limits?: Limits;
  /** What to do with a call that a person must allow. Default: wait for an answer. */
  readonly onAsk?: "wait" | "deny" | "park" | "fail";
};

export type StartedRun = {
  /** The id of a session or a graph run. */
  readonly run: string;
  readonly status: string;
};

export type StartedTurn = {
  /** The id of a session or a graph run. */
  readonly session: string;
  readonly turn: number;
};

export type StoreUsage = {
  readonly total: Usage;
  readonly sessions: readonly ({
    /** The id of a session or a graph run. */
    readonly id: string;
    readonly title: string;
    readonly own: Usage;
    readonly inherited: Usage;
  })[];
  readonly runs: readonly ({
    /** The id of a session or a graph run. */
    readonly id: string;
    readonly title: string;
    readonly own: Usage;
    readonly inherited: Usage;
  })[];
  readonly removed: readonly ({
    /** The id of a session or a graph run. */
    readonly id: string;
    readonly usage: Usage;
  })[];
  readonly incomplete: readonly (string)[];
};

export type Turn = {
  readonly turn: number;
  readonly inherited: boolean;
  readonly start: {
    readonly offset: number;
    /** RFC 3339, milliseconds, UTC. */
    readonly time: string;
  };
  /** Null while the turn is open. Its offset is what a fork takes. */
  readonly end: {
    readonly offset: number;
    readonly reason: string;
    /** RFC 3339, milliseconds, UTC. */
    readonly time: string;
    readonly why?: string;
    readonly error?: ErrorInfo;
  } | null;
  readonly checkpoint: {
    readonly id?: string;
    readonly [more: string]: unknown;
  } | null;
};

export type Uncaptured = {
  readonly workspace: string;
  readonly offset: number;
  readonly message: string;
};

export type Usage = {
  readonly replies: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly reasoningTokens: number;
  /** Replies whose tokens are not known. */
  readonly unknownUsage: number;
  /** Replies whose price is not known. */
  readonly unknownCost: number;
  /** Known costs, by currency. */
  readonly cost?: Readonly<Record<string, number>>;
};

export type Verification = {
  /** The id of a session or a graph run. */
  readonly id: string;
  readonly ok: boolean;
  readonly problems: readonly ({
    readonly kind: string;
    readonly message: string;
    readonly [more: string]: unknown;
  })[];
  readonly events: number;
  readonly digest: string;
  readonly [more: string]: unknown;
};

export type WorkspaceKind = "git" | "directory" | "none" | "overlay";

export type WriteHazard = OutstandingWrite & {
  readonly node: string;
  readonly effect: string;
  readonly relation: "descends" | "concurrent";
  readonly straddles: boolean;
  readonly [more: string]: unknown;
};

/** What each operation takes and answers. */
export interface Operations {
  /** Ends a run for good; it stays to be looked at and forked. */
  readonly abandonRun: { readonly request: {
    readonly path: {
      /** The id of a session or a graph run; a unique short form is accepted. */
      readonly id: string;
    };
    readonly body: {
      readonly reason?: string;
    };
  }; readonly answer: {
    /** The id of a session or a graph run. */
    readonly run: string;
    readonly status: string;
    readonly reason?: string;
  } };
  /** Answers a call that waits for a person. */
  readonly answerApproval: { readonly request: {
    readonly path: {
      /** The id of a session or a graph run; a unique short form is accepted. */
      readonly id: string;
      readonly callId: string;
    };
    readonly body: AskAnswer;
  }; readonly answer: {
    /** The id of a session or a graph run. */
    readonly id: string;
    readonly callId: string;
  } };
  /** Answers a gate. The same answer again changes nothing, another one is refused. */
  readonly answerGate: { readonly request: {
    readonly path: {
      /** The id of a session or a graph run; a unique short form is accepted. */
      readonly id: string;
    };
    readonly body: GateAnswer;
  }; readonly answer: AnsweredGate };
  /** Brings its work into the person's repository. */
  readonly apply: { readonly request: {
    readonly path: {
      /** The id of a session or a graph run; a unique short form is accepted. */
      readonly id: string;
    };
    readonly body: ApplyRequest;
  }; readonly answer: Applied };
  /** Runs the project's `check` command in a checkpoint of it, restored beside it. */
  readonly check: { readonly request: {
    readonly path: {
      /** The id of a session or a graph run; a unique short form is accepted. */
      readonly id: string;
    };
    readonly body: {
      readonly at?: number;
      readonly trustProject?: boolean;
    };
  }; readonly answer: CheckResult };
  /** Two sessions side by side: where they part, what differs, cost and time. */
  readonly compare: { readonly request: {
    readonly path: {
      /** The id of a session or a graph run; a unique short form is accepted. */
      readonly id: string;
      /** The id of a session or a graph run; a unique short form is accepted. */
      readonly other: string;
    };
  }; readonly answer: Comparison };
  /** Goes on with an open turn nobody works on. */
  readonly continueTurn: { readonly request: {
    readonly path: {
      /** The id of a session or a graph run; a unique short form is accepted. */
      readonly id: string;
    };
    readonly body: Settings;
  }; readonly answer: StartedTurn };
  /** Starts a run of a document. */
  readonly createRun: { readonly request: {
    readonly key?: string;
    readonly body: NewRun;
  }; readonly answer: StartedRun };
  /** Lists graph runs, the one that was active last first. */
  readonly listRuns: { readonly request: {
    readonly query?: {
      readonly limit?: number;
      /** `nextCursor` of the page before. */
      readonly cursor?: string;
      readonly project?: string;
      readonly search?: string;
    };
  }; readonly answer: {
    readonly runs: readonly (Run)[];
    /** Absent on the last page. */
    readonly nextCursor?: string;
  } };
  /** Makes a session and begins its first turn. */
  readonly createSession: { readonly request: {
    readonly key?: string;
    readonly body: NewSession;
  }; readonly answer: StartedTurn };
  /** Lists sessions, the one that was active last first. */
  readonly listSessions: { readonly request: {
    readonly query?: {
      readonly limit?: number;
      /** `nextCursor` of the page before. */
      readonly cursor?: string;
      readonly project?: string;
      readonly search?: string;
    };
  }; readonly answer: {
    readonly sessions: readonly (Session)[];
    /** Absent on the last page. */
    readonly nextCursor?: string;
  } };
  /** The ids of sessions and runs that appear, change and vanish, as server-sent events. */
  readonly followChanges: { readonly request: {}; readonly answer: Response };
  /** The log as server-sent events whose ids are offsets, then what happens as it happens. */
  readonly followEvents: { readonly request: {
    readonly path: {
      /** The id of a session or a graph run; a unique short form is accepted. */
      readonly id: string;
    };
    readonly query?: {
      readonly from?: number;
    };
  }; readonly answer: Response };
  /** Makes a session of the conversation an agent of the run had; the run is not touched. */
  readonly forkConversation: { readonly request: {
    readonly path: {
      /** The id of a session or a graph run; a unique short form is accepted. */
      readonly id: string;
    };
    readonly key?: string;
    readonly body: ConversationForkRequest;
  }; readonly answer: ConversationFork };
  /** Forks a run at a node it entered; 409 `write_replay_hazard` names the writes that were not acknowledged. */
  readonly forkRun: { readonly request: {
    readonly path: {
      /** The id of a session or a graph run; a unique short form is accepted. */
      readonly id: string;
    };
    readonly key?: string;
    readonly body: RunForkRequest;
  }; readonly answer: RunFork };
  /** Forks a session at a completed turn: a new, idle session. No model is called. */
  readonly forkSession: { readonly request: {
    readonly path: {
      /** The id of a session or a graph run; a unique short form is accepted. */
      readonly id: string;
    };
    readonly key?: string;
    readonly body: SessionForkRequest;
  }; readonly answer: SessionFork };
  /** Stops what this daemon runs of it, as the first Ctrl-C does. */
  readonly interrupt: { readonly request: {
    readonly path: {
      /** The id of a session or a graph run; a unique short form is accepted. */
      readonly id: string;
    };
  }; readonly answer: {
    /** The id of a session or a graph run. */
    readonly id: string;
  } };
  /** Sessions and runs that were forked from it, the one that was active last first. */
  readonly listForks: { readonly request: {
    readonly path: {
      /** The id of a session or a graph run; a unique short form is accepted. */
      readonly id: string;
    };
  }; readonly answer: {
    /** The id of a session or a graph run. */
    readonly id: string;
    readonly forks: readonly ({
      /** The id of a session or a graph run. */
      readonly id: string;
      readonly kind: "session" | "run";
      readonly offset: number;
      readonly title: string;
    })[];
  } };
  /** What removing it would free and lose. */
  readonly planRemoval: { readonly request: {
    readonly path: {
      /** The id of a session or a graph run; a unique short form is accepted. */
      readonly id: string;
    };
  }; readonly answer: RemovalPlan };
  /** What this daemon and its machine can do. */
  readonly readCapabilities: { readonly request: {}; readonly answer: Capabilities };
  /** What changed: since it began, since another turn of it, or beside another session or run. */
  readonly readDiff: { readonly request: {
    readonly path: {
      /** The id of a session or a graph run; a unique short form is accepted. */
      readonly id: string;
    };
    readonly query?: {
      /** Offset of the end of a turn with a checkpoint; absent: the latest. */
      readonly at?: number;
      /** Offset of the end of an earlier turn; absent: since it began. */
      readonly from?: number;
      /** Another session or run: the newer side. */
      readonly other?: string;
      /** With the patch of each file, within limits. */
      readonly patch?: "true";
      /** With files that ignore rules hide. */
      readonly ignored?: "true";
    };
  }; readonly answer: Diff };
  /** A page of the log, as it is recorded. */
  readonly readEvents: { readonly request: {
    readonly path: {
      /** The id of a session or a graph run; a unique short form is accepted. */
      readonly id: string;
    };
    readonly query?: {
      readonly from?: number;
      readonly limit?: number;
    };
  }; readonly answer: EventPage };
  /** Reads a file of a checkpoint. */
  readonly readFile: { readonly request: {
    readonly path: {
      /** The id of a session or a graph run; a unique short form is accepted. */
      readonly id: string;
    };
    readonly query: {
      /** Offset of the end of a turn with a checkpoint; absent: the latest. */
      readonly at?: number;
      readonly path: string;
    };
  }; readonly answer: File };
  /** Lists a folder of a checkpoint. */
  readonly readFolder: { readonly request: {
    readonly path: {
      /** The id of a session or a graph run; a unique short form is accepted. */
      readonly id: string;
    };
    readonly query?: {
      /** Offset of the end of a turn with a checkpoint; absent: the latest. */
      readonly at?: number;
      readonly path?: string;
    };
  }; readonly answer: Folder };
  /** Reads a document. */
  readonly readGraph: { readonly request: {
    readonly path: {
      readonly hash: string;
    };
  }; readonly answer: GraphDocument };
  /** The JSON Schema of graph documents. */
  readonly readGraphSchema: { readonly request: {}; readonly answer: Readonly<Record<string, unknown>> };
  /** Everything that waits for a person. */
  readonly readInbox: { readonly request: {}; readonly answer: Inbox };
  /** A value that is too large for a line: what `{"$blob": digest}` stands for. */
  readonly readPayload: { readonly request: {
    readonly path: {
      /** The id of a session or a graph run; a unique short form is accepted. */
      readonly id: string;
      readonly digest: string;
    };
  }; readonly answer: Response };
  /** The bytes of a file of a checkpoint, at most 16 MiB of them, to be saved. */
  readonly readRawFile: { readonly request: {
    readonly path: {
      /** The id of a session or a graph run; a unique short form is accepted. */
      readonly id: string;
    };
    readonly query: {
      /** Offset of the end of a turn with a checkpoint; absent: the latest. */
      readonly at?: number;
      readonly path: string;
    };
  }; readonly answer: Response };
  /** Shows a run: its walk, what it waits for, descent, and what it asks now. */
  readonly readRun: { readonly request: {
    readonly path: {
      /** The id of a session or a graph run; a unique short form is accepted. */
      readonly id: string;
    };
  }; readonly answer: RunDetail };
  /** Removes it. Work that is nowhere else is lost only with `loseWork=true`. */
  readonly remove: { readonly request: {
    readonly path: {
      /** The id of a session or a graph run; a unique short form is accepted. */
      readonly id: string;
    };
    readonly query?: {
      readonly loseWork?: "true" | "false";
    };
  }; readonly answer: Removed };
  /** Gives it another title. */
  readonly setTitle: { readonly request: {
    readonly path: {
      /** The id of a session or a graph run; a unique short form is accepted. */
      readonly id: string;
    };
    readonly body: {
      readonly title: string;
    };
  }; readonly answer: {
    /** The id of a session or a graph run. */
    readonly id: string;
    readonly title: string;
    readonly offset: number;
  } };
  /** Shows a session: its turns, workspace, descent, and what it asks now. */
  readonly readSession: { readonly request: {
    readonly path: {
      /** The id of a session or a graph run; a unique short form is accepted. */
      readonly id: string;
    };
  }; readonly answer: SessionDetail };
  /** What everything used, each reply counted once. */
  readonly readUsage: { readonly request: {}; readonly answer: StoreUsage };
  /** Says what became of a call whose outcome nobody recorded. */
  readonly resolveCall: { readonly request: {
    readonly path: {
      /** The id of a session or a graph run; a unique short form is accepted. */
      readonly id: string;
    };
    readonly body: Resolution;
  }; readonly answer: {
    /** The id of a session or a graph run. */
    readonly id: string;
    readonly offset: number;
    readonly callId: string;
    readonly tool: string;
    readonly flags: readonly (string)[];
    readonly [more: string]: unknown;
  } };
  /** Goes on with a run. */
  readonly resumeRun: { readonly request: {
    readonly path: {
      /** The id of a session or a graph run; a unique short form is accepted. */
      readonly id: string;
    };
    readonly body: Settings;
  }; readonly answer: StartedRun };
  /** Begins the next turn. */
  readonly sendMessage: { readonly request: {
    readonly path: {
      /** The id of a session or a graph run; a unique short form is accepted. */
      readonly id: string;
    };
    readonly key?: string;
    readonly body: NewMessage;
  }; readonly answer: StartedTurn };
  /** Keeps a valid document; the same document has the same hash. */
  readonly submitGraph: { readonly request: {
    readonly body: GraphDocument;
  }; readonly answer: KeptGraph };
  /** Every problem of a document, each with its place. */
  readonly validateGraph: { readonly request: {
    readonly body: GraphDocument;
  }; readonly answer: GraphValidation };
  /** Checks every byte of it, trusting nothing. */
  readonly verify: { readonly request: {
    readonly path: {
      /** The id of a session or a graph run; a unique short form is accepted. */
      readonly id: string;
    };
  }; readonly answer: Verification };
}

/** Where each operation is. */
export const OPERATIONS = {
  abandonRun: { method: 'POST', path: '/v1/runs/{id}/abandon' },
  answerApproval: { method: 'POST', path: '/v1/runs/{id}/approvals/{callId}' },
  answerGate: { method: 'POST', path: '/v1/runs/{id}/answer' },
  apply: { method: 'POST', path: '/v1/runs/{id}/apply' },
  check: { method: 'POST', path: '/v1/sessions/{id}/check' },
  compare: { method: 'GET', path: '/v1/sessions/{id}/compare/{other}' },
  continueTurn: { method: 'POST', path: '/v1/sessions/{id}/continue' },
  createRun: { method: 'POST', path: '/v1/runs' },
  listRuns: { method: 'GET', path: '/v1/runs' },
  createSession: { method: 'POST', path: '/v1/sessions' },
  listSessions: { method: 'GET', path: '/v1/sessions' },
  followChanges: { method: 'GET', path: '/v1/changes' },
  followEvents: { method: 'GET', path: '/v1/runs/{id}/events' },
  forkConversation: { method: 'POST', path: '/v1/runs/{id}/conversation' },
  forkRun: { method: 'POST', path: '/v1/runs/{id}/fork' },
  forkSession: { method: 'POST', path: '/v1/sessions/{id}/fork' },
  interrupt: { method: 'POST', path: '/v1/runs/{id}/interrupt' },
  listForks: { method: 'GET', path: '/v1/runs/{id}/forks' },
  planRemoval: { method: 'GET', path: '/v1/runs/{id}/removal' },
  readCapabilities: { method: 'GET', path: '/v1/capabilities' },
  readDiff: { method: 'GET', path: '/v1/runs/{id}/diff' },
  readEvents: { method: 'GET', path: '/v1/runs/{id}/log' },
  readFile: { method: 'GET', path: '/v1/runs/{id}/file' },
  readFolder: { method: 'GET', path: '/v1/runs/{id}/folder' },
  readGraph: { method: 'GET', path: '/v1/graphs/{hash}' },
  readGraphSchema: { method: 'GET', path: '/v1/graph-schema' },
  readInbox: { method: 'GET', path: '/v1/inbox' },
  readPayload: { method: 'GET', path: '/v1/runs/{id}/payloads/{digest}' },
  readRawFile: { method: 'GET', path: '/v1/runs/{id}/raw' },
  readRun: { method: 'GET', path: '/v1/runs/{id}' },
  remove: { method: 'DELETE', path: '/v1/runs/{id}' },
  setTitle: { method: 'PATCH', path: '/v1/runs/{id}' },
  readSession: { method: 'GET', path: '/v1/sessions/{id}' },
  readUsage: { method: 'GET', path: '/v1/usage' },
  resolveCall: { method: 'POST', path: '/v1/runs/{id}/resolve' },
  resumeRun: { method: 'POST', path: '/v1/runs/{id}/resume' },
  sendMessage: { method: 'POST', path: '/v1/sessions/{id}/messages' },
  submitGraph: { method: 'POST', path: '/v1/graphs' },
  validateGraph: { method: 'POST', path: '/v1/graphs/validate' },
  verify: { method: 'POST', path: '/v1/runs/{id}/verify' },
} as const satisfies { readonly [N in keyof Operations]: { readonly method: string; readonly path: string } };
