export { codeOf, diskFailure, makeFolder, removeTree, replaceFile } from './durable.ts';
export { type FileStore, type FileStoreOptions, openFileStore } from './file-store.ts';
export { forkKeyOf } from './keys.ts';
export { layoutOf, type RunPaths, runPathsOf, type StateLayout, stateFolderOf } from './layout.ts';
export { acquireLock, type HeldLock } from './lock.ts';
export { openMemoryStore } from './memory-store.ts';
export { refuseDamaged } from './refusals.ts';
export { sha256 } from './sha256.ts';
export type * from './types.ts';
