import type { ActiveNode, ErrorInfo, EventDraft, GraphNode, NodeCall, NodePath } from '@ramet/core';
import type { NodePlace } from '../places/types.ts';

/** One node at work: what it is, and what it may use. */
export interface NodeWork {
  readonly node: ActiveNode;
  readonly definition: GraphNode;
  /** Of a tool node: its latest call, which an attempt before this one began and did not end. */
  readonly call?: NodeCall;
  readonly place: NodePlace;
  /** A person's Ctrl-C, the end of what is around the node, its own time limit. */
  readonly signal: AbortSignal;
  /** The node's own time limit has passed. */
  readonly timedOut: () => boolean;
}

/**
 * How a node's work ended. `drafts` go with the exit into the log. `taken`: a way was recorded, the walk does the rest.
 * `parked`: it waits for a person, without an exit.
 */
export type WorkEnd =
  | { readonly kind: 'ok'; readonly output: unknown; readonly drafts: readonly EventDraft[] }
  | {
      readonly kind: 'failed';
      readonly error: ErrorInfo;
      /** Trying it again would fail the same way. */
      readonly final?: boolean;
      readonly drafts: readonly EventDraft[];
    }
  | { readonly kind: 'interrupted'; readonly drafts: readonly EventDraft[] }
  | { readonly kind: 'taken'; readonly drafts: readonly EventDraft[] }
  | ParkedWork;

export interface ParkedWork {
  readonly kind: 'parked';
  readonly reason: 'outcome_unknown' | 'approval_pending';
  /** Of the event that a person's word is about. */
  readonly offset: number;
  readonly message: string;
}

/** A node that waits for a person, as the driver keeps it. */
export interface ParkedNode extends ParkedWork {
  readonly node: NodePath;
}
