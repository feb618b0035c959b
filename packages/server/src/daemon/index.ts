export { openDaemon } from './daemon.ts';
export type * from './types.ts';
