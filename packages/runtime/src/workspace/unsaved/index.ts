export { describeUnsaved } from './describe.ts';
export type { UnsavedKind, UnsavedReason, UnsavedRequest } from './types.ts';
