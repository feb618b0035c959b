export { runTurn } from './run-turn.ts';
export type * from './types.ts';
