export { type Digest, makeRunId, parseDigest, parseRunId, type RunId, type Sha256, ZERO_DIGEST } from './ids.ts';
export type * from './messages.ts';
export { EVENT_TYPES, isEventType, knownEvent, problemsOf } from './shapes.ts';
export {
  type Contained,
  type Effect,
  type EndReason,
  type Envelope,
  type ErrorInfo,
  type EventBodies,
  type EventDraft,
  type EventOf,
  type EventType,
  type KnownEvent,
  type LeftOutEntry,
  type LoggedEvent,
  type NodePath,
  type OutstandingWrite,
  type Purpose,
  type RecordedRule,
  type RewalkCall,
  type RunChanges,
  type RunOrigin,
  SCHEMA,
  type ToolOutcomeKind,
  type WorkspaceKind,
} from './types.ts';
