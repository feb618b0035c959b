/**
 * JSON Schemas of documents: of a run's input, of gates' answers, of what agents put out. Draft 2020-12; nothing is
 * fetched, formats are words, and patterns are matched by core's linear-time engine, so that none can backtrack.
 */
import { compilePattern, type JsonSchema } from '@ramet/core';
import type { ErrorObject } from 'ajv/dist/2020.js';

/** What is wrong with a value, in words; null when it fits. */
export type SchemaCheck = (value: unknown) => string | null;

/** The most that is said about one value. */
const NAMED_ERRORS = 5;

/** A schema as a check, or why it is none. */
export async function compileJsonSchema(schema: JsonSchema): Promise<SchemaCheck | { readonly problem: string }> {
  // It takes a while to load, and most documents have no schema. The built command has its default export alone.
  const { default: library } = await import('ajv/dist/2020.js');
  const ajv = new library.Ajv2020({
    allErrors: true,
    strict: false,
    validateFormats: false,
    addUsedSchema: false,
    logger: false,
    code: { regExp: Object.assign(matchSafely, { code: 'core' }) },
  });
  try {
    const validate = ajv.compile(schema);
    return (value) => (validate(value) ? null : describeErrors(validate.errors ?? []));
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

/** What is wrong with a value, held against a schema that was found to be one before. */
export async function checkAgainst(schema: JsonSchema, value: unknown): Promise<string | null> {
  const check = await compileJsonSchema(schema);
  return typeof check === 'function' ? check(value) : check.problem;
}

function matchSafely(text: string): { test(value: string): boolean; toString(): string } {
  const pattern = compilePattern(text);
  if (pattern.kind === 'broken') throw new Error(`the pattern ${JSON.stringify(text)}: ${pattern.message}`);
  // Ajv tells the patterns of one schema apart by their text.
  return { test: pattern.test, toString: () => text };
}

function describeErrors(errors: readonly ErrorObject[]): string {
  const said = errors.map(
    (error) => `${error.instancePath === '' ? 'the value' : error.instancePath} ${wordsOf(error)}`,
  );
  const different = [...new Set(said)];
  const more = different.length - NAMED_ERRORS;
  return [...different.slice(0, NAMED_ERRORS), ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

function wordsOf({ message, params }: ErrorObject): string {
  const { allowedValues, additionalProperty } = params as Readonly<Record<string, unknown>>;
  if (Array.isArray(allowedValues)) return `${message ?? ''}: ${JSON.stringify(allowedValues)}`;
  if (typeof additionalProperty === 'string') return `${message ?? ''}: ${JSON.stringify(additionalProperty)}`;
  return message ?? 'does not fit';
}
