import type { Cost, Usage } from './types.ts';

/** A sum over model replies. What a reply did not report is counted in `unknownUsage` and `unknownCost`, never as zero. */
export interface UsageSum {
  readonly replies: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly reasoningTokens: number;
  /** Replies whose tokens are not known. */
  readonly unknownUsage: number;
  /** Replies whose price is not known. */
  readonly unknownCost: number;
  /** Known costs by currency, in major units. */
  readonly cost: Readonly<Record<string, number>>;
}

export const NO_USAGE: UsageSum = {
  replies: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  unknownUsage: 0,
  unknownCost: 0,
  cost: {},
};

/** Adds one reply to a sum. */
export function addReply(sum: UsageSum, usage: Usage | undefined, cost: Cost | undefined): UsageSum {
  const known = tokensOf(usage?.inputTokens) !== null || tokensOf(usage?.outputTokens) !== null;
  return joinUsage(sum, {
    replies: 1,
    inputTokens: tokensOf(usage?.inputTokens) ?? 0,
    outputTokens: tokensOf(usage?.outputTokens) ?? 0,
    cacheReadTokens: tokensOf(usage?.cacheReadTokens) ?? 0,
    cacheWriteTokens: tokensOf(usage?.cacheWriteTokens) ?? 0,
    reasoningTokens: tokensOf(usage?.reasoningTokens) ?? 0,
    unknownUsage: known ? 0 : 1,
    unknownCost: isCost(cost) ? 0 : 1,
    cost: isCost(cost) ? { [cost.currency]: cost.amount } : {},
  });
}

/** The sum of two sums. */
export function joinUsage(left: UsageSum, right: UsageSum): UsageSum {
  if (right.replies === 0) return left;
  if (left.replies === 0) return right;
  return combine(left, right, 1);
}

/** What `whole` holds beyond `part`; `part` must be a sum over some of the same replies. */
export function subtractUsage(whole: UsageSum, part: UsageSum): UsageSum {
  return part.replies === 0 ? whole : combine(whole, part, -1);
}

function combine(left: UsageSum, right: UsageSum, sign: 1 | -1): UsageSum {
  return {
    replies: left.replies + sign * right.replies,
    inputTokens: left.inputTokens + sign * right.inputTokens,
    outputTokens: left.outputTokens + sign * right.outputTokens,
    cacheReadTokens: left.cacheReadTokens + sign * right.cacheReadTokens,
    cacheWriteTokens: left.cacheWriteTokens + sign * right.cacheWriteTokens,
    reasoningTokens: left.reasoningTokens + sign * right.reasoningTokens,
    unknownUsage: left.unknownUsage + sign * right.unknownUsage,
    unknownCost: left.unknownCost + sign * right.unknownCost,
    cost: combineCosts(left, right, sign),
  };
}

function combineCosts(left: UsageSum, right: UsageSum, sign: 1 | -1): UsageSum['cost'] {
  const added = Object.keys(right.cost);
  if (added.length === 0) return left.cost;
  const currencies = new Set([...Object.keys(left.cost), ...added]);
  return Object.fromEntries(
    [...currencies].map((name) => [name, costIn(left, name) + sign * costIn(right, name)] as const),
  );
}

/** The currency's name comes from a log: it may be that of something every object has. */
function costIn(sum: UsageSum, currency: string): number {
  return Object.hasOwn(sum.cost, currency) ? (sum.cost[currency] ?? 0) : 0;
}

/** A log may hold anything: only a non-negative safe integer counts as tokens. */
function tokensOf(value: unknown): number | null {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null;
}

function isCost(cost: Cost | undefined): cost is Cost {
  return typeof cost?.currency === 'string' && Number.isFinite(cost.amount);
}
