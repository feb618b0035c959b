export { applyCheckpoint } from './apply.ts';
export { isOnBranch, readRef, refOf, removeRef } from './refs.ts';
export type { AppliedCheckpoint, AppliedFiles, AppliedLeftOut, ApplyRequest } from './types.ts';
