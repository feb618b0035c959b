/**
 * The end of a turn: the checkpoint first, then `session.end`, both durable together. Nothing of the run lives by then.
 */
import type { EventDraft } from '@ramet/core';
import { settleCalls } from './calls/recover.ts';
import { record, type TurnContext } from './context.ts';
import type { StepOutcome } from './outcome.ts';

/** Ends the open turn. A checkpoint that cannot be taken does not keep a turn from ending, and is said. */
export async function endTurn(
  context: TurnContext,
  outcome: Extract<StepOutcome, { readonly kind: 'end' }>,
): Promise<void> {
  await settleCalls(context);
  const { reason, error } = outcome;
  const failure = error === undefined ? {} : { error };
  const { state } = context.fold;
  const from = { previous: state.lastCheckpoint?.id ?? null, base: state.workspaceOpen?.base ?? null };
  await context.captor.capture(from, async (taken) => {
    const end: EventDraft =
      taken.kind === 'taken'
        ? { type: 'session.end', reason, checkpoint: taken.record.id, ...failure }
        : { type: 'session.end', reason, checkpoint: 'none', why: taken.why, ...failure };
    const drafts: EventDraft[] =
      taken.kind === 'taken' ? [{ type: 'workspace.checkpoint', ...taken.record }, end] : [end];
    await record(context, drafts, { durable: true });
    if (taken.kind === 'failed') context.settings.observer.notice?.(`no checkpoint of this turn: ${taken.why}`);
  });
}
