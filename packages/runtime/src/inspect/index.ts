export { type Check, type CheckLevel, type DoctorRequest, examineMachine } from './doctor.ts';
export { findNetworkFileSystem } from './file-system.ts';
export { type PruneGoal, type PruneOptions, type PrunePlan, planPrune } from './prune.ts';
export { planRemoval, type RemovalItem, type RemovalPlan, type RemovalResult, removeRuns } from './removal.ts';
export type { Bytes } from './size.ts';
export {
  findLastSession,
  listSessions,
  type RunState,
  type SessionSummary,
  type ShownOrigin,
} from './summary.ts';
export type { TranscriptEntry } from './transcript.ts';
export { readStoreUsage, type StoreUsage } from './usage.ts';
export { type Problem, type Verification, verifyRun } from './verify.ts';
export { type SessionView, type TurnView, viewSession, type WorkspaceView } from './view.ts';
