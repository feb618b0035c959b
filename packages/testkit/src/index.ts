export { auditRun, auditStore, type CheckedRule, type Problem, renderProblem } from './auditor/index.ts';
export { EVENT_FIXTURES } from './fixtures.ts';
export {
  type BuiltFork,
  buildConfig,
  buildFork,
  buildSession,
  buildTurn,
  type CallPlan,
  encodeLog,
  makeForkSource,
  makeTestId,
  outlineLog,
  type ReplyPlan,
  type SegmentOptions,
  type SessionPlan,
  sha256,
  splitLog,
  type TurnPlan,
  writeLogFolder,
} from './log-builders.ts';
export { boundariesOf, cutLog, sessionLog } from './random-logs.ts';
