export { codeOf, diskFailure, makeFolder, removeTree, replaceFile } from './durable.ts';
export { type FileStore, type FileStoreOptions, openFileStore, refuseDamaged } from './file-store.ts';
export { layoutOf, type RunPaths, type StateLayout, stateFolderOf } from './layout.ts';
export { acquireLock, type HeldLock } from './lock.ts';
export { openMemoryStore } from './memory-store.ts';
export { sha256 } from './sha256.ts';
export type * from './types.ts';
