import type { EndReason } from '../events/index.ts';
import { type CallState, type SessionState, toolCallsOf } from './state.ts';

/** What a turn needs next. */
export type Step =
  | { readonly kind: 'idle' }
  /** Ask the model. */
  | { readonly kind: 'request' }
  /** Make a call the model proposed; permissions first. */
  | { readonly kind: 'call'; readonly call: CallState }
  /** A call began and has no result: its owner died. */
  | { readonly kind: 'recover'; readonly call: CallState }
  | { readonly kind: 'end'; readonly reason: EndReason };

/** Derives the next step from the state alone, so that a crash changes nothing about it. */
export function nextStep(state: SessionState): Step {
  const { open } = state;
  if (open === null) return { kind: 'idle' };
  const call = open.calls.find((candidate) => candidate.result === undefined);
  if (call !== undefined) return { kind: call.intent === undefined ? 'call' : 'recover', call };
  if (open.lastReply !== undefined && !endsInCalls(state)) return { kind: 'end', reason: 'completed' };
  return { kind: 'request' };
}

/** Whether the last reply proposed calls: their results are the model's to see. */
function endsInCalls(state: SessionState): boolean {
  const reply = state.open?.lastReply;
  return reply !== undefined && toolCallsOf(reply).length > 0;
}
