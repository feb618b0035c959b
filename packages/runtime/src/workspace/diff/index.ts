export { type CheckpointDiff, type DiffFile, type DiffRequest, diffCheckpoint } from './diff.ts';
export type { FileKind } from './kinds.ts';
export type { DiffStatus } from './listing.ts';
