export { collectGarbage, type GarbageReport, type GarbageRequest, listProjects, measureStore } from './collect.ts';
