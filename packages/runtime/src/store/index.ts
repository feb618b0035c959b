export { codeOf, diskFailure, makeFolder, removeTree, replaceFile } from './durable.ts';
export { type FileStore, type FileStoreOptions, openFileStore } from './file-store.ts';
export { keepGraph, readGraph } from './graphs.ts';
export {
  type Attempt,
  commitAttempt,
  createWithKey,
  type KeyedRequest,
  type KeyedWork,
  stageAttempt,
} from './keyed-creation.ts';
export { forkKeyOf, startKeyOf } from './keys.ts';
export { layoutOf, type RunPaths, runPathsOf, type StateLayout, stateFolderOf } from './layout.ts';
export { acquireLock, type HeldLock } from './lock.ts';
export { openMemoryStore } from './memory-store.ts';
export { tryLockSpan } from './os-lock.ts';
export { refuseDamaged } from './refusals.ts';
export { sha256 } from './sha256.ts';
export { readSparseEvents, ValueInLine } from './sparse-events.ts';
export type * from './types.ts';
