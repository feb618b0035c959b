/** Whether a value is a graph document. Total: any value has an answer, and every problem is said at once. */
import { bodiesOf, readDraft } from './draft.ts';
import { checkEdges } from './edges.ts';
import { checkJson } from './json.ts';
import { checkReferences } from './references.ts';
import { createReport } from './report.ts';
import { checkJsonSchema, checkNodeRules, collectNodes } from './rules.ts';
import { checkStructure } from './structure.ts';
import type { GraphDocument, GraphProblem } from './types.ts';

/** The document, or all that is wrong with it. */
export function validateGraph(value: unknown): GraphDocument | readonly GraphProblem[] {
  const report = createReport();
  if (!checkJson(value, report)) return report.problems;
  checkStructure(value, report);
  const root = readDraft(value);
  const bodies = bodiesOf(root);
  const all = collectNodes(bodies, report);
  checkJsonSchema(root.fields.input, ['input'], report);
  for (const body of bodies) {
    checkEdges(body, all, report);
    for (const node of body.nodes.values()) checkNodeRules(node, report);
  }
  checkReferences(bodies, all, report);
  return report.problems.length === 0 ? (value as GraphDocument) : report.problems;
}

/** Whether `validateGraph` found problems. */
export function isGraphProblems(value: GraphDocument | readonly GraphProblem[]): value is readonly GraphProblem[] {
  return Array.isArray(value);
}
