export { type CheckpointSummary, describeCheckpoint } from './describe.ts';
export { diffTurns, type TurnsDiff } from './diff-turns.ts';
export { type FolderEntry, type FolderListing, listCheckpointFolder } from './list-folder.ts';
export { type FilePatch, type PatchLimits, readFilePatches } from './patches.ts';
export { type FilePart, type ReadFileOptions, readCheckpointPart } from './read-file.ts';
export { findTurnCheckpoint, type StoredCheckpoint, type TurnCheckpoint, type TurnName } from './turn-checkpoint.ts';
