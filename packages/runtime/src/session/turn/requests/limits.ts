import type { SessionState } from '@ramet/core';
import type { TurnLimits } from '../../types.ts';
import { openTurnOf } from '../context.ts';

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
