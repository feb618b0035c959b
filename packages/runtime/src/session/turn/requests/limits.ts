import type { SessionState, UsageSum } from '@ramet/core';
import type { TurnLimits } from '../../types.ts';
import { openTurnOf } from '../context.ts';

/**
 * A word about a reply that did not say what a limit counts; null where there is nothing to say, or it was said before
 * in this turn.
 */
export function describeUnknown(limits: TurnLimits, before: UsageSum, after: UsageSum): string | null {
  const { maxTokens, maxCost } = limits;
  if (maxTokens !== undefined && before.unknownUsage === 0 && after.unknownUsage > 0)
    return 'a reply did not say its tokens: --max-tokens counts only what replies say';
  if (maxCost !== undefined && before.unknownCost === 0 && after.unknownCost > 0)
    return 'the cost of a reply is not known: --max-cost counts only what is known';
  return null;
}

/**
 * The limit that forbids another request, in words; null while all hold. Tokens and cost are the session's own, without
 * what it inherited; what is unknown is not counted.
 */
export function findReachedLimit(state: SessionState, limits: TurnLimits): string | null {
  const { maxRequests, maxTokens, maxCost } = limits;
  const { requests } = openTurnOf(state);
  if (maxRequests !== undefined && requests >= maxRequests)
    return `${requests} of at most ${maxRequests} requests a turn`;
  const tokens = state.own.inputTokens + state.own.outputTokens;
  if (maxTokens !== undefined && tokens >= maxTokens) return `${tokens} of at most ${maxTokens} tokens`;
  const cost = Object.values(state.own.cost).reduce((total, amount) => total + amount, 0);
  if (maxCost !== undefined && cost >= maxCost) return `${cost.toFixed(4)} of at most ${maxCost} in cost`;
  return null;
}
