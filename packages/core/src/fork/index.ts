export { hasLeft, outstandingAfter } from './outstanding.ts';
export { planFork } from './plan.ts';
export type { ForkError, ForkOrigin, ForkPlan, ForkRequest, ForkSource, WriteHazard } from './types.ts';
