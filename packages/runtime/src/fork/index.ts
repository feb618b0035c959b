export { forkConversation } from './commit-conversation.ts';
export { type ForkContext, type ForkOptions, type ForkResult, forkSession } from './commit-fork.ts';
export { forkRun } from './commit-run-fork.ts';
export type * from './conversation-types.ts';
export type * from './run-types.ts';
export { dropUnusedFork } from './unused-fork.ts';
