export { followChangeFrames } from './changes.ts';
export { followRunFrames } from './run-events.ts';
export { respondStream, respondStreamHead } from './stream.ts';
