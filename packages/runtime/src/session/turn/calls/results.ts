/** Results of calls, as they are recorded. A result of a call that was not contained is durable at once. */
import type { CallState, Contained, EventDraft, ToolOutcomeKind } from '@ramet/core';
import type { Tool, ToolAnswer } from '../../../tools/types.ts';
import { record, type TurnContext } from '../context.ts';
import { type StepOutcome, stopByAbort } from '../outcome.ts';

/** A call that may be made, and the tool that makes it. */
export interface ReadyCall {
  readonly call: CallState;
  readonly tool: Tool;
  /** Decoded. */
  readonly input: unknown;
}

/** Records what a tool answered. */
export async function recordAnswer(
  context: TurnContext,
  call: CallState,
  { answer, contained }: { readonly answer: ToolAnswer; readonly contained: Contained },
): Promise<StepOutcome> {
  const failed = answer.output.type === 'error-text' || answer.output.type === 'error-json';
  const ended = answer.aborted === true ? 'interrupted' : failed ? 'error' : 'ok';
  const outcome = answer.unknown === true ? 'outcome_unknown' : ended;
  const { callId, tool } = call;
  const egress = answer.egress === undefined || answer.egress.length === 0 ? {} : { egress: answer.egress };
  const draft: EventDraft = { type: 'tool.result', callId, tool, outcome, output: answer.output, ...egress };
  await record(context, [draft], { durable: contained !== true });
  return context.signal.aborted ? stopByAbort(context) : null;
}

/** Records of a call that was not begun that it will not be: the turn is interrupted. */
export async function recordNotStarted(context: TurnContext, call: CallState): Promise<StepOutcome> {
  const text = 'not started: the person interrupted the turn';
  await recordProblem(context, call, { outcome: 'interrupted', text });
  return stopByAbort(context);
}

/** Records a result that no tool gave: an error the model can read. */
export async function recordProblem(
  context: TurnContext,
  call: CallState,
  problem: { readonly outcome: Exclude<ToolOutcomeKind, 'ok'>; readonly text: string },
): Promise<null> {
  const { callId, tool } = call;
  const { outcome, text } = problem;
  await record(context, [{ type: 'tool.result', callId, tool, outcome, output: { type: 'error-text', value: text } }]);
  return null;
}
