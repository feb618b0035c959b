/**
 * What becomes of a call that has an intent and no result: its owner died, or nobody answered it.
 *
 * 1. Reads, and idempotent calls with their recorded key, run again; a file tool is first held against the file.
 * 2. A contained call that cannot be repeated gets the result `outcome_unknown`, which the model sees.
 * 3. A write that was not contained, or not known to be, waits for a person. A rule that denies stands above *send it
 *    again*.
 */
import type { CallState } from '@ramet/core';
import type { Tool } from '../../../tools/types.ts';
import { record, type TurnContext } from '../context.ts';
import { decodeWith } from '../decode.ts';
import type { StepOutcome } from '../outcome.ts';
import { findDenial, startCall } from './call.ts';
import { recordAnswer, recordProblem } from './results.ts';
import { parkUnknown } from './unknown.ts';

const UNANSWERED = 'it began, and no answer of it is recorded';
const UNKNOWN = `outcome unknown: ${UNANSWERED}; look at what is there before you go on`;

/** Settles one call that has an intent and no result. */
export async function recoverCall(context: TurnContext, call: CallState): Promise<StepOutcome> {
  const { intent, resolution } = call;
  if (intent === undefined) throw new Error('bug: a call without an intent has nothing to recover');
  const tool = context.tools.get(call.tool);
  if (resolution !== undefined) return applyResolution(context, call, tool);
  const repeatable = intent.effect === 'read' || intent.effect === 'idempotent';
  if (!repeatable && intent.contained !== true) return parkUnknown(context, call.callId, UNANSWERED);
  if (tool === undefined) return recordProblem(context, call, { outcome: 'outcome_unknown', text: UNKNOWN });
  const input = decodeWith(context.log)(intent.input);
  const again = { call, tool, input, attempt: (intent.attempt ?? 1) + 1 };
  if (repeatable) return startCall(context, again);
  if (tool.recover === undefined) return recordProblem(context, call, { outcome: 'outcome_unknown', text: UNKNOWN });
  const applied = await tool.recover(input, context.toolContext);
  return applied === null
    ? startCall(context, again)
    : recordAnswer(context, call, { answer: applied, contained: intent.contained });
}

/** Gives every unsettled call of the open turn a result, so that the turn can end now. */
export async function settleCalls(context: TurnContext): Promise<void> {
  for (const call of context.fold.state.open?.calls ?? []) {
    if (call.result !== undefined) continue;
    if (call.intent === undefined) {
      await recordProblem(context, call, { outcome: 'interrupted', text: 'not started: the turn was interrupted' });
    } else if (call.resolution !== undefined && call.resolution.resolution !== 'retry') {
      await recordResolution(context, call);
    } else {
      await recordProblem(context, call, { outcome: 'outcome_unknown', text: UNKNOWN });
    }
  }
}

async function applyResolution(context: TurnContext, call: CallState, tool: Tool | undefined): Promise<StepOutcome> {
  const { resolution, intent } = call;
  if (resolution?.resolution !== 'retry') return recordResolution(context, call);
  if (tool === undefined) return recordProblem(context, call, { outcome: 'outcome_unknown', text: UNKNOWN });
  const input = decodeWith(context.log)(call.input);
  const denial = findDenial(context, { call, tool, input });
  if (denial !== null) {
    const text = `outcome unknown: ${UNANSWERED}; it is not sent again, denied by ${denial}`;
    return recordProblem(context, call, { outcome: 'outcome_unknown', text });
  }
  return startCall(context, { call, tool, input, attempt: (intent?.attempt ?? 1) + 1 });
}

/** Makes the person's word the result of the call. */
async function recordResolution(context: TurnContext, call: CallState): Promise<null> {
  const { resolution } = call;
  if (resolution?.resolution === 'happened') {
    const output = resolution.output ?? { type: 'text' as const, value: 'a person says that this call took effect' };
    await record(context, [{ type: 'tool.result', callId: call.callId, tool: call.tool, outcome: 'ok', output }]);
    return null;
  }
  return recordProblem(context, call, { outcome: 'error', text: 'a person says that this call did not take effect' });
}
