// Renders the generated part of the client: a type for each component, and a table of operations.

import { renderType, type Schema } from './render-types.ts';

/** The part of an OpenAPI document that the client is made from. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

const HEAD = `// Generated from the OpenAPI document by \`npm run client\`. Do not edit.
/** The types of the HTTP API, and its operations. */
`;

/** Renders the file. */
export function renderClient({ paths, components }: ApiDocument): string {
  const types = Object.entries(components.schemas)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, schema]) => `export type ${name} = ${renderType(schema)};\n`);
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const rows = operations.map(
    ({ path, method, operation }) => `  ${operation.operationId}: { method: '${method}', path: '${path}' },`,
  );
  const shapes = operations.map(({ operation }) => renderOperation(operation));
  return [
    HEAD,
    ...types,
    '/** What each operation takes and answers. */',
    `export interface Operations {\n${shapes.join('\n')}\n}\n`,
    '/** Where each operation is. */',
    `export const OPERATIONS = {\n${rows.join('\n')}\n} as const satisfies { readonly [N in keyof Operations]: { readonly method: string; readonly path: string } };`,
    '',
  ].join('\n');
}

function renderOperation({ operationId, summary, parameters = [], requestBody, responses }: Operation): string {
  const place = (where: string): Schema => {
    const named = parameters.filter((parameter) => parameter.in === where);
    return {
      type: 'object',
      properties: Object.fromEntries(named.map(({ name, schema }) => [name, schema])),
      required: named.filter(({ required }) => required === true).map(({ name }) => name),
    };
  };
  const fields = [
    ...['path', 'query'].flatMap((where) => {
      const schema = place(where);
      if (Object.keys(schema.properties ?? {}).length === 0) return [];
      const mark = schema.required?.length === 0 ? '?' : '';
      return [`    readonly ${where}${mark}: ${renderType(schema, '    ')};`];
    }),
    ...(parameters.some(({ name }) => name === 'idempotency-key') ? ['    readonly key?: string;'] : []),
    ...renderBody(requestBody),
  ];
  const doc = summary === undefined ? [] : [`  /** ${summary} */`];
  const request = fields.length === 0 ? '{}' : `{\n${fields.join('\n')}\n  }`;
  return [
    ...doc,
    `  readonly ${operationId}: { readonly request: ${request}; readonly answer: ${renderAnswer(responses)} };`,
  ].join('\n');
}

function renderBody(requestBody: Operation['requestBody']): readonly string[] {
  const schema = requestBody?.content['application/json']?.schema;
  return schema === undefined ? [] : [`    readonly body: ${renderType(schema, '    ')};`];
}

function renderAnswer(responses: Operation['responses']): string {
  const schemas = Object.entries(responses).flatMap(([status, { content }]) => {
    const schema = status.startsWith('2') ? content?.['application/json']?.schema : undefined;
    return schema === undefined ? [] : [renderType(schema, '  ')];
  });
  return [...new Set(schemas)].join(' | ') || 'Response';
}
