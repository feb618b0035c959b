export { deriveRunOverview, type GraphRunOverview } from './run.ts';
export { deriveOverview, type RunOverview, splitUsage } from './session.ts';
