/** The files a run leaves, in answers: what they differ in, and what was brought to the person. */
import type { RunId } from '@ramet/core';
import type { AppliedWork, UncapturedWork, WorkDiff } from '../upkeep/index.ts';
import type { AppliedCheckpoint } from '../workspace/apply/index.ts';
import type { CheckpointDiff } from '../workspace/diff/index.ts';

/** What differs, file by file; the patch is not among it. */
export interface DescribedDiff
  extends Omit<WorkDiff, 'compared'>,
    Pick<CheckpointDiff, 'files' | 'hidden' | 'leftOut'> {}

/** Describes a comparison. */
export function describeDiff({ id, from, to, compared, uncaptured }: WorkDiff): DescribedDiff {
  const { files, hidden, leftOut } = compared;
  return { id, from, to, files, hidden, leftOut, ...(uncaptured === undefined ? {} : { uncaptured }) };
}

/** What was brought into the person's repository. */
export interface DescribedApplication extends AppliedCheckpoint {
  readonly id: RunId;
  /** What did not come along, because no checkpoint holds it. */
  readonly uncaptured?: UncapturedWork;
}

/** Describes what was applied. */
export function describeApplied({ work, applied }: Pick<AppliedWork, 'work' | 'applied'>): DescribedApplication {
  const { id, uncaptured } = work;
  return { id, ...applied, ...(uncaptured === null ? {} : { uncaptured }) };
}
