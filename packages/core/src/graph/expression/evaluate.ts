/** The values of templates and expressions: pure, and errors are a `Failure` with the code `expression_failed`. */
import { Failure } from '../../codes/index.ts';
import { canonicalJson } from '../../log/canonical.ts';
import type { Template } from '../document/types.ts';
import { compileExpression } from './compile.ts';
import type { ExpressionScope } from './scope.ts';
import { parseTemplate, type TemplatePart } from './template.ts';

/** The value of an expression, as JSON. */
export function evaluateExpression(text: string, scope: ExpressionScope): unknown {
  const expression = compileExpression(text);
  if (expression.kind === 'broken') throw failure(text, expression.message);
  try {
    return expression.evaluate(scope);
  } catch (error) {
    // The scope's own: not this expression is at fault.
    if (error instanceof Failure) throw error;
    throw failure(text, error instanceof Error ? error.message : String(error), error);
  }
}

/** The value of an expression that must be true or false. */
export function evaluateCondition(text: string, scope: ExpressionScope): boolean {
  const value = evaluateExpression(text, scope);
  if (typeof value !== 'boolean') throw failure(text, `it must be true or false, and is ${kindOf(value)}`);
  return value;
}

/** The value of an expression that must be a list. */
export function evaluateList(text: string, scope: ExpressionScope): readonly unknown[] {
  const value = evaluateExpression(text, scope);
  if (!Array.isArray(value)) throw failure(text, `it must be a list, and is ${kindOf(value)}`);
  return value;
}

/** A template with the values of its expressions. Keys of objects are kept as they are. */
export function evaluateTemplate(template: Template, scope: ExpressionScope): unknown {
  if (typeof template === 'string') return evaluateText(template, scope);
  if (Array.isArray(template)) return template.map((item) => evaluateTemplate(item, scope));
  if (typeof template !== 'object' || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([key, value]) => [key, evaluateTemplate(value, scope)]));
}

function evaluateText(text: string, scope: ExpressionScope): unknown {
  const [first, ...rest] = parseTemplate(text);
  if (first?.kind === 'expression' && rest.length === 0) return evaluateExpression(first.text, scope);
  return [...(first === undefined ? [] : [first]), ...rest].map((part) => evaluatePart(part, scope)).join('');
}

function evaluatePart(part: TemplatePart, scope: ExpressionScope): string {
  if (part.kind === 'text') return part.text;
  if (part.kind === 'broken') throw failure('', part.message);
  const value = evaluateExpression(part.text, scope);
  return typeof value === 'string' ? value : canonicalJson(value);
}

function failure(expression: string, reason: string, cause?: unknown): Failure {
  const message = expression === '' ? reason : `'${shorten(expression)}' has no value: ${reason}`;
  return new Failure('expression_failed', message, { data: { expression, reason }, cause });
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79).toWellFormed()}…` : text;
}
