/** What the fields of a document mean for each other, node by node. */
import { OPEN } from '../expression/template.ts';
import { compilePattern } from '../pattern/index.ts';
import { type DraftBody, type DraftNode, fieldsOf } from './draft.ts';
import { GRAPH_LIMITS } from './limits.ts';
import type { Place, Report } from './report.ts';

const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];

/** Every node by its id; says which ids are there twice, and what is too large. */
export function collectNodes(bodies: readonly DraftBody[], report: Report): ReadonlyMap<string, DraftNode> {
  const all = new Map<string, DraftNode>();
  const count = bodies.reduce((sum, { nodes }) => sum + nodes.size, 0);
  if (count > GRAPH_LIMITS.nodes) report.add([], `must have at most ${GRAPH_LIMITS.nodes} nodes, has ${count}`);
  for (const body of bodies) {
    if (body.depth === GRAPH_LIMITS.bodies + 1)
      report.add(body.place, `bodies lie in each other more than ${GRAPH_LIMITS.bodies} deep`);
    for (const node of body.nodes.values()) {
      const first = all.get(node.id);
      if (first === undefined) all.set(node.id, node);
      else report.add(node.place, `the id '${node.id}' is there twice: ids are unique in the whole document`);
    }
  }
  return all;
}

/** Says what is wrong within one node. */
export function checkNodeRules({ kind, fields, place }: DraftNode, report: Report): void {
  checkRetry(fieldsOf(fields.retry), [...place, 'retry'], report);
  if (kind === 'agent') checkJsonSchema(fields.output, [...place, 'output'], report);
  if (kind === 'gate') checkJsonSchema(fields.answer, [...place, 'answer'], report);
  if (kind === 'tool') checkExec(fieldsOf(fields.exec), [...place, 'exec'], report);
}

function checkRetry({ delayMs, maxDelayMs }: Readonly<Record<string, unknown>>, place: Place, report: Report): void {
  if (typeof delayMs === 'number' && typeof maxDelayMs === 'number' && maxDelayMs < delayMs)
    report.add([...place, 'maxDelayMs'], `must be at least 'delayMs' (${delayMs}), not ${maxDelayMs}`);
}

function checkExec(exec: Readonly<Record<string, unknown>>, place: Place, report: Report): void {
  if (exec.sandbox === false && exec.allowNet !== undefined)
    report.add(
      [...place, 'allowNet'],
      "means nothing without the sandbox: with 'sandbox: false' every host is reached",
    );
  const parts: readonly unknown[] = Array.isArray(exec.command) ? exec.command : [exec.command];
  if (parts[0] === '') report.add([...place, 'command'], 'the program must not be empty');
  if (parts.some((part) => typeof part === 'string' && part.includes(OPEN)))
    report.add(
      [...place, 'command'],
      "a command is no template: give it values in 'input', which it reads as JSON from stdin",
    );
}

/** Enough of a JSON Schema to find slips; what it means in full is checked where it is compiled. */
export function checkJsonSchema(value: unknown, place: Place, report: Report): void {
  const schema = fieldsOf(value);
  const types: readonly unknown[] = Array.isArray(schema.type) ? schema.type : [schema.type];
  for (const type of types.filter((item) => item !== undefined && !TYPES.includes(item as string)))
    report.add([...place, 'type'], `unknown type ${JSON.stringify(type)}${report.hint(String(type), TYPES)}`);
  if (schema.required !== undefined && !isTexts(schema.required))
    report.add([...place, 'required'], 'must be a list of names');
  if (typeof schema.$ref === 'string' && !schema.$ref.startsWith('#'))
    report.add([...place, '$ref'], 'must point into this schema (#/…): nothing is fetched');
  checkPatterns(schema, place, report);
  for (const name of ['properties', 'patternProperties', '$defs'])
    if (schema[name] !== undefined) checkSchemas(schema[name], [...place, name], report);
  if (schema.items !== undefined) checkSubschema(schema.items, [...place, 'items'], report);
}

/** Its patterns meet what others wrote: none may backtrack. */
function checkPatterns(schema: Readonly<Record<string, unknown>>, place: Place, report: Report): void {
  const say = (pattern: string, at: Place): void => {
    const compiled = compilePattern(pattern);
    if (compiled.kind === 'broken') report.add(at, `the pattern: ${compiled.message}`);
  };
  if (typeof schema.pattern === 'string') say(schema.pattern, [...place, 'pattern']);
  for (const pattern of Object.keys(fieldsOf(schema.patternProperties)))
    say(pattern, [...place, 'patternProperties', pattern]);
}

function checkSchemas(value: unknown, place: Place, report: Report): void {
  if (!isObject(value)) report.add(place, 'must be an object of schemas');
  for (const [name, schema] of Object.entries(fieldsOf(value))) checkSubschema(schema, [...place, name], report);
}

function checkSubschema(value: unknown, place: Place, report: Report): void {
  if (isObject(value)) checkJsonSchema(value, place, report);
  else if (typeof value !== 'boolean') report.add(place, 'must be a JSON Schema');
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
