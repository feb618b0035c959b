/** The exit of a node that was at work, and when a failed one is tried again (W8). */
import { invariant } from '../../codes/index.ts';
import type { ErrorInfo, EventDraft, NodePath } from '../../events/index.ts';
import { splitNodePath } from '../../events/index.ts';
import type { Graph } from '../document/graph.ts';
import type { RetryPolicy } from '../document/types.ts';
import type { NodeOutcome, NodeState, RunState } from './types.ts';

/** The longest wait: that of a timer. */
const MAX_DELAY_MS = 2_147_483_647;

/** Drafts the `node.exit` of an active node; `nowMs` is Unix time. */
export function draftExit(
  graph: Graph,
  state: RunState,
  exit: { readonly path: NodePath; readonly outcome: NodeOutcome; readonly nowMs: number },
): EventDraft {
  const { path, outcome, nowMs } = exit;
  const node = state.nodes.get(path);
  invariant(node?.status === 'running', `${path} is not at work, and cannot exit`);
  const base = { type: 'node.exit', node: path, attempt: node.attempt } as const;
  if (outcome.kind === 'ok') return { ...base, outcome: 'ok', output: outcome.output ?? null };
  if (outcome.kind === 'interrupted') return { ...base, outcome: 'interrupted' };
  const { retry } = graph.nodes.get(splitNodePath(path).id)?.node ?? {};
  return draftFailedExit(node, { ...outcome, nowMs, ...(retry === undefined ? {} : { retry }) });
}

/** Drafts the exit of a node that failed; with `final`, or without `retry`, it is not tried again. */
export function draftFailedExit(
  { path, attempt, failures }: NodeState,
  failed: {
    readonly error: ErrorInfo;
    readonly final?: boolean;
    readonly retry?: RetryPolicy;
    readonly nowMs?: number;
  },
): EventDraft {
  const { error, final = false, retry, nowMs } = failed;
  const exit = { type: 'node.exit', node: path, attempt, outcome: 'failed', error } as const;
  const failedNow = failures + 1;
  if (final || retry === undefined || nowMs === undefined || failedNow >= retry.attempts) return exit;
  return { ...exit, retryAt: new Date(nowMs + delayBefore(retry, failedNow)).toISOString() };
}

/** How long to wait after so many failures: without a `delayMs` not at all. */
function delayBefore(retry: RetryPolicy, failures: number): number {
  const { delayMs = 0, factor = 1, maxDelayMs = MAX_DELAY_MS } = retry;
  const delay = delayMs === 0 ? 0 : delayMs * factor ** (failures - 1);
  return Math.min(delay, maxDelayMs, MAX_DELAY_MS);
}
