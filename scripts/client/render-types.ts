// Renders JSON Schemas of an OpenAPI 3.1 document as TypeScript types.
//
// 1. What a schema does not say is `unknown`; an object that allows more members than it names has an index signature.
// 2. The same document renders to the same text.

/** The part of JSON Schema that the document uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly description?: string;
}

/** Renders one schema; `indent` is that of the line it stands in. */
export function renderType(schema: Schema, indent = ''): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? 'unknown';
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return choices.map((choice) => renderType(choice, indent)).join(' | ');
  if (schema.allOf !== undefined) return renderAll(schema, indent);
  if (typeof schema.type === 'string') return renderSimple(schema, schema.type, indent);
  const types = schema.type ?? [];
  if (types.length === 0) return 'unknown';
  return types.map((type) => renderSimple(schema, type, indent)).join(' | ');
}

function renderAll(schema: Schema, indent: string): string {
  const { allOf = [], ...own } = schema;
  // A part that only describes says nothing about the type.
  const parts = allOf.map((part) => renderType(part, indent)).filter((part) => part !== 'unknown');
  return [...parts, ...(own.properties === undefined ? [] : [renderObject(own, indent)])].join(' & ');
}

function renderSimple(schema: Schema, type: string, indent: string): string {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type;
    case 'number':
    case 'integer':
      return 'number';
    case 'array':
      return `readonly (${renderType(schema.items ?? {}, indent)})[]`;
    case 'object':
      return renderObject(schema, indent);
    default:
      throw new Error(`a schema has the type ${type}, which nothing here renders`);
  }
}

function renderObject({ properties, required = [], additionalProperties }: Schema, indent: string): string {
  const inner = `${indent}  `;
  const isOpen = additionalProperties !== undefined && additionalProperties !== false;
  const values = typeof additionalProperties === 'object' ? renderType(additionalProperties, inner) : 'unknown';
  if (properties === undefined || Object.keys(properties).length === 0) return `Readonly<Record<string, ${values}>>`;
  const lines = Object.entries(properties).flatMap(([name, schema]) => [
    ...renderDoc(schema, inner),
    `${inner}readonly ${renderName(name)}${required.includes(name) ? '' : '?'}: ${renderType(schema, inner)};`,
  ]);
  if (isOpen) lines.push(`${inner}readonly [more: string]: ${renderOpen(values)};`);
  return `{\n${lines.join('\n')}\n${indent}}`;
}

/** An index signature covers the named members, too. */
function renderOpen(values: string): string {
  return values === 'unknown' ? 'unknown' : `${values} | unknown`;
}

function renderDoc({ description }: Schema, indent: string): readonly string[] {
  return description === undefined ? [] : [`${indent}/** ${description.replaceAll('*/', '* /')} */`];
}

function renderName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`;
}
