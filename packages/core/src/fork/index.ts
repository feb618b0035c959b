export { hasLeft, outstandingAfter } from './outstanding.ts';
export { planFork } from './plan.ts';
export type {
  RunForkError,
  RunForkPlan,
  RunForkRequest,
  RunWriteHazard,
  WorkspaceAtBoundary,
} from './run/types.ts';
export type { ForkError, ForkOrigin, ForkPlan, ForkRequest, ForkSource, WriteHazard } from './types.ts';
