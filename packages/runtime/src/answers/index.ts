/**
 * What a caller is told, in JSON: one shape for the command line and HTTP (docs/json.md).
 *
 * 1. Nothing is rendered here: texts are as they were recorded, for whoever shows them to escape.
 * 2. Shapes only grow: fields are added, none is renamed or removed.
 */
export { type DescribedConversation, describeConversation } from './conversation-fork.ts';
export { type DescribedDrive, type DescribedGateAnswer, describeDriven, refuseGoingOn } from './drive.ts';
export { type DescribedLog, describeLog } from './log.ts';
export { type DescribedChecks, type DescribedCollection, describeChecks, describeCollection } from './machine.ts';
export { type DescribedRemoval, describeDryRemoval, describeRemoval } from './removal.ts';
export { type DescribedRun, type DescribedRunView, describeRun, describeRunView } from './run.ts';
export {
  type DescribedRunFork,
  type DrivenRunFork,
  describeIdle,
  describeRunFork,
  type IdleRunFork,
  refuseStart,
} from './run-fork.ts';
export { type DescribedSession, type DescribedSessionView, describeSession, describeSessionView } from './session.ts';
export { type DescribedFork, describeFork } from './session-fork.ts';
export { type DescribedEndedTurn, type DescribedParkedTurn, describeEndedTurn, describeParkedTurn } from './turn.ts';
export { type DescribedStoreUsage, type DescribedUsage, describeStoreUsage, describeUsage } from './usage.ts';
export {
  type DescribedVerification,
  type DescribedVerifications,
  describeVerification,
  describeVerifications,
} from './verification.ts';
export { type DescribedApplication, type DescribedDiff, describeApplied, describeDiff } from './work.ts';
