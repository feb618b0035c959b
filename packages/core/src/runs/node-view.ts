import type { ErrorInfo, NodePath, ToolOutcomeKind } from '../events/index.ts';

/** `entered`: at work, or left at work. `waiting`: a gate without an answer. `delayed`: tried again at `retryAt`. */
export type NodeViewState = 'entered' | 'waiting' | 'delayed' | 'ok' | 'failed' | 'interrupted' | 'skipped';

/** One place of a walk, as its events say. */
export interface NodeView {
  readonly node: NodePath;
  readonly id: string;
  /** Null when the document is gone, or has no such node. */
  readonly kind: string | null;
  readonly state: NodeViewState;
  /** How often it was entered, and offset and time of each: what `fork --at` takes. */
  readonly visits: readonly { readonly offset: number; readonly time: string; readonly inherited: boolean }[];
  /** Offset of what ended it, or says that it was skipped. */
  readonly end?: { readonly offset: number; readonly time: string };
  readonly input?: unknown;
  readonly output?: unknown;
  readonly error?: ErrorInfo;
  readonly retryAt?: string;
  /** Why it was skipped. */
  readonly reason?: string;
  /** Of a branch. */
  readonly take?: string | null;
  /** Of a map: how many items, and how many are done. */
  readonly items?: { readonly count: number; readonly done: number; readonly failed: number };
  /** Of a fold: passes done. */
  readonly passes?: number;
  /** Of a gate; `offset` is that of its `gate.open`. */
  readonly gate?: {
    readonly offset: number;
    readonly question: string;
    readonly answerSchema: Readonly<Record<string, unknown>>;
    readonly answer?: unknown;
  };
  readonly calls: readonly NodeCallView[];
  /** The last one it took. */
  readonly checkpoint?: string;
}

/** A call of a node. */
export interface NodeCallView {
  /** Of its `tool.intent`. */
  readonly offset: number;
  /** Providers use one again: only the last call of a node with an id is meant by it. */
  readonly callId: string;
  readonly tool: string;
  readonly effect: string;
  readonly contained: boolean | string;
  readonly outcome: ToolOutcomeKind | 'open';
  readonly inherited: boolean;
}
