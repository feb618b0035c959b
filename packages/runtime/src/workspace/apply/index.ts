export { applyCheckpoint } from './apply.ts';
export type { AppliedCheckpoint, AppliedFiles, AppliedLeftOut, ApplyRequest } from './types.ts';
