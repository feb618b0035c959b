export type { AppliedRef } from './applied-refs.ts';
export { type AppliedWork, applyWork, type WorkRequest } from './applied-work.ts';
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
export { carryOutRemoval, type RemovalOutcome } from './removal-outcome.ts';
export type { UncapturedWork } from './uncaptured.ts';
export { type Problem, type Verification, verifyRun } from './verify.ts';
export { compareWork, type WorkComparison, type WorkDiff } from './work-diff.ts';
