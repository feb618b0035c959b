/** The machine and the state folder in answers. */
import type { Check } from '../upkeep/index.ts';
import type { GarbageReport } from '../workspace/gc/index.ts';

/** What was looked at; `ok` where nothing will fail. */
export interface DescribedChecks {
  readonly ok: boolean;
  readonly checks: readonly Check[];
}

/** Describes checks of the machine. */
export function describeChecks(checks: readonly Check[]): DescribedChecks {
  return { ok: checks.every(({ level }) => level !== 'bad'), checks };
}

/** What was freed, or would be, project by project. */
export interface DescribedCollection {
  readonly dryRun: boolean;
  readonly projects: readonly GarbageReport[];
  /** Over all projects. */
  readonly bytes: number;
}

/** Describes a collection of garbage. */
export function describeCollection(dryRun: boolean, projects: readonly GarbageReport[]): DescribedCollection {
  const bytes = projects.reduce((sum, { bytesBefore, bytesAfter }) => sum + Math.max(0, bytesBefore - bytesAfter), 0);
  return { dryRun, projects, bytes };
}
