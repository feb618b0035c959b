/** Verifications in answers. */
import { renderCount } from '@ramet/core';
import type { Verification } from '../upkeep/index.ts';

/** One run that was verified. */
export interface DescribedVerification extends Verification {
  readonly ok: boolean;
}

/** Several runs that were verified. */
export interface DescribedVerifications {
  readonly ok: boolean;
  readonly runs: readonly DescribedVerification[];
}

/** What an answer says first when something does not hold. */
export interface FailedVerification {
  readonly code: 'verification_failed';
  readonly message: string;
}

/** Describes one verification. */
export function describeVerification(
  result: Verification,
): DescribedVerification | (FailedVerification & DescribedVerification) {
  const described = { ...result, ok: result.problems.length === 0 };
  return described.ok ? described : { ...describeFailed([result]), ...described };
}

/** Describes several. */
export function describeVerifications(
  results: readonly Verification[],
): DescribedVerifications | (FailedVerification & DescribedVerifications) {
  const runs = results.map((result) => ({ ...result, ok: result.problems.length === 0 }));
  const described = { ok: runs.every(({ ok }) => ok), runs };
  return described.ok ? described : { ...describeFailed(results), ...described };
}

function describeFailed(results: readonly Verification[]): FailedVerification {
  const broken = results.filter(({ problems }) => problems.length > 0);
  const count = renderCount(
    broken.reduce((sum, { problems }) => sum + problems.length, 0),
    'problem',
  );
  const which = broken.map(({ id }) => id).join(', ');
  return { code: 'verification_failed', message: `${which}: ${count} found; nothing was changed` };
}
