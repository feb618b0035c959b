export { captureCheckpoint } from './capture.ts';
export { listChanges, type TreeChange, type TreeSide, type TreeSource } from './changes.ts';
export { type DiffersRequest, workspaceDiffers } from './differs.ts';
export { type BytePath, renderBytePath } from './folder/names.ts';
export type { GitCondition, Manifest } from './manifest.ts';
export {
  type CheckpointContents,
  type CheckpointEntry,
  type CheckpointRefs,
  readCheckpoint,
  readCheckpointFile,
  readCheckpointRefs,
} from './read.ts';
export { restoreCheckpoint } from './restore.ts';
export { type VerifyRequest, verifyCheckpoint } from './verify.ts';
