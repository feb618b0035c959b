export { runTurn } from './run-turn.ts';
export { digestSettings } from './settings.ts';
export { SUSPEND } from './suspend.ts';
export type * from './types.ts';
