/** The rules of docs/log-format.md that bytes on a disk can break; L7 and L22 bind readers only. */
export const CHECKED_RULES = [
  'L1',
  'L2',
  'L3',
  'L4',
  'L5',
  'L6',
  'L8',
  'L9',
  'L10',
  'L11',
  'L12',
  'L13',
  'L14',
  'L15',
  'L16',
  'L17',
  'L18',
  'L19',
  'L20',
  'L21',
  'L23',
  'L24',
  'L25',
  'L26',
  'L27',
  'L28',
  'L29',
  'L30',
  'L31',
  'L32',
  'L33',
] as const;

export type CheckedRule = (typeof CHECKED_RULES)[number];

/** Where in a run something is wrong. */
export interface Place {
  /** Name of the segment, without its folder. */
  readonly segment?: string;
  /** Number of the line in its segment, from 1. */
  readonly line?: number;
  /** Position of the line's first byte in its segment. */
  readonly byte?: number;
}

/** One thing that breaks one rule. */
export interface Problem extends Place {
  readonly rule: CheckedRule;
  /** Name of the run's folder. */
  readonly run: string;
  readonly message: string;
}

/** Collects what is wrong with one run. */
export interface Report {
  readonly problems: readonly Problem[];
  add(rule: CheckedRule, message: string, place?: Place): void;
}

/** Starts the report of a run. */
export function createReport(run: string): Report {
  const problems: Problem[] = [];
  return {
    problems,
    add: (rule, message, place = {}) => {
      const { segment, line, byte } = place;
      problems.push({
        rule,
        run,
        ...(segment === undefined ? {} : { segment }),
        ...(line === undefined ? {} : { line }),
        ...(byte === undefined ? {} : { byte }),
        message,
      });
    },
  };
}

/** A problem as one line of text. */
export function renderProblem(problem: Problem): string {
  const { rule, run, segment, line, byte, message } = problem;
  const place = segment === undefined ? '' : ` ${segment}${line === undefined ? '' : `:${line}`}`;
  return `${rule} ${run}${place}${byte === undefined ? '' : ` (byte ${byte})`} ${message}`;
}
