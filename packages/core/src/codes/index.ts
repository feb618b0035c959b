export { Failure, invariant, isRefusal, type Refusal, refuse } from './refusal.ts';
export { CODES, type Code, type ExitCode, exitCodeOf, httpStatusOf } from './table.ts';
