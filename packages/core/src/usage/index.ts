export { addReply, joinUsage, NO_USAGE, subtractUsage, type UsageSum } from './sums.ts';
export { takenUsageOf, totalUsage, type UsageSpan, type UsageTotals, usageSpansOf } from './totals.ts';
export type { Cost, Usage } from './types.ts';
