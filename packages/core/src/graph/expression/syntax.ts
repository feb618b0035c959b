/**
 * Which part of CEL expressions may use, and the form in which one is run.
 *
 * 1. An expression is a function of what it sees: no clock, no time zone, no randomness, and no type that JSON lacks.
 * 2. The nodes it reads are written in it, so that they can be checked before a run.
 * 3. Its work is bounded: what costs more than one step is charged by the size of what it works on (`budget.ts`). No
 *    pattern backtracks.
 */
import type { ASTNode } from '@marcbachmann/cel-js';
import { findNearest } from '../../text/nearest.ts';
import { compilePattern, type Pattern } from '../pattern/index.ts';
import { LOCAL_NAMES } from './scope.ts';

/** `nodes.<id>.output` or `.input` in an expression. */
export interface NodeReference {
  readonly id: string;
  readonly field: 'input' | 'output';
}

/** What an expression uses, and its form to run. */
export interface ExpressionSyntax {
  /** The nth is `_<n>` in the program. */
  readonly nodes: readonly NodeReference[];
  /** `input` and locals that it names. */
  readonly names: ReadonlySet<string>;
  /** Of `matches`; the nth is named by its number in the program. */
  readonly patterns: readonly Pattern[];
  /** CEL, with every walk over a list charged. */
  readonly program: string;
}

/** Why an expression is refused. */
export class SyntaxProblem extends Error {}

/** The deepest tree of an expression. */
const TREE_DEPTH_LIMIT = 128;

const COMPARISONS: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=']);
const FUNCTIONS = ['size', 'string', 'int', 'double', 'bool', 'dyn', 'has'];
const TEXT_METHODS = ['contains', 'startsWith', 'endsWith', 'indexOf', 'lastIndexOf', 'substring', 'split', 'trim'];
const METHODS = [...TEXT_METHODS, 'size', 'lowerAscii', 'upperAscii', 'join', 'matches'];
/** Those that search a text for their argument. */
const SEARCHES: ReadonlySet<string> = new Set(['contains', 'indexOf', 'lastIndexOf', 'split']);
/** Those that make a text of a list, or a list of a text. */
const LISTS: ReadonlySet<string> = new Set(['join', 'split']);
/** Those that read a number from a text. */
const NUMBERS: ReadonlySet<string> = new Set(['int', 'double']);
/** Those whose first argument names each item, for the arguments after it. */
const WALKS = ['all', 'exists', 'exists_one', 'map', 'filter'];
/** The library leaves these out of a map without a word. */
const LOST_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

interface Reading {
  readonly nodes: NodeReference[];
  readonly names: Set<string>;
  readonly patterns: Pattern[];
}

interface Place {
  /** Names of the walks around. */
  readonly items: readonly string[];
  readonly depth: number;
}

/** Reads a tree of the library; throws a `SyntaxProblem`. */
export function readSyntax(tree: ASTNode): ExpressionSyntax {
  const reading: Reading = { nodes: [], names: new Set(), patterns: [] };
  const program = print(tree, { items: [], depth: 0 }, reading);
  return { ...reading, program };
}

/** In full parentheses, so that nothing depends on what binds tighter. */
function print(tree: ASTNode, place: Place, reading: Reading): string {
  const inner = { items: place.items, depth: place.depth + 1 };
  if (inner.depth > TREE_DEPTH_LIMIT) throw new SyntaxProblem('the expression is nested too deep');
  const sub = (part: ASTNode): string => print(part, inner, reading);
  switch (tree.op) {
    case 'value':
      return printValue(tree.args);
    case 'id':
      return printName(tree.args, place, reading);
    case '.':
    case '[]':
      return printAccess(tree, inner, reading);
    case 'list':
      return `[${tree.args.map(sub).join(', ')}]`;
    case 'map':
      return `{${tree.args.map(([key, value]) => `${printKey(key)}: ${sub(value)}`).join(', ')}}`;
    case 'call':
      return printCall(tree.args, sub);
    case 'rcall':
      return printMethod(tree.args, inner, reading);
    case '?:':
      return `(${sub(tree.args[0])} ? ${sub(tree.args[1])} : ${sub(tree.args[2])})`;
    case '!_':
    case '-_':
      return `(${tree.op.charAt(0)}${sub(tree.args)})`;
    case '.?':
    case '[?]':
      throw new SyntaxProblem('optional access is not part of these expressions; use has()');
    default:
      return printOperation(tree, sub);
  }
}

type Sub = (part: ASTNode) => string;

/** What is compared is looked at in full, and what is added to grows. Beside a plain value there is one step. */
function printOperation({ op, args }: { readonly op: string; readonly args: readonly [ASTNode, ASTNode] }, sub: Sub) {
  const [left, right] = args.map(sub);
  const plain = args.some((part) => part.op === 'value');
  if (op === 'in') return `(${left} in listed(_budget, ${right}))`;
  if (COMPARISONS.has(op) && !plain) return `(sized(_budget, ${left}) ${op} sized(_budget, ${right}))`;
  const operation = `(${left} ${op} ${right})`;
  return op === '+' && !args.some(isNumber) ? `scanned(_budget, ${operation})` : operation;
}

function isNumber({ op, args }: ASTNode): boolean {
  return op === 'value' && (typeof args === 'bigint' || typeof args === 'number');
}

function printValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') return /[.e]/.test(`${value}`) ? `${value}` : `${value}.0`;
  if (value === null || typeof value === 'boolean' || typeof value === 'bigint') return `${value}`;
  throw new SyntaxProblem('bytes and unsigned numbers are no values of JSON');
}

function printKey(key: ASTNode): string {
  if (key.op !== 'value' || typeof key.args !== 'string')
    throw new SyntaxProblem('keys of an object are texts that are written in it, like {"a": 1}');
  if (LOST_KEYS.has(key.args)) throw new SyntaxProblem(`'${key.args}' cannot be a key in an expression`);
  return JSON.stringify(key.args);
}

function printName(name: string, place: Place, reading: Reading): string {
  if (place.items.includes(name)) return name;
  if (name === 'nodes') throw new SyntaxProblem("nodes are read as 'nodes.<id>.output' or 'nodes.<id>.input'");
  const known: readonly string[] = ['input', ...LOCAL_NAMES];
  if (!known.includes(name))
    throw new SyntaxProblem(`unknown name '${name}'${hint(name, ['nodes', ...known, ...place.items])}`);
  reading.names.add(name);
  return name;
}

function printAccess(tree: ASTNode & { readonly op: '.' | '[]' }, place: Place, reading: Reading): string {
  const reference = place.items.includes('nodes') ? null : referenceOf(tree);
  if (reference !== null) {
    return `_${reading.nodes.push(reference) - 1}`;
  }
  const left = print(tree.args[0], place, reading);
  return tree.op === '.' ? `${left}.${tree.args[1]}` : `${left}[${print(tree.args[1], place, reading)}]`;
}

/** The node that `nodes.<id>.output` or `nodes["<id>"].output` reads; null when it is another access. */
function referenceOf(tree: ASTNode): NodeReference | null {
  if (tree.op !== '.' && tree.op !== '[]') return null;
  const node = tree.args[0];
  if ((node.op !== '.' && node.op !== '[]') || node.args[0].op !== 'id' || node.args[0].args !== 'nodes') return null;
  const id = keyOf(node);
  const field = keyOf(tree);
  if (id === null) throw new SyntaxProblem('which node an expression reads must be written in it');
  if (field === 'input' || field === 'output') return { id, field };
  throw new SyntaxProblem(
    `a node has 'input' and 'output', not '${field ?? '…'}'${hint(field ?? '', ['input', 'output'])}`,
  );
}

function keyOf(access: ASTNode & { readonly op: '.' | '[]' }): string | null {
  const key = access.args[1];
  if (typeof key === 'string') return key;
  return key.op === 'value' && typeof key.args === 'string' ? key.args : null;
}

function printCall([name, parts]: readonly [string, readonly ASTNode[]], sub: Sub): string {
  if (!FUNCTIONS.includes(name)) throw new SyntaxProblem(`unknown function '${name}'${hint(name, FUNCTIONS)}`);
  if (name === 'has' && !isPath(parts))
    throw new SyntaxProblem('has() takes a field of a value, by dots, like has(input.a.b)');
  if (name === 'has') return `has(${parts.map(sub).join(', ')})`;
  const charge = NUMBERS.has(name) ? 'sought' : 'scanned';
  return `${name}(${parts.map((part) => `${charge}(_budget, ${sub(part)})`).join(', ')})`;
}

function isPath([part, ...rest]: readonly ASTNode[]): boolean {
  if (part?.op !== '.' || rest.length > 0) return false;
  const left = part.args[0];
  return left.op === 'id'
    ? left.args !== 'nodes'
    : referenceOf(part) === null && (referenceOf(left) !== null || isPath([left]));
}

type Method = readonly [string, ASTNode, readonly ASTNode[]];

function printMethod([name, receiver, parts]: Method, place: Place, reading: Reading): string {
  if (WALKS.includes(name)) return printWalk([name, receiver, parts], place, reading);
  if (!METHODS.includes(name))
    throw new SyntaxProblem(`unknown function '${name}'${hint(name, [...METHODS, ...WALKS])}`);
  const sub = (part: ASTNode): string => print(part, place, reading);
  if (name === 'matches') return `matched(_budget, ${sub(receiver)}, ${readPattern(parts, reading)})`;
  const [first, ...rest] = parts.map(sub);
  const given = first === undefined ? [] : [SEARCHES.has(name) ? `sought(_budget, ${first})` : first, ...rest];
  const call = `${LISTS.has(name) ? 'sized' : 'scanned'}(_budget, ${sub(receiver)}).${name}(${given.join(', ')})`;
  return LISTS.has(name) ? `scanned(_budget, ${call})` : call;
}

/** The number of a pattern. It is read here, so that none is found broken in a run. */
function readPattern([part, ...rest]: readonly ASTNode[], reading: Reading): number {
  if (part?.op !== 'value' || typeof part.args !== 'string' || rest.length > 0)
    throw new SyntaxProblem("'matches' takes a pattern that is written in it, like text.matches('^[a-z]+$')");
  const pattern = compilePattern(part.args);
  if (pattern.kind === 'broken') throw new SyntaxProblem(`the pattern of 'matches': ${pattern.message}`);
  return reading.patterns.push(pattern) - 1;
}

function printWalk([name, receiver, [item, ...parts]]: Method, place: Place, reading: Reading): string {
  if (item?.op !== 'id' || parts.length === 0 || parts.length > (name === 'map' ? 2 : 1))
    throw new SyntaxProblem(`'${name}' takes a name for each item and an expression, like list.${name}(x, x > 1)`);
  if (item.args.startsWith('_')) throw new SyntaxProblem(`the name of an item does not begin with '_': '${item.args}'`);
  const inner = { items: [...place.items, item.args], depth: place.depth };
  const list = print(receiver, place, reading);
  const bodies = parts.map((part) => print(part, inner, reading));
  const cost = parts.reduce((sum, part) => sum + countNodes(part), 1);
  return `bounded(_budget, ${list}, ${cost}).${name}(${[item.args, ...bodies].join(', ')})`;
}

/** Parts of a tree: what one item of a walk costs. */
function countNodes(tree: ASTNode): number {
  const count = (value: unknown): number => {
    if (Array.isArray(value)) return value.reduce<number>((sum, part) => sum + count(part), 0);
    return typeof value === 'object' && value !== null && 'op' in value ? countNodes(value as ASTNode) : 0;
  };
  return 1 + count(tree.args);
}

function hint(word: string, candidates: readonly string[]): string {
  const near = findNearest(word, candidates);
  return near === undefined ? '' : `; did you mean '${near}'?`;
}
