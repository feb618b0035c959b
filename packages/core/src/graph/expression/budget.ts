/**
 * What one evaluation may cost. A program says in it what is charged, by functions that give back what they are given:
 *
 * - `bounded(_budget, list, cost)` before a walk over a list: `cost` for each item;
 * - `sized(_budget, value)` before all of a value is looked at, `listed` when it is a list, `scanned` for a text's length;
 * - `sought(_budget, text)` for a text whose length counts more than once in what is done with it;
 * - `matched(_budget, text, pattern)` matches one of the patterns that were read.
 */
import type { Environment } from '@marcbachmann/cel-js';
import type { Pattern } from '../pattern/index.ts';
import { lengthOf, sizeOf } from './size.ts';

/** Items and characters that one evaluation may walk over, each counted by the size of what is done with it. */
export const WORK_LIMIT = 5_000_000;
/** Steps of a pattern that count as one part of an expression. */
const MATCH_STEPS = 4;
/** Steps of a search for a text in a text, or of reading a number, that count as one. */
const SEEK_STEPS = 1000;

/** Why an evaluation was stopped. */
export class Spent extends Error {}

/** The work that one evaluation has left. */
export class Budget {
  readonly patterns: readonly Pattern[];
  left = WORK_LIMIT;

  constructor(patterns: readonly Pattern[]) {
    this.patterns = patterns;
  }

  charge(work: number): void {
    this.left -= work;
    if (this.left < 0) throw new Spent('the expression does too much work');
  }
}

/** Teaches an environment the functions that charge. */
export function registerCharges(environment: Environment): void {
  environment.registerType('Budget', Budget).registerVariable('_budget', 'Budget');
  const options = { async: false };
  environment.registerFunction('bounded(Budget, dyn, int): dyn', chargeWalk, options);
  environment.registerFunction('matched(Budget, string, int): bool', match, options);
  const charges: Readonly<Record<string, (value: unknown) => number>> = {
    sized: sizeOf,
    listed: (value) => (Array.isArray(value) ? sizeOf(value) : 1),
    scanned: lengthOf,
    sought: (value) => (typeof value === 'string' ? Math.floor(value.length ** 2 / SEEK_STEPS) : 1),
  };
  for (const [name, costOf] of Object.entries(charges)) {
    const charge = (budget: Budget, value: unknown): unknown => {
      budget.charge(costOf(value));
      return value;
    };
    environment.registerFunction(`${name}(Budget, dyn): dyn`, charge, options);
  }
}

function chargeWalk(budget: Budget, list: unknown, cost: bigint): unknown {
  const items = Array.isArray(list) ? list.length : list instanceof Map ? list.size : 1;
  budget.charge(items * Number(cost));
  return list;
}

function match(budget: Budget, text: string, index: bigint): boolean {
  // The program numbers only patterns that were read.
  const pattern = budget.patterns[Number(index)] as Pattern;
  budget.charge(Math.ceil((text.length * pattern.steps) / MATCH_STEPS));
  return pattern.test(text);
}
