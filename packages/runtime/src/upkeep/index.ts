export { type AppliedRef, removeAppliedRef } from './applied-refs.ts';
export { type Check, type CheckLevel, type DoctorRequest, examineMachine } from './doctor.ts';
export { findHeldWork, type HeldWork, isUntouched } from './held.ts';
export { type PruneGoal, type PruneOptions, type PrunePlan, planPrune } from './prune.ts';
export {
  planRemoval,
  type RemovalItem,
  type RemovalPlan,
  type RemovalResult,
  removeRuns,
  type UpkeepContext,
} from './removal.ts';
export { findStanding, type Standing, type StandingRequest } from './standing.ts';
export { type Problem, type Verification, verifyRun } from './verify.ts';
