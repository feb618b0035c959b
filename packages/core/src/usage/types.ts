/**
 * Tokens of one model reply or a sum of them. `inputTokens` includes the cached ones, `outputTokens` the reasoning
 * ones, as the AI SDK counts. Unknown is `undefined`, never zero.
 */
export interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
}

/** Money, in major units of `currency` (ISO 4217). */
export interface Cost {
  readonly amount: number;
  readonly currency: string;
}
