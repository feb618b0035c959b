/**
 * The turn loop: derive the next step from the log, take it, and again, until the turn ends or waits for a person.
 * Everything a step does is recorded before the next one is derived, so a crash anywhere resumes here.
 */
import { nextStep, type Step } from '@ramet/core';
import { makeCall } from './calls/call.ts';
import { recoverCall } from './calls/recover.ts';
import type { TurnContext } from './context.ts';
import { endTurn } from './end.ts';
import type { StepOutcome } from './outcome.ts';
import { requestReply } from './requests/request.ts';

/** Why a turn stays open. */
export type TurnStop = Extract<StepOutcome, { readonly kind: 'park' | 'suspend' }>;

/** Drives the open turn; answers null when it ended, or why it stays open. */
export async function driveTurn(context: TurnContext): Promise<TurnStop | null> {
  for (;;) {
    const step = nextStep(context.fold.state);
    if (step.kind === 'idle') return null;
    const outcome = await takeStep(context, step);
    if (outcome?.kind === 'park' || outcome?.kind === 'suspend') return outcome;
    if (outcome?.kind === 'end') await endTurn(context, outcome);
  }
}

/** Takes one step of the open turn. */
export async function takeStep(context: TurnContext, step: Exclude<Step, { kind: 'idle' }>): Promise<StepOutcome> {
  switch (step.kind) {
    case 'request':
      return requestReply(context);
    case 'call':
      return makeCall(context, step.call);
    case 'recover':
      return recoverCall(context, step.call);
    case 'end':
      return step;
  }
}
