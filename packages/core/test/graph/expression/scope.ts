import type { ExpressionScope } from '../../../src/graph/index.ts';

/** What an expression of a test sees: an input, nodes with their outputs, locals. */
export function scopeOf(
  input: unknown = null,
  outputs: Readonly<Record<string, unknown>> = {},
  locals: Readonly<Record<string, unknown>> = {},
): ExpressionScope {
  const nodes = new Map(Object.entries(outputs));
  return { input, locals, node: (id) => (nodes.has(id) ? { input: null, output: nodes.get(id) } : null) };
}
