export { addReply, joinUsage, NO_USAGE, subtractUsage, type UsageSum } from './sums.ts';
export type { Cost, Usage } from './types.ts';
