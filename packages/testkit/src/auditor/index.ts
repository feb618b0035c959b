export { auditRun, auditStore } from './audit.ts';
export { CHECKED_RULES, type CheckedRule, type Problem, renderProblem } from './problem.ts';
