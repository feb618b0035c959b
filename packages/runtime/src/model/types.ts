import type { AssistantMessage, Cost, Message, NodePath, Usage } from '@ramet/core';

/** A tool as a model is told of it; `inputSchema` is JSON Schema. */
export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDescription[];
  /** How many replies the model already gave in this turn: the number of the scripted reply. */
  readonly replyIndex: number;
  readonly purpose: 'turn' | 'compact' | 'title';
  readonly maxOutputTokens?: number;
  readonly signal: AbortSignal;
}

/** Live text for a person's eyes; the reply repeats all of it. */
export interface ModelDelta {
  readonly kind: 'text' | 'reasoning';
  readonly text: string;
}

export interface ModelReply {
  readonly message: AssistantMessage;
  readonly usage: Usage;
  /** Absent when the price list does not know the model or usage is unknown. */
  readonly cost?: Cost;
  readonly finishReason: 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other';
  /** The model the provider says answered. */
  readonly modelId: string;
}

/** Why one request failed, thrown by `Model.reply`. */
export class ModelFailure extends Error {
  readonly code: 'model_failed' | 'script_exhausted' | 'script_changed' | 'context_overflow' | 'no_key' | 'interrupted';
  /** Worth another attempt (429, 5xx, dropped connection). */
  readonly retryable: boolean;
  /** The provider's own `Retry-After`, in milliseconds. */
  readonly retryAfterMs?: number;
  readonly status?: number;
  /** Attempts worth making in all, where that is fewer than usual. */
  readonly maxAttempts?: number;

  constructor(
    code: ModelFailure['code'],
    message: string,
    options: {
      retryable?: boolean;
      retryAfterMs?: number;
      status?: number;
      maxAttempts?: number;
      cause?: unknown;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ModelFailure';
    this.code = code;
    this.retryable = options.retryable ?? false;
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs;
    if (options.status !== undefined) this.status = options.status;
    if (options.maxAttempts !== undefined) this.maxAttempts = options.maxAttempts;
  }
}

export interface Model {
  /** As a person names it: `anthropic/claude-...`, `scripted:one.json`. */
  readonly name: string;
  /** For `session.config`: a script's absolute path and digest, an endpoint. Never a key. */
  readonly identity: {
    readonly script?: { readonly path: string; readonly digest: string };
    readonly baseUrl?: string;
  };
  /** Tokens the context holds, if known. */
  readonly contextTokens?: number;
  /** Whether what a reply costs can be known. */
  readonly isPriced: boolean;
  /** One streamed request, no retry of its own. Rejects with `ModelFailure`. */
  reply(request: ModelRequest, onDelta: (delta: ModelDelta) => void): Promise<ModelReply>;
}

/** The models of a graph run's nodes, by the node's path: one for all, or a script for each. */
export type NodeModels = (path: NodePath) => Model;

export interface ModelSpec {
  /** `anthropic/<name>`, `openai/<name>`, `google/<name>`, `openai-compatible/<name>`, `scripted:<file>`. */
  readonly name: string;
  readonly baseUrl?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A relative script path starts here. */
  readonly cwd: string;
}
