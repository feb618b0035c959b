export { type Resolution, type ResolutionRequest, resolveCall } from './resolution.ts';
export { setTitle } from './title.ts';
