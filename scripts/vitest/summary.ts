// Counts a test run from what vitest reports: passed, failed, skipped and why. Pure.

/** How one test, or one file that could not run, ended. */
export interface Outcome {
  readonly name: string;
  readonly state: 'passed' | 'failed' | 'skipped';
  /** Why it was skipped, as the test said with `context.skip(reason)`. */
  readonly reason?: string | undefined;
}

/** Where a skip for a missing tool is an error: on a machine that should have every tool. */
export interface Strictness {
  readonly ci: boolean;
}

const TOOL_MISSING = /^tool missing:/;
const KERNEL_FORBIDS = /kernel forbids user namespaces/;

/** The closing line of a run: `N passed, N failed, N skipped`. */
export function renderCounts(outcomes: readonly Outcome[]): string {
  const count = (state: Outcome['state']) => outcomes.filter((outcome) => outcome.state === state).length;
  return `${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`;
}

/** Each reason for a skip with the tests it stopped, one test a line. */
export function renderSkips(outcomes: readonly Outcome[]): string[] {
  const skipped = outcomes.filter((outcome) => outcome.state === 'skipped');
  return skipped.map((outcome) => `skipped: ${outcome.name} (${outcome.reason ?? 'no reason given'})`);
}

/** The skips that make a run fail: a tool is missing, or no reason is given, where `ci` is set. */
export function listForbiddenSkips(outcomes: readonly Outcome[], { ci }: Strictness): Outcome[] {
  if (!ci) return [];
  return outcomes.filter((outcome) => {
    if (outcome.state !== 'skipped') return false;
    if (outcome.reason === undefined) return true;
    return TOOL_MISSING.test(outcome.reason) && !KERNEL_FORBIDS.test(outcome.reason);
  });
}
