import { invariant } from '@ramet/core';
import { reachFlags } from '../../reach.ts';
import type { TurnContext } from '../context.ts';
import type { StepOutcome } from '../outcome.ts';

/** A call that began, may have left the workspace and has no answer: the turn waits for a person's word on it. */
export function parkUnknown(context: TurnContext, callId: string, why: string): StepOutcome {
  const { id, open } = context.fold.state;
  const call = open?.calls.find((candidate) => candidate.callId === callId && candidate.result === undefined);
  invariant(call?.intent !== undefined, 'a call that never began waits for a word about its outcome');
  const offset = call.intent.seq;
  const message = describeUnknown(id, { tool: call.tool, offset, why });
  return { kind: 'park', reason: 'outcome_unknown', offset, message, flags: reachFlags(call.under) };
}

/** What a person reads of a call whose outcome nobody knows. */
export function describeUnknown(
  id: string,
  call: { readonly tool: string; readonly offset: number; readonly why: string },
): string {
  const { tool, offset, why } = call;
  return (
    `${tool} at offset ${offset} may have reached the outside: ${why}; say what happened with ` +
    `\`ramet resolve ${id} --offset ${offset} (--happened --result <json> | --did-not-happen | --retry)\``
  );
}
