/**
 * A JSON Schema as fields of a form.
 *
 * 1. Whatever the schema is, there is a field for it: what no field of its own is made for is JSON as text.
 * 2. A field only helps to write a value. Whether it is the right one is the server's to say.
 */

type Schema = Readonly<Record<string, unknown>>;

interface Described {
  readonly title?: string;
  readonly description?: string;
  readonly initial?: unknown;
}

export type Field = Described &
  (
    | { readonly kind: 'text'; readonly isLong: boolean; readonly maxLength?: number }
    | { readonly kind: 'number'; readonly isInteger: boolean; readonly min?: number; readonly max?: number }
    | { readonly kind: 'boolean' }
    | { readonly kind: 'choice'; readonly values: readonly unknown[] }
    | { readonly kind: 'fixed'; readonly value: unknown }
    | { readonly kind: 'list'; readonly item: Field }
    | { readonly kind: 'object'; readonly fields: readonly NamedField[] }
    | { readonly kind: 'json' }
  );

export interface NamedField {
  readonly name: string;
  readonly isRequired: boolean;
  readonly field: Field;
}

export type FieldOf<K extends Field['kind']> = Field & { readonly kind: K };

/** Deeper than this an object or list is written as JSON. */
const DEEPEST = 6;
/** Words that say more than a field can: the value is written as JSON, and the server says whether it fits. */
const BEYOND = ['$ref', '$dynamicRef', 'anyOf', 'oneOf', 'allOf', 'not', 'if', 'patternProperties', 'prefixItems'];
/** A text of more characters has several lines. */
const LINE_CHARACTERS = 120;

/** The field for a schema. */
export function fieldOf(schema: unknown, depth = 0): Field {
  if (!isObject(schema)) return { kind: 'json' };
  const said = describe(schema);
  if ('const' in schema) return { ...said, kind: 'fixed', value: schema.const };
  if (Array.isArray(schema.enum)) return { ...said, kind: 'choice', values: schema.enum };
  if (depth >= DEEPEST || BEYOND.some((word) => word in schema)) return { ...said, kind: 'json' };
  return { ...said, ...fieldOfType(schema, depth) };
}

function fieldOfType(schema: Schema, depth: number): Field {
  const { minimum, maximum, maxLength, items } = schema;
  switch (schema.type) {
    case 'string':
      return {
        kind: 'text',
        isLong: typeof maxLength !== 'number' || maxLength > LINE_CHARACTERS,
        ...(typeof maxLength === 'number' ? { maxLength } : {}),
      };
    case 'number':
    case 'integer':
      return {
        kind: 'number',
        isInteger: schema.type === 'integer',
        ...(typeof minimum === 'number' ? { min: minimum } : {}),
        ...(typeof maximum === 'number' ? { max: maximum } : {}),
      };
    case 'boolean':
      return { kind: 'boolean' };
    case 'array':
      return isObject(items) ? { kind: 'list', item: fieldOf(items, depth + 1) } : { kind: 'json' };
    case 'object':
      return objectOf(schema, depth);
    default:
      return { kind: 'json' };
  }
}

/** Fields of an object; one whose names are not all known is JSON. */
function objectOf({ properties, required, additionalProperties }: Schema, depth: number): Field {
  if (!isObject(properties) || isObject(additionalProperties)) return { kind: 'json' };
  const needed: ReadonlySet<unknown> = new Set(Array.isArray(required) ? required : []);
  if ([...needed].some((name) => typeof name !== 'string' || !Object.hasOwn(properties, name))) return { kind: 'json' };
  const fields = Object.entries(properties).map(([name, schema]) => ({
    name,
    isRequired: needed.has(name),
    field: fieldOf(schema, depth + 1),
  }));
  // A document keeps no order of names: what is needed comes first.
  fields.sort((left, right) => Number(right.isRequired) - Number(left.isRequired));
  return fields.length === 0 ? { kind: 'json' } : { kind: 'object', fields };
}

function describe({ title, description, default: initial }: Schema): Described {
  return {
    ...(typeof title === 'string' ? { title } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    ...(initial === undefined ? {} : { initial }),
  };
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
