/** Which outputs a node's texts look at. */
import { stringsIn, textsOf } from '../../graph/document/node-texts.ts';
import { compileExpression } from '../../graph/expression/compile.ts';
import { parseTemplate } from '../../graph/expression/template.ts';
import type { GraphNode } from '../../graph/index.ts';

/** Ids of nodes whose outputs a node's own templates and expressions name; what its body names is its body's. */
export function outputsNamedBy(node: GraphNode): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { kind, value } of textsOf({ ...node })) {
    if (kind === 'template') addTemplate(found, value);
    else addExpression(found, String(value));
  }
  return found;
}

/** Ids of nodes whose outputs a template names. */
export function outputsNamedIn(template: unknown): ReadonlySet<string> {
  const found = new Set<string>();
  addTemplate(found, template);
  return found;
}

function addTemplate(found: Set<string>, template: unknown): void {
  for (const { text } of stringsIn(template))
    for (const part of parseTemplate(text)) if (part.kind === 'expression') addExpression(found, part.text);
}

function addExpression(found: Set<string>, text: string): void {
  const expression = compileExpression(text);
  if (expression.kind === 'broken') return;
  for (const { id, field } of expression.nodes) if (field === 'output') found.add(id);
}
