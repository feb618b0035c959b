/** One derivation of moves while it is made: what it looks at, what it has drafted, what it has found to fail. */
import { Failure } from '../../../codes/index.ts';
import type { ErrorInfo, EventDraft } from '../../../events/index.ts';
import type { PlacedNode } from '../../document/graph.ts';
import type { FailedPart, WalkedBody, WalkedNode } from '../state/progress.ts';
import type { WalkOptions } from '../types.ts';
import { decodedOf, type ValueSource } from '../values.ts';

/** A part of the run that fails. `final`: it would fail the same way again, so its `retry` does not count. */
export interface FailingPart {
  readonly part: FailedPart;
  readonly error: ErrorInfo;
  readonly final: boolean;
}

export interface Walk extends ValueSource {
  readonly options: WalkOptions;
  readonly drafts: EventDraft[];
  /** By the key of the part. */
  readonly failing: Map<string, FailingPart>;
  /** Nodes at work that this process drives. */
  readonly driven: readonly WalkedNode[];
  /** Nodes at work that were left by a dead owner or a former command. */
  readonly left: readonly WalkedNode[];
}

/** A node to be entered, for the first time or again. */
export interface Entry {
  readonly body: WalkedBody;
  readonly placed: PlacedNode;
  readonly attempt: number;
}

/** Begins a derivation, with what the log says has failed. */
export function makeWalk(state: ValueSource['state'], options: WalkOptions): Walk {
  const driven: WalkedNode[] = [];
  const left: WalkedNode[] = [];
  for (const node of state.progress.running) (options.taken?.has(node.path) ? driven : left).push(node);
  const walk: Walk = { state, decode: options.decode, options, drafts: [], failing: new Map(), driven, left };
  for (const part of state.progress.failures.values()) {
    const [first] = part.nodes;
    if (first !== undefined) walk.failing.set(part.key, { part, error: errorOf(walk, first), final: false });
  }
  return walk;
}

/** Why a node failed, as what fails with it says it: with the path of the innermost node. */
function errorOf(walk: Walk, { path, error }: WalkedNode): ErrorInfo {
  const { code = 'node_failed', message } = (decodedOf(walk, error) ?? {}) as Partial<ErrorInfo>;
  const text = String(message ?? 'it failed');
  return { code: String(code), message: text.startsWith(path) ? text : `${path}: ${text}` };
}

/** Marks a part as failing, unless it fails already. */
export function failPart(walk: Walk, failing: FailingPart): void {
  if (!walk.failing.has(failing.part.key)) walk.failing.set(failing.part.key, failing);
}

/** The error a document's own text or list gives rise to; anything else is thrown on. */
export function errorInfoOf(error: unknown): ErrorInfo {
  if (!(error instanceof Failure) || (error.code !== 'expression_failed' && error.code !== 'replay_diverged'))
    throw error;
  return { code: error.code, message: error.message };
}
