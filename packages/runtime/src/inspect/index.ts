export { belongsTo, findLastSession, type Place } from './belonging.ts';
export { findNetworkFileSystem, findStateFolderFault, nearestFolder } from './file-system.ts';
export type { GraphRunState, GraphRunSummary } from './graph-summary.ts';
export { findGraphRun, findRun, findRuns, isGraphRun, shortenIds } from './named-runs.ts';
export type { ShownOrigin } from './origin.ts';
export {
  type Bytes,
  bytesOf,
  bytesOfRun,
  joinTallies,
  measureRun,
  NO_FILES,
  type Tally,
  tallyFolders,
} from './size.ts';
export { hasStamp, type RunStamp, takeStamp } from './stamp.ts';
export {
  byLastActivity,
  isGraphSummary,
  listAllRuns,
  listSessions,
  type RunState,
  type RunSummary,
  type SessionSummary,
  summarizeRun,
} from './summary.ts';
export { openUsableStore, type StorePlace } from './usable-store.ts';
export { narrowUsage, readStoreUsage, type StoreUsage } from './usage.ts';
export { type SessionView, type TurnView, viewSession, type WorkspaceView } from './view.ts';
export { findWholeRange, type OffsetRange, type WholeRange } from './whole-range.ts';
