export { deriveRunOverview, type GraphRunOverview } from './run.ts';
export { deriveSessionOverview, type SessionOverview } from './session.ts';
