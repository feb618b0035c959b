/**
 * Whether a document can be run here: core's rules first, then what only this process knows, which is tools, hosts and
 * JSON Schemas. Says everything at once.
 */
import {
  type GraphBody,
  type GraphDocument,
  type GraphNode,
  type GraphProblem,
  isGraphProblems,
  type JsonSchema,
  type Refusal,
  refuse,
  validateGraph,
} from '@ramet/core';
import { renderCount } from '@ramet/core/text';
import { parseHostRule } from '../../sandbox/host-rules.ts';
import { findToolProblem, isMcpToolName } from '../../tools/names.ts';
import type { Tool } from '../../tools/types.ts';
import { checkAgainst, findSchemaProblems } from './json-schema.ts';
import { findValueProblem } from './value-problem.ts';

/** Refuses a document with all that is wrong with it; null when it can be run. */
export async function refuseDocument(value: unknown, functions: readonly Tool[]): Promise<Refusal | null> {
  const document = validateGraph(value);
  const problems = isGraphProblems(document) ? document : await findProblems(document, functions);
  const [first] = problems;
  if (first === undefined) return null;
  const more = problems.length === 1 ? '' : ` (and ${renderCount(problems.length - 1, 'other problem')})`;
  return refuse('bad_graph', `the document cannot be run: ${first.at || '/'}: ${first.message}${more}`, { problems });
}

/** Refuses an input that does not fit the document's `input` schema, or no event. */
export async function refuseInput({ input: schema }: GraphDocument, input: unknown): Promise<Refusal | null> {
  const unfit = findValueProblem(input);
  if (unfit !== null) return refuse('bad_input', `the input cannot be taken: ${unfit}`, { problem: unfit });
  if (schema === undefined) return null;
  const problem = await checkAgainst(schema, input);
  if (problem === null) return null;
  return refuse('bad_input', `the input does not fit the document's input schema: ${problem}`, { problem });
}

async function findProblems(document: GraphDocument, functions: readonly Tool[]): Promise<readonly GraphProblem[]> {
  const names = functions.map(({ name }) => name);
  const placed = listNodes(document, '/nodes');
  const schemas = [
    ...(document.input === undefined ? [] : [{ at: '/input', schema: document.input }]),
    ...placed.flatMap(({ at, node }) => schemasOf(node).map(([name, schema]) => ({ at: `${at}/${name}`, schema }))),
  ];
  const messages = await findSchemaProblems(schemas.map(({ schema }) => schema));
  const broken = schemas.flatMap(({ at }, index) => {
    const message = messages[index] ?? null;
    return message === null ? [] : [{ at, message }];
  });
  return [...placed.flatMap(({ at, node }) => problemsOfNode(at, node, names)), ...broken];
}

interface Placed {
  readonly at: string;
  readonly node: GraphNode;
}

/** Ids are words without `/` and `~`: they stand in a JSON Pointer as they are. */
function listNodes(body: GraphBody, at: string): readonly Placed[] {
  return Object.entries(body.nodes).flatMap(([id, node]) => {
    const inner = node.kind === 'map' || node.kind === 'fold' ? listNodes(node.body, `${at}/${id}/body/nodes`) : [];
    return [{ at: `${at}/${id}`, node }, ...inner];
  });
}

function schemasOf(node: GraphNode): readonly (readonly [string, JsonSchema])[] {
  if (node.kind === 'agent' && node.output !== undefined) return [['output', node.output]];
  if (node.kind === 'gate' && node.answer !== undefined) return [['answer', node.answer]];
  return [];
}

function problemsOfNode(at: string, node: GraphNode, functions: readonly string[]): readonly GraphProblem[] {
  if (node.kind === 'agent') {
    return (node.tools ?? []).flatMap((name, index) => toolProblem(`${at}/tools/${index}`, name, functions));
  }
  if (node.kind !== 'tool') return [];
  if (node.tool !== undefined) {
    if (node.tool === '*' || node.tool.endsWith('__*')) return [{ at: `${at}/tool`, message: 'must name one tool' }];
    return toolProblem(`${at}/tool`, node.tool, functions);
  }
  return (node.exec?.allowNet ?? []).flatMap((host, index) => {
    const rule = parseHostRule(host);
    if (rule !== null && rule.host !== '*') return [];
    const message = `${JSON.stringify(host)} is no host: example.org, *.example.org or example.org:443`;
    return [{ at: `${at}/exec/allowNet/${index}`, message }];
  });
}

function toolProblem(at: string, name: string, functions: readonly string[]): readonly GraphProblem[] {
  if (functions.includes(name) && !isMcpToolName(name)) return [];
  const message = name === 'exec' ? "is no tool: 'exec' is a field of its own" : findToolProblem(name);
  return message === null ? [] : [{ at, message }];
}
