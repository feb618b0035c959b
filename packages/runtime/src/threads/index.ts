export { openEntry } from './entry.ts';
export { startThread, type ThreadData } from './start.ts';
