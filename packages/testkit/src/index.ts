export { auditRun, auditStore, type CheckedRule, type Problem, renderProblem } from './auditor/index.ts';
export { cutRunLog } from './cut-runs.ts';
export { type Fingerprint, type FingerprintOptions, takeFingerprint } from './fingerprint.ts';
export { EVENT_FIXTURES } from './fixtures.ts';
export {
  accept,
  cel,
  type GraphHarness,
  makeFunction,
  makeGraphHarness,
  makeRunSettings,
  type RunOptions,
} from './graph-harness.ts';
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
export { entriesOf, runLog } from './random-runs.ts';
export { FOLDER_STATES, REPOSITORY_STATES, type RepositoryState, runScript, START_SCRIPT } from './repositories.ts';
export {
  type BuiltRunFork,
  buildNode,
  buildNodeCheckpoint,
  buildRun,
  buildRunFork,
  buildRunStart,
  type GraphRunPlan,
  makeChain,
  makeGraph,
  type NodeCallPlan,
  type NodePlan,
  TEST_GRAPH,
  visitAmong,
} from './run-builders.ts';
export {
  type Canary,
  digestTree,
  makeCanary,
  makePipe,
  makeRepository,
  makeScratchArea,
  readTree,
  type ScratchArea,
  writeFiles,
} from './scratch-repository.ts';
export {
  callShell,
  callTool,
  type EndedTurn,
  type HarnessOptions,
  makeSessionHarness,
  makeSettings,
  type ScriptReply,
  type SessionHarness,
  type TurnOptions,
} from './session-harness.ts';
export { askSink, type Sink, startSink } from './sink.ts';
