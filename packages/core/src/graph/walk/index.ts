export { draftExit } from './exit.ts';
export { keyOfNodeCall, type NodeCallPlace, TOOL_CALL_ID } from './keys.ts';
export { nextMoves } from './moves/next-moves.ts';
export { checkReplay } from './replay.ts';
export { describeRunStatus, findOpenGates, findUnknownCalls, type RunStanding } from './standing.ts';
export { createRunFold, type RunFold } from './state/fold.ts';
export { evaluateAtNode } from './texts.ts';
export type * from './types.ts';
