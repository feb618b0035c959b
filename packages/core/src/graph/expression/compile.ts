/**
 * Expressions, read once and kept by their text. Owns the CEL library; never sees a clock (`syntax.ts` says what is
 * left of CEL).
 */
import {
  Environment,
  EvaluationError,
  ParseError,
  type ParseResult,
  TypeError as TypeProblem,
} from '@marcbachmann/cel-js';
import { invariant } from '../../codes/index.ts';
import { Budget, registerCharges, Spent, WORK_LIMIT } from './budget.ts';
import type { ExpressionScope } from './scope.ts';
import { sizeOf } from './size.ts';
import { type ExpressionSyntax, type NodeReference, readSyntax, SyntaxProblem } from './syntax.ts';
import { sourceOfValue, toCel, toJson, ValueError } from './values.ts';

/** The longest expression, in characters. */
export const EXPRESSION_LIMIT = 4000;
/** Characters of expressions that are kept. */
const CACHE_LIMIT = 1_000_000;

type Uses = Omit<ExpressionSyntax, 'program'>;

/** An expression that can be evaluated. */
export interface CompiledExpression extends Uses {
  readonly kind: 'compiled';
  /** As JSON; throws an `Error` that says why there is no value. */
  evaluate(scope: ExpressionScope): unknown;
}

/** An expression that cannot. */
export interface BrokenExpression {
  readonly kind: 'broken';
  readonly message: string;
}

const OPTIONS = { homogeneousAggregateLiterals: false, unlistedVariablesAreDyn: true };
const READER = new Environment({ ...OPTIONS, limits: { maxAstNodes: 1000, maxDepth: 64 } });
const RUNNER = makeRunner();

const cache = new Map<string, CompiledExpression | BrokenExpression>();
let cached = 0;

/** Reads an expression. The same text gives the same answer, mostly without reading it again. */
export function compileExpression(text: string): CompiledExpression | BrokenExpression {
  const known = cache.get(text);
  if (known !== undefined) return known;
  const expression = readExpression(text);
  if (cached > CACHE_LIMIT) {
    cache.clear();
    cached = 0;
  }
  cache.set(text, expression);
  cached += text.length;
  return expression;
}

function readExpression(text: string): CompiledExpression | BrokenExpression {
  if (text.length > EXPRESSION_LIMIT) return broken(`the expression is longer than ${EXPRESSION_LIMIT} characters`);
  if (text.trim() === '') return broken('the expression is empty');
  if (!text.isWellFormed()) return broken('the expression is no well-formed Unicode');
  try {
    const { program, ...syntax } = readSyntax(READER.parse(text).ast);
    const run = RUNNER.parse(program);
    const { valid, error } = run.check();
    if (!valid) return broken(error?.summary ?? 'its types do not fit');
    return { kind: 'compiled', ...syntax, evaluate: guardEntry(text, (scope) => evaluate(run, syntax, scope)) };
  } catch (error) {
    return broken(reasonOf(error));
  }
}

function broken(message: string): BrokenExpression {
  return { kind: 'broken', message };
}

type Evaluate = CompiledExpression['evaluate'];

/** A walk's item lies in the library's tree: a scope that evaluates the same text meanwhile gets a tree of its own. */
function guardEntry(text: string, enter: Evaluate): Evaluate {
  let isInside = false;
  return (scope) => {
    if (isInside) {
      const other = readExpression(text);
      invariant(other.kind === 'compiled', 'an expression compiles once and not twice');
      return other.evaluate(scope);
    }
    isInside = true;
    try {
      return enter(scope);
    } finally {
      isInside = false;
    }
  };
}

function evaluate(run: ParseResult, { nodes, patterns }: Uses, scope: ExpressionScope): unknown {
  const budget = new Budget(patterns);
  const names = new Names(scope, budget, nodes);
  let outcome: { readonly value: unknown } | { readonly error: unknown };
  try {
    outcome = { value: putOut(run(names), budget) };
  } catch (error) {
    outcome = { error };
  }
  // Both come first: the library passes over errors where the other side of `||` decides.
  if (names.fault !== null) throw names.fault.error;
  if (budget.left < 0)
    throw new Error(
      `it does too much work: it walks over more than ${WORK_LIMIT} items, each counted by what is done with it`,
    );
  if ('error' in outcome) throw new Error(reasonOf(outcome.error), { cause: outcome.error });
  return outcome.value;
}

/** A value that only passes through costs nothing, one that was put together all that it holds. */
function putOut(value: unknown, budget: Budget): unknown {
  const source = typeof value === 'object' && value !== null ? sourceOfValue(value) : undefined;
  if (source !== undefined) return source;
  if (typeof value === 'object') budget.charge(sizeOf(value));
  return toJson(value);
}

/** The clear line of an error of the library; throws on one that is not a person's mistake. */
function reasonOf(error: unknown): string {
  if (error instanceof ParseError && error.range !== undefined)
    return `${error.summary}, at character ${error.range.start + 1}`;
  if (error instanceof ParseError || error instanceof TypeProblem || error instanceof EvaluationError)
    return error.summary;
  if (error instanceof SyntaxProblem || error instanceof ValueError || error instanceof Spent) return error.message;
  // A tree or a value too deep for the stack, a text too long for the engine.
  if (error instanceof RangeError) return `it is too large (${error.message})`;
  throw error;
}

function makeRunner(): Environment {
  const environment = new Environment({ ...OPTIONS, limits: { maxAstNodes: 20_000, maxDepth: 2000 } });
  registerCharges(environment);
  for (const [left, right] of [
    ['int', 'double'],
    ['double', 'int'],
  ]) {
    // An integer beside a double counts as one.
    environment.registerOperator(`${left} + ${right}: double`, (a: Num, b: Num) => Number(a) + Number(b));
    environment.registerOperator(`${left} - ${right}: double`, (a: Num, b: Num) => Number(a) - Number(b));
    environment.registerOperator(`${left} * ${right}: double`, (a: Num, b: Num) => Number(a) * Number(b));
    environment.registerOperator(`${left} / ${right}: double`, (a: Num, b: Num) => Number(a) / Number(b));
  }
  return environment;
}

type Num = number | bigint;

/** What a program sees, by name. The library takes a variable from a Map by nothing but `get`. */
class Names extends Map<unknown, unknown> {
  /** An error of the scope's own. */
  fault: { readonly error: unknown } | null = null;
  readonly #scope: ExpressionScope;
  readonly #budget: Budget;
  readonly #nodes: readonly NodeReference[];

  constructor(scope: ExpressionScope, budget: Budget, nodes: readonly NodeReference[]) {
    super();
    this.#scope = scope;
    this.#budget = budget;
    this.#nodes = nodes;
  }

  override get(name: unknown): unknown {
    if (name === '_budget') return this.#budget;
    const value = this.#ask(() => this.#find(String(name)));
    return value === undefined ? undefined : toCel(value);
  }

  #find(name: string): unknown {
    if (name === 'input') return this.#scope.input ?? null;
    const reference = this.#nodes[Number(name.slice(1))];
    if (reference !== undefined) return this.#read(reference);
    const { locals } = this.#scope;
    return Object.hasOwn(locals, name) ? (locals[name] ?? null) : undefined;
  }

  #read({ id, field }: NodeReference): unknown {
    const node = this.#scope.node(id);
    if (node === null) throw new ValueError(`node '${id}' was not entered`);
    return node[field] ?? null;
  }

  #ask(find: () => unknown): unknown {
    try {
      return find();
    } catch (error) {
      if (!(error instanceof ValueError)) this.fault ??= { error };
      throw error;
    }
  }
}
