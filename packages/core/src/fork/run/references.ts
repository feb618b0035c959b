/** Which outputs a node's texts look at. */
import { compileExpression } from '../../graph/expression/compile.ts';
import { parseTemplate } from '../../graph/expression/template.ts';
import type { GraphNode } from '../../graph/index.ts';

/** Ids of nodes whose outputs a node's own templates and expressions name; what its body names is its body's. */
export function outputsNamedBy(node: GraphNode): ReadonlySet<string> {
  const found = new Set<string>();
  addTemplate(found, node.input);
  if (node.kind === 'agent') addTemplate(found, node.prompt);
  if (node.kind === 'gate' || node.kind === 'branch') addTemplate(found, node.question);
  if (node.kind === 'branch') for (const { when } of node.cases ?? []) addExpression(found, when);
  if (node.kind === 'map') addExpression(found, node.over);
  if (node.kind === 'fold') {
    addTemplate(found, node.initial);
    addExpression(found, node.until);
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
  if (typeof template === 'string') {
    for (const part of parseTemplate(template)) if (part.kind === 'expression') addExpression(found, part.text);
  } else if (typeof template === 'object' && template !== null) {
    for (const part of Object.values(template)) addTemplate(found, part);
  }
}

function addExpression(found: Set<string>, text: string): void {
  const expression = compileExpression(text);
  if (expression.kind === 'broken') return;
  for (const { id, field } of expression.nodes) if (field === 'output') found.add(id);
}
