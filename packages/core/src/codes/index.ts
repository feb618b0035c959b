export { type DescribedProblem, describeError, describeProblem, type ProblemReport } from './problem.ts';
export { Failure, invariant, isRefusal, type Refusal, refuse } from './refusal.ts';
export { CODES, type Code, type ExitCode, exitCodeOf, httpStatusOf, isCode } from './table.ts';
