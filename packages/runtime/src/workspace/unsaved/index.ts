export { describeUnsaved } from './describe.ts';
export { makeReason } from './reasons.ts';
export type { UnsavedKind, UnsavedReason, UnsavedRequest } from './types.ts';
