export { abandonRun } from './abandon-run.ts';
export { type AnsweredGate, answerGate } from './answer-gate.ts';
export { refuseDocument } from './documents/check.ts';
export type { DrivenRun } from './driven-run.ts';
export { type ConversationForkOptions, forkConversation } from './fork-conversation.ts';
export { forkRun, listForkWrites } from './fork-run.ts';
export { resumeRun } from './resume-run.ts';
export { createRun, startRun } from './start-run.ts';
export type * from './types.ts';
