import type { NodePath, RunId, WorkspaceKind } from '../../events/index.ts';

/** How a person names the conversation of an agent's node: by the node (and which place of it), or by an entry of it. */
export interface ConversationRequest {
  /** A node's id or path. With neither this nor `at` there is nothing to plan. */
  readonly node?: string;
  /** Which visit: the k-th path it was entered at, from 1, in the order of their first `node.enter`. */
  readonly visit?: number;
  /** Only entries below this item, from 0, of the innermost map around the node. */
  readonly item?: number;
  /** Offset of a `node.enter`: the conversation that this entry belongs to. Absent: the latest. */
  readonly at?: number;
  readonly title?: string;
}

/** Which lines of a run a session is made of; nothing has been done. */
export interface ConversationPlan {
  readonly source: RunId;
  readonly node: NodePath;
  /** Which visit of its node that path is, from 1. */
  readonly visit: number;
  /** The attempt whose exit ended the conversation. */
  readonly attempt: number;
  /** The `node.enter` the conversation began with. */
  readonly from: number;
  /** The `node.exit` it ended with, and where that line lies. */
  readonly offset: number;
  readonly exit: { readonly segment: number; readonly position: number; readonly bytes: number };
  readonly workspace: Exclude<WorkspaceKind, 'overlay'>;
  readonly project: string | null;
  readonly title?: string;
}

/** Why a conversation cannot be taken, besides what keeps a node from being found. */
export type ConversationError = 'not_a_graph_run' | 'log_newer' | 'not_a_session' | 'turn_open' | 'no_completed_turn';
