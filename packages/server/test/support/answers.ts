/**
 * Holds answers against the OpenAPI document.
 *
 * 1. An answer may have no member that the document does not name, but where that says it may: a new field of an answer is a
 *    new field of the document.
 */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { makeDocument } from '../../src/contract/index.ts';

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

const document = closeSchemas(makeDocument('test')) as Document;
const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
ajv.addSchema(document, 'api');
const validators = new Map<string, ValidateFunction>();

/** What is wrong with an answer, as sentences; empty when it is what the document says. */
export function findAnswerProblems(
  method: string,
  path: string,
  answer: { readonly status: number; readonly json: unknown },
): string[] {
  const { status, json } = answer;
  if (status >= 400) return validate('api#/components/schemas/Problem', json);
  const template = Object.keys(document.paths).find((known) => matches(known, path));
  if (template === undefined) return [`${path} is in no document`];
  const place = [
    'paths',
    template,
    method.toLowerCase(),
    'responses',
    String(status),
    'content',
    'application/json',
    'schema',
  ];
  return validate(`api#/${place.map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`, json);
}

function validate($ref: string, value: unknown): string[] {
  const known = validators.get($ref) ?? ajv.compile({ $ref });
  validators.set($ref, known);
  known(value);
  return (known.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

function matches(template: string, path: string): boolean {
  const [where = ''] = path.split('?');
  return (
    new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(where) &&
    !(template.includes('{') && isLiteral(where))
  );
}

/** A path that is there as it stands is not one of a template. */
function isLiteral(path: string): boolean {
  return path in document.paths;
}

/** Objects that name their members have no others; parts of a whole are closed together. */
function closeSchemas(value: object): object {
  const text = JSON.stringify(value);
  const parts = new Set(
    [...text.matchAll(/"allOf":\[\{"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name),
  );
  const close = (node: unknown, isPart: boolean): unknown => {
    if (Array.isArray(node)) return node.map((item) => close(item, isPart));
    if (typeof node !== 'object' || node === null) return node;
    const closed: Record<string, unknown> = {};
    for (const [name, inner] of Object.entries(node)) {
      if (name === 'schemas')
        closed[name] = Object.fromEntries(
          Object.entries(inner as object).map(([part, schema]) => [part, close(schema, parts.has(part))]),
        );
      else closed[name] = close(inner, name === 'allOf');
    }
    const isObject = closed.type === 'object' && closed.properties !== undefined && !('additionalProperties' in closed);
    if (isObject && !isPart) closed.additionalProperties = false;
    if (Array.isArray(closed.allOf) && !isPart && closed.allOf.length > 1) closed.unevaluatedProperties = false;
    return closed;
  };
  return close(value, false) as object;
}
