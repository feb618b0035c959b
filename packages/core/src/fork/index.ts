export { hasLeft, outstandingAfter } from './outstanding.ts';
export { planFork } from './plan.ts';
export type { GraphDifference } from './run/graph-changes.ts';
export { unacknowledged, unknownAcknowledgements } from './run/hazards.ts';
export { planRunFork } from './run/plan.ts';
export type * from './run/types.ts';
export { makeEventSource } from './source.ts';
export type { ForkError, ForkOrigin, ForkPlan, ForkRequest, ForkSource, WriteHazard } from './types.ts';
