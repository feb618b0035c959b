/** An answer that a JSON Schema may take, as a beginning for a person to change. */
import { renderJson } from '@ramet/core/text';

type Schema = Readonly<Record<string, unknown>>;

/** Levels of a schema that are looked into: a document may nest without end. */
const DEPTH = 4;
/** Required fields that are named. */
const FIELDS = 20;

/** The JSON of such an answer. */
export function renderSample(schema: Schema): string {
  return renderJson(sampleOf(schema, DEPTH));
}

function sampleOf(schema: unknown, depth: number): unknown {
  if (typeof schema !== 'object' || schema === null || depth === 0) return true;
  const { enum: choices, const: only, type, default: standard } = schema as Schema;
  if (standard !== undefined) return standard;
  if (only !== undefined) return only;
  if (Array.isArray(choices) && choices.length > 0) return choices[0];
  const [first] = Array.isArray(type) ? type : [type];
  switch (first) {
    case 'string':
      return '...';
    case 'number':
    case 'integer':
      return typeof (schema as Schema).minimum === 'number' ? (schema as Schema).minimum : 0;
    case 'array':
      return [];
    case 'null':
      return null;
    case 'object':
      return sampleObject(schema as Schema, depth);
    default:
      return 'properties' in schema ? sampleObject(schema as Schema, depth) : true;
  }
}

function sampleObject({ properties, required }: Schema, depth: number): Record<string, unknown> {
  const known = typeof properties === 'object' && properties !== null ? (properties as Schema) : {};
  const names = Array.isArray(required) ? required.filter((name) => typeof name === 'string').slice(0, FIELDS) : [];
  const fields = names.map((name) => [name, sampleOf(Object.hasOwn(known, name) ? known[name] : null, depth - 1)]);
  return Object.fromEntries(fields) as Record<string, unknown>;
}
