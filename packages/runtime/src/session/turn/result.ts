/** How a turn ended or parked, as callers are told. */
import { invariant, type LoggedEvent, type OpenTurn } from '@ramet/core';
import type { DeniedCall, TurnResult } from '../types.ts';
import type { TurnContext } from './context.ts';
import { decodeWith } from './decode.ts';
import type { StepOutcome } from './outcome.ts';

/** Describes a turn that has ended; `turn` is as the fold kept it until its end. */
export function describeEnd(context: TurnContext, turn: OpenTurn): TurnResult {
  const { state } = context.fold;
  const end = state.lastEnd;
  invariant(end !== undefined, 'the turn did not end');
  const checkpoint = end.checkpoint === 'none' ? undefined : state.lastCheckpoint;
  return {
    kind: 'ended',
    session: state.id,
    turn: turn.turn,
    end: { offset: end.seq, reason: end.reason },
    text: textOf(context, turn),
    usage: turn.usage,
    denied: deniedOf(context, turn),
    ...(end.error === undefined ? {} : { error: end.error }),
    ...(checkpoint === undefined ? {} : { checkpoint: checkpoint as unknown as LoggedEvent }),
  };
}

/** Describes a turn that waits for a person. */
export function describePark(
  context: TurnContext,
  { turn }: OpenTurn,
  parked: Extract<StepOutcome, { readonly kind: 'park' }>,
): TurnResult {
  const { reason, offset, message, flags } = parked;
  return { kind: 'parked', session: context.fold.state.id, turn, reason, offset, message, flags };
}

/** The text of the last reply; a long one lies beside the log. */
function textOf({ log }: TurnContext, { lastReply }: OpenTurn): string {
  const decode = decodeWith(log);
  const content = (lastReply?.content ?? []).map((part) => decode(part) as typeof part);
  return content.flatMap((part) => (part.type === 'text' && typeof part.text === 'string' ? [part.text] : [])).join('');
}

function deniedOf(context: TurnContext, { calls }: OpenTurn): readonly DeniedCall[] {
  const decode = decodeWith(context.log);
  return calls.flatMap(({ callId, tool, input, result }) => {
    if (result?.outcome !== 'denied') return [];
    const { output } = result;
    const subject = context.tools.get(tool)?.subject(decode(input)) ?? '';
    return [{ callId, tool, subject, reason: 'value' in output ? String(output.value) : 'denied' }];
  });
}
