/**
 * Matches in time that grows with the text alone: every state a pattern can be in is followed at once (Thompson), so that
 * nothing is ever tried again.
 */
import { isWord, type PatternNode, PatternProblem, parsePattern, type Range } from './syntax.ts';

/** Steps of a pattern, its counted repeats written out. */
const STEP_LIMIT = 1000;

/** A pattern that can be matched. */
export interface Pattern {
  readonly kind: 'pattern';
  /** How many states there are: what one character costs at most. */
  readonly steps: number;
  /** Whether it matches anywhere in a text. */
  test(text: string): boolean;
}

/** A pattern that cannot. */
export interface BrokenPattern {
  readonly kind: 'broken';
  readonly message: string;
}

type Step =
  | { readonly kind: 'set'; readonly ranges: readonly Range[]; readonly negated: boolean }
  | { readonly kind: 'assert'; readonly what: 'start' | 'end' | 'word' | 'no word' }
  | { readonly kind: 'fork'; targets: readonly number[] }
  | { readonly kind: 'match' };

/** Reads a pattern, or says why it is refused. */
export function compilePattern(text: string): Pattern | BrokenPattern {
  try {
    const steps: Step[] = [];
    emit(parsePattern(text), steps);
    steps.push({ kind: 'match' });
    return { kind: 'pattern', steps: steps.length, test: (value) => matches(steps, value) };
  } catch (error) {
    if (error instanceof PatternProblem) return { kind: 'broken', message: error.message };
    throw error;
  }
}

/** Appends the steps of a part; each goes on to the next one, a fork to its targets. */
function emit(node: PatternNode, steps: Step[]): void {
  if (steps.length > STEP_LIMIT) throw new PatternProblem(`the pattern has more than ${STEP_LIMIT} steps`);
  if (node.kind === 'repeat') emitRepeat(node, steps);
  else if (node.kind === 'choice') emitChoice(node.parts, steps);
  else if (node.kind === 'sequence') for (const part of node.parts) emit(part, steps);
  else steps.push(node);
}

function emitChoice(parts: readonly PatternNode[], steps: Step[]): void {
  const fork = pushFork(steps);
  const starts: number[] = [];
  const ends: { targets: readonly number[] }[] = [];
  for (const part of parts) {
    starts.push(steps.length);
    emit(part, steps);
    ends.push(pushFork(steps));
  }
  fork.targets = starts;
  for (const end of ends) end.targets = [steps.length];
}

function emitRepeat({ part, min, max }: PatternNode & { readonly kind: 'repeat' }, steps: Step[]): void {
  for (let count = 0, added = 1; count < min && added > 0; count += 1) {
    const before = steps.length;
    emit(part, steps);
    // Of nothing, one is as good as a million.
    added = steps.length - before;
  }
  if (max === Number.POSITIVE_INFINITY) {
    const at = steps.length;
    const fork = pushFork(steps);
    emit(part, steps);
    pushFork(steps).targets = [at];
    fork.targets = [at + 1, steps.length];
    return;
  }
  const forks: { targets: readonly number[] }[] = [];
  for (let count = min; count < max; count += 1) {
    forks.push(pushFork(steps));
    const last = forks.at(-1);
    if (last !== undefined) last.targets = [steps.length];
    emit(part, steps);
  }
  for (const fork of forks) fork.targets = [...fork.targets, steps.length];
}

function pushFork(steps: Step[]): { targets: readonly number[] } {
  const fork = { kind: 'fork' as const, targets: [] as readonly number[] };
  steps.push(fork);
  return fork;
}

function matches(steps: readonly Step[], text: string): boolean {
  const run = { steps, seen: new Uint32Array(steps.length), round: 0 };
  let before = -1;
  let active: number[] = [];
  for (let at = 0; ; ) {
    const code = text.codePointAt(at) ?? -1;
    active.push(0);
    const states = follow(run, active, { before, after: code });
    if (states === null) return true;
    if (code === -1) return false;
    active = [];
    for (const state of states) if (takes(steps[state], code)) active.push(state + 1);
    before = code;
    at += code > 0xffff ? 2 : 1;
  }
}

interface Run {
  readonly steps: readonly Step[];
  /** By state: the last round in which it was reached. */
  readonly seen: Uint32Array;
  round: number;
}

interface Between {
  /** Code points on both sides of a place; -1 at an end of the text. */
  readonly before: number;
  readonly after: number;
}

/** The states that are reached without a character and take one; null when the pattern has matched. Empties `stack`. */
function follow(run: Run, stack: number[], between: Between): readonly number[] | null {
  run.round += 1;
  const found: number[] = [];
  for (let state = stack.pop(); state !== undefined; state = stack.pop()) {
    const step = run.steps[state];
    if (run.seen[state] === run.round || step === undefined) continue;
    run.seen[state] = run.round;
    if (step.kind === 'match') return null;
    if (step.kind === 'set') found.push(state);
    else if (step.kind === 'fork') for (const target of step.targets) stack.push(target);
    else if (holds(step.what, between)) stack.push(state + 1);
  }
  return found;
}

function holds(what: 'start' | 'end' | 'word' | 'no word', { before, after }: Between): boolean {
  if (what === 'start') return before === -1;
  if (what === 'end') return after === -1;
  return (isWord(before) !== isWord(after)) === (what === 'word');
}

function takes(step: Step | undefined, code: number): boolean {
  if (step?.kind !== 'set') return false;
  for (const [from, to] of step.ranges) if (code >= from && code <= to) return !step.negated;
  return step.negated;
}
