export { resolveRunId } from './resolve.ts';
export { shortIdsOf } from './short-ids.ts';
