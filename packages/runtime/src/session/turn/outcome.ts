import { type EndReason, type ErrorInfo, renderCount } from '@ramet/core';

/** What a step says about the turn: null goes on. */
export type StepOutcome =
  | null
  | { readonly kind: 'end'; readonly reason: EndReason; readonly error?: ErrorInfo }
  | {
      readonly kind: 'park';
      readonly reason: 'approval_pending' | 'outcome_unknown';
      readonly offset: number;
      readonly message: string;
      /** The flags of the sandbox and the network the call was asked about with. */
      readonly flags: readonly string[];
    };

/** The turn ends because the person or the clock said so. */
export function endByAbort(timedOut: boolean, maxTimeMs: number | undefined): StepOutcome {
  if (!timedOut) return { kind: 'end', reason: 'interrupted', error: { code: 'interrupted', message: 'interrupted' } };
  const message = `the turn took more than ${renderCount((maxTimeMs ?? 0) / 1000, 'second')}`;
  return { kind: 'end', reason: 'limit', error: { code: 'limit_reached', message } };
}
