import { type EndReason, type ErrorInfo, renderCount } from '@ramet/core';
import { isSuspended } from '../suspend.ts';
import type { TurnContext } from './context.ts';

/** What a step says about the turn: null goes on. */
export type StepOutcome =
  | null
  | { readonly kind: 'end'; readonly reason: EndReason; readonly error?: ErrorInfo }
  /** It stays open: the next owner takes this step again. */
  | { readonly kind: 'suspend' }
  | {
      readonly kind: 'park';
      readonly reason: 'approval_pending' | 'outcome_unknown';
      readonly offset: number;
      readonly message: string;
      /** The flags of the sandbox and the network the call was asked about with. */
      readonly flags: readonly string[];
    };

/** The turn stops because the person, the clock or the end of this process said so. */
export function stopByAbort({ settings, timedOut }: Pick<TurnContext, 'settings' | 'timedOut'>): StepOutcome {
  if (isSuspended(settings)) return { kind: 'suspend' };
  if (!timedOut()) {
    return { kind: 'end', reason: 'interrupted', error: { code: 'interrupted', message: 'interrupted' } };
  }
  const message = `the turn took more than ${renderCount((settings.limits.maxTimeMs ?? 0) / 1000, 'second')}`;
  return { kind: 'end', reason: 'limit', error: { code: 'limit_reached', message } };
}
