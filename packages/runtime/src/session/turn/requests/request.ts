/** The step that asks the model: limits first, compaction when the context is nearly full, one recorded reply. */
import { renderContext } from '@ramet/core';
import { ModelFailure, type ModelRequest } from '../../../model/index.ts';
import { openTurnOf, type TurnContext } from '../context.ts';
import { decodeWith } from '../decode.ts';
import { type StepOutcome, stopByAbort } from '../outcome.ts';
import { compactContext, isNearlyFull } from './compact.ts';
import { findReachedLimit } from './limits.ts';
import { endByFailure, sendRecorded } from './send.ts';

/** Asks the model for the turn's next reply and records it. */
export async function requestReply(context: TurnContext): Promise<StepOutcome> {
  if (context.signal.aborted) return stopByAbort(context);
  const limit = findReachedLimit(context.fold.state, context.settings.limits);
  if (limit !== null) {
    return { kind: 'end', reason: 'limit', error: { code: 'limit_reached', message: `limit reached: ${limit}` } };
  }
  if (isNearlyFull(context)) {
    const compacted = await compactContext(context);
    if (compacted !== null) return compacted;
  }
  const request = turnRequestOf(context);
  const outcome = await sendRecorded(context, request, context.fold.state.context);
  if (!(outcome instanceof ModelFailure)) return null;
  if (outcome.code === 'context_overflow') return compactContext(context);
  return endByFailure(context, outcome);
}

function turnRequestOf(context: TurnContext): ModelRequest {
  const { state } = context.fold;
  return {
    system: context.system,
    messages: renderContext(state.context, decodeWith(context.log)),
    tools: [...context.tools.values()].map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema,
    })),
    replyIndex: openTurnOf(state).replies,
    purpose: 'turn',
    signal: context.signal,
  };
}
