import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { makeDocument } from '../../src/contract/index.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
}

interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}

const document = makeDocument('1.2.3') as {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly security: unknown;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>>; readonly securitySchemes: object };
};
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.values(methods).map((operation) => ({ path, ...operation })),
);

describe('the OpenAPI document', () => {
  it('says what it is and that a token is needed', () => {
    expect([document.openapi, document.info.version]).toEqual(['3.1.0', '1.2.3']);
    expect(document.security).toEqual([{ token: [] }]);
    expect(document.components.securitySchemes).toEqual({ token: { type: 'http', scheme: 'bearer' } });
  });

  it('has schemas that a validator takes, and no reference to what is not there', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema(document, 'api');
    const refs = new Set([...JSON.stringify(document).matchAll(/"\$ref":"(#[^"]+)"/g)].map(([, ref]) => `api${ref}`));
    const all = [...refs, ...Object.keys(document.components.schemas).map((name) => `api#/components/schemas/${name}`)];
    for (const $ref of all) expect(() => ajv.compile({ $ref })).not.toThrow();
  });

  it('names each operation once, and says what it does and belongs to', () => {
    const names = operations.map(({ operationId }) => operationId);
    expect(new Set(names).size).toBe(names.length);
    expect(operations.filter(({ summary, tags }) => summary === undefined || tags?.length !== 1)).toEqual([]);
  });

  it('declares each part of a path, and no other', () => {
    for (const { path, parameters = [] } of operations) {
      const declared = parameters.filter((parameter) => parameter.in === 'path');
      const parts = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect([path, declared.map(({ name }) => name)]).toEqual([path, parts]);
      expect(declared.every(({ required }) => required)).toBe(true);
    }
  });

  it('bounds every text and every list that a request brings', () => {
    const sent = operations.flatMap(({ operationId, parameters = [], requestBody }) => [
      ...parameters.flatMap(({ name, schema }) => listUnbounded(schema, `${operationId} ${name}`)),
      ...listUnbounded(requestBody?.content['application/json']?.schema, operationId),
    ]);
    expect(sent).toEqual([]);
  });

  it('answers what is refused or fails with a problem document, everywhere', () => {
    for (const { operationId, responses } of operations) {
      const problems = ['4XX', '5XX'].map((status) => Object.keys(responses[status]?.content ?? {}));
      expect([operationId, problems]).toEqual([
        operationId,
        [['application/problem+json'], ['application/problem+json']],
      ]);
    }
  });
});

/** A pattern that ends bounds a text as well as a length does. */
const ENDING = /\{\d+(?:,\d+)?\}\$$/;

/** Places of a schema that take a text or a list of any length. */
function listUnbounded(schema: Schema | undefined, place: string): readonly string[] {
  if (typeof schema !== 'object') return [];
  const { $ref, type, items, anyOf = [], allOf = [], properties = {}, additionalProperties } = schema;
  if ($ref !== undefined) {
    return listUnbounded(document.components.schemas[$ref.split('/').at(-1) ?? ''], place);
  }
  const isFixed = schema.enum !== undefined || 'const' in schema || ENDING.test(schema.pattern ?? '');
  const isOpen = type === 'string' && !isFixed && schema.maxLength === undefined;
  return [
    ...(isOpen || (type === 'array' && schema.maxItems === undefined) ? [place] : []),
    ...[...anyOf, ...allOf].flatMap((one) => listUnbounded(one, place)),
    ...Object.entries(properties).flatMap(([name, one]) => listUnbounded(one, `${place}.${name}`)),
    ...listUnbounded(items, `${place}[]`),
    ...listUnbounded(additionalProperties, `${place}.*`),
  ];
}
