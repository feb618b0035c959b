import { renderCount } from '@ramet/core/text';
import type { UsageSum } from '@ramet/core/usage';
import { describeUsage } from '@ramet/runtime/answers';

/** Usage in one line: `1200 in, 80 out, 0.0123 USD`. */
export function renderUsage(sum: UsageSum): string {
  if (sum.replies === 0) return 'none';
  if (sum.unknownUsage === sum.replies) return `tokens unknown (${renderCount(sum.replies, 'reply', 'replies')})`;
  const parts = [`${sum.inputTokens} in`, `${sum.outputTokens} out`];
  if (sum.cacheReadTokens > 0) parts.push(`${sum.cacheReadTokens} of it cached`);
  if (renderCost(sum) !== '') parts.push(renderCost(sum));
  if (sum.unknownUsage > 0) parts.push(`${sum.unknownUsage} of ${sum.replies} replies did not say their tokens`);
  else if (sum.unknownCost > 0) parts.push(sum.unknownCost === sum.replies ? 'cost unknown' : 'cost partly unknown');
  return parts.join(', ');
}

/** Known cost, with its currency; empty when none is known. */
export function renderCost(sum: UsageSum): string {
  return Object.entries(describeUsage(sum).cost ?? {})
    .map(([currency, amount]) => `${amount} ${currency}`)
    .join(' + ');
}
