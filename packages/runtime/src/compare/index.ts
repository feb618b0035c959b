export { type CheckOutput, type CheckRequest, type CheckResult, runCheck, sweepChecks } from './check.ts';
export { type ComparedFiles, compareSessions, type Relation, type SessionComparison } from './compare-sessions.ts';
export type { Parting } from './parting.ts';
export type { SessionSide } from './side.ts';
