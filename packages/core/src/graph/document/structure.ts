/**
 * Checks a document against its schema, saying everything that does not fit. Knows the keywords that `schema.ts` uses,
 * and nothing of what fields mean for each other.
 */
import type { Place, Report } from './report.ts';
import { GRAPH_SCHEMA, NODE_SCHEMAS } from './schema.ts';
import type { JsonSchema } from './types.ts';

type Fields = Readonly<Record<string, unknown>>;

const DEFINITIONS = new Map(Object.entries(GRAPH_SCHEMA.$defs as Readonly<Record<string, JsonSchema>>));
const KINDS = new Map<string, JsonSchema>(Object.entries(NODE_SCHEMAS));
const ID_RULE = "a letter or '_', then at most 63 letters, digits, '_' or '-'";

/** Says what does not fit the schema of documents. */
export function checkStructure(document: unknown, report: Report): void {
  check(document, GRAPH_SCHEMA, { place: [], report });
}

interface Context {
  readonly place: Place;
  readonly report: Report;
}

function check(value: unknown, schema: JsonSchema, context: Context): void {
  if (schema.$ref === '#/$defs/node') checkNode(value, context);
  else if (typeof schema.$ref === 'string') check(value, definitionOf(schema.$ref), context);
  else if (Array.isArray(schema.anyOf)) checkAnyOf(value, schema.anyOf as readonly JsonSchema[], context);
  else if (Array.isArray(schema.enum)) checkEnum(value, schema.enum as readonly string[], context);
  else checkValue(value, schema, context);
}

function definitionOf(pointer: string): JsonSchema {
  return DEFINITIONS.get(pointer.slice('#/$defs/'.length)) ?? {};
}

function checkValue(value: unknown, schema: JsonSchema, context: Context): void {
  const say = (message: string): void => context.report.add(context.place, message);
  const type = typeof schema.type === 'string' ? schema.type : null;
  if ('const' in schema && value !== schema.const) say(`must be ${JSON.stringify(schema.const)}`);
  else if (type !== null && !isOfType(value, type)) say(`must be ${nameOf(type)}, not ${kindOf(value)}`);
  else if (typeof value === 'string') checkText(value, schema, say);
  else if (typeof value === 'number') checkNumber(value, schema, say);
  else if (Array.isArray(value)) checkList(value, schema, context);
  else if (type === 'object') checkObject(value as Fields, schema, context);
}

function checkNode(value: unknown, context: Context): void {
  const { place, report } = context;
  const kinds = [...KINDS.keys()];
  const kind = isOfType(value, 'object') ? (value as Fields).kind : null;
  const schema = typeof kind === 'string' ? KINDS.get(kind) : undefined;
  if (!isOfType(value, 'object')) report.add(place, `must be a node, not ${kindOf(value)}`);
  else if (schema !== undefined) check(value, schema, context);
  else if (kind === undefined) report.add(place, `'kind' is missing: ${kinds.join(', ')}`);
  else checkEnum(kind, kinds, { place: [...place, 'kind'], report });
}

/** Alternatives of different types: the one that fits the value's type says what is wrong. */
function checkAnyOf(value: unknown, schemas: readonly JsonSchema[], context: Context): void {
  const chosen = schemas.find(({ type }) => isOfType(value, String(type)));
  const names = schemas.map(({ type }) => nameOf(String(type))).join(' or ');
  if (chosen === undefined) context.report.add(context.place, `must be ${names}, not ${kindOf(value)}`);
  else check(value, chosen, context);
}

function checkEnum(value: unknown, allowed: readonly string[], { place, report }: Context): void {
  if (allowed.includes(value as string)) return;
  const near = typeof value === 'string' ? report.hint(value, allowed) : '';
  report.add(place, `must be ${allowed.map((name) => `'${name}'`).join(' or ')}${near}`);
}

function checkText(value: string, schema: JsonSchema, say: (message: string) => void): void {
  if (typeof schema.minLength === 'number' && value.length < schema.minLength) say('must not be empty');
  if (typeof schema.maxLength === 'number' && value.length > schema.maxLength)
    say(`must have at most ${schema.maxLength} characters, has ${value.length}`);
  if (typeof schema.pattern === 'string' && !new RegExp(schema.pattern, 'u').test(value))
    say(`'${value}' is no id: ${ID_RULE}`);
}

function checkNumber(value: number, schema: JsonSchema, say: (message: string) => void): void {
  const { minimum, maximum, exclusiveMinimum } = schema;
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) say(`must be above ${exclusiveMinimum}`);
  if (typeof minimum === 'number' && value < minimum) say(`must be at least ${minimum}, not ${value}`);
  if (typeof maximum === 'number' && value > maximum) say(`must be at most ${maximum}, not ${value}`);
}

function checkList(value: readonly unknown[], schema: JsonSchema, context: Context): void {
  if (typeof schema.minItems === 'number' && value.length < schema.minItems)
    context.report.add(context.place, 'must not be empty');
  const { items } = schema;
  if (items === undefined) return;
  for (const [index, item] of value.entries())
    check(item, items as JsonSchema, { ...context, place: [...context.place, index] });
}

function checkObject(value: Fields, schema: JsonSchema, context: Context): void {
  const { place, report } = context;
  const properties = (schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>;
  const present = Object.entries(value).filter(([, field]) => field !== undefined);
  const names = present.map(([name]) => name);
  checkRequired(names, schema, context);
  const { minProperties, maxProperties, propertyNames, additionalProperties } = schema;
  if (typeof minProperties === 'number' && names.length < minProperties) report.add(place, 'must not be empty');
  if (typeof maxProperties === 'number' && names.length > maxProperties)
    report.add(place, `must have at most ${maxProperties} entries, has ${names.length}`);
  for (const [name, field] of present) {
    const inner = { ...context, place: [...place, name] };
    if (propertyNames !== undefined) check(name, propertyNames as JsonSchema, inner);
    const expected = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    if (expected === false) report.add(inner.place, unknownField(name, Object.keys(properties), report));
    else if (expected !== undefined) check(field, expected as JsonSchema, inner);
  }
}

function unknownField(name: string, known: readonly string[], report: Report): string {
  return `unknown field '${name}'${report.hint(name, known)}`;
}

function checkRequired(names: readonly string[], schema: JsonSchema, { place, report }: Context): void {
  for (const name of (schema.required ?? []) as readonly string[])
    if (!names.includes(name)) report.add(place, `'${name}' is missing`);
  checkOneOf(names, schema, { place, report });
  for (const [name, needed] of Object.entries((schema.dependentRequired ?? {}) as Readonly<Record<string, string[]>>))
    for (const other of needed)
      if (names.includes(name) && !names.includes(other))
        report.add([...place, name], `'${name}' is nothing without '${other}'`);
}

/** Alternatives by the fields they need. */
function checkOneOf(names: readonly string[], schema: JsonSchema, { place, report }: Context): void {
  if (!Array.isArray(schema.oneOf)) return;
  const fields = (schema.oneOf as readonly { required: readonly string[] }[]).flatMap(({ required }) => required);
  const found = fields.filter((name) => names.includes(name));
  const quoted = fields.map((name) => `'${name}'`).join(' or ');
  if (found.length === 0) report.add(place, `${quoted} is missing`);
  if (found.length > 1) report.add(place, `must have ${quoted}, not both`);
}

function isOfType(value: unknown, type: string): boolean {
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === type;
}

function nameOf(type: string): string {
  const names = new Map([
    ['string', 'a text'],
    ['array', 'a list'],
    ['object', 'an object'],
    ['integer', 'a whole number'],
    ['number', 'a number'],
    ['boolean', 'true or false'],
  ]);
  return names.get(type) ?? type;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number') return `${value}`;
  return typeof value === 'boolean' ? `${value}` : nameOf(typeof value);
}
