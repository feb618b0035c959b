export { type ScanAheadOptions, type ScansAhead, scanAhead } from './ahead.ts';
export type { ScannedAhead } from './claims.ts';
export { type ScannedSegment, scanSegment } from './segment.ts';
