/** What a run waits for: gates, calls whose outcome nobody knows, times. */
import type { NodePath } from '../../events/index.ts';
import { isHeldBy, keysAround } from './state/failures.ts';
import type { FailedPart } from './state/progress.ts';
import type { NodeState, OpenGate, RunState, UnknownCall } from './types.ts';

/** How a run stands, as far as its log says. `parked`: only a person can go on with it. */
export type RunStanding =
  | { readonly kind: 'completed' | 'failed' | 'abandoned' | 'running' }
  /** Nothing is to be done before this time. */
  | { readonly kind: 'delayed'; readonly until: string }
  | { readonly kind: 'parked'; readonly gates: readonly OpenGate[]; readonly unknown: readonly UnknownCall[] };

/** Gates without an answer, in the order in which they opened. */
export function findOpenGates({ progress }: RunState): readonly OpenGate[] {
  return [...progress.gates].flatMap(({ path, gate }) =>
    gate === undefined ? [] : [{ path, offset: gate.seq, question: gate.question, answerSchema: gate.answerSchema }],
  );
}

/** Calls whose outcome nobody knows, of nodes that no process drives; those in `taken` are still being made. */
export function findUnknownCalls({ progress }: RunState, taken?: ReadonlySet<NodePath>): readonly UnknownCall[] {
  return [...progress.running].filter(({ path }) => !taken?.has(path)).flatMap(unknownCallOf);
}

/** A node's call when its outcome is unknown, or nothing. */
export function unknownCallOf(node: NodeState): readonly UnknownCall[] {
  const { path, call } = node;
  if (call === undefined || !hasUnknownCall(node)) return [];
  const { seq: offset, callId, tool, key } = call.intent;
  return [{ path, offset, callId, tool, key }];
}

/** Whether a node's call may have reached the outside, has no result, and nobody has said what happened (W20). */
export function hasUnknownCall({ call }: NodeState): boolean {
  if (call === undefined || call.result !== undefined || call.resolution !== undefined) return false;
  return call.intent.effect === 'write' && call.intent.contained !== true;
}

/** How the run stands while no process drives it. */
export function describeRunStatus(state: RunState): RunStanding {
  const { status, progress } = state;
  if (status !== 'running') return { kind: status };
  const unknown = findUnknownCalls(state);
  if (progress.running.size > unknown.length || hasMoves(state)) return { kind: 'running' };
  const [until] = [...progress.delayed].flatMap(({ retryAt }) => retryAt ?? []).sort();
  if (until !== undefined) return { kind: 'delayed', until };
  const gates = findOpenGates(state);
  return gates.length + unknown.length > 0 ? { kind: 'parked', gates, unknown } : { kind: 'running' };
}

/** Whether something is to be recorded that waits for nothing. */
function hasMoves({ progress }: RunState): boolean {
  const { tasks, failures, running } = progress;
  const parts = [...failures.values()];
  const waits = (part: FailedPart) =>
    part.kind === 'item' && [...running].some(({ body }) => keysAround(body).includes(part.key));
  return parts.some((part) => !waits(part)) || [...tasks.values()].some(({ body }) => !isHeldBy(failures, body));
}
