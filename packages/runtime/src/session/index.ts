export { type Resolution, type ResolutionRequest, resolveCall } from './resolution.ts';
export { runTurn } from './run-turn.ts';
export { setTitle } from './title.ts';
export type * from './types.ts';
