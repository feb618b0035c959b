/**
 * JSON Schemas of documents: of a run's input, of gates' answers, of what agents put out. Draft 2020-12; nothing is
 * fetched, formats are words, and patterns are matched by core's linear-time engine, so that none can backtrack. What a
 * schema asks for may still grow beyond all bounds: reading it and each check stop after a while, and say so.
 */
import { compilePattern, type JsonSchema } from '@ramet/core';
import type { ErrorObject } from 'ajv/dist/2020.js';
import { runBounded, Unbounded } from './bounded.ts';

/** What is wrong with a value, in words; null when it fits. */
export type SchemaCheck = (value: unknown) => string | null;

/** The most that is said about one value. */
const NAMED_ERRORS = 5;
/** Characters that are said of the values a schema allows. */
const NAMED_CHARACTERS = 500;

/** A schema as a check, or why it is none. */
export async function compileJsonSchema(schema: JsonSchema): Promise<SchemaCheck | { readonly problem: string }> {
  // It takes a while to load, and most documents have no schema. The built command has its default export alone.
  const { default: library } = await import('ajv/dist/2020.js');
  const ajv = new library.Ajv2020({
    allErrors: true,
    strict: false,
    validateFormats: false,
    ownProperties: true,
    logger: false,
    code: { regExp: Object.assign(matchSafely, { code: 'core' }) },
  });
  try {
    const validate = runBounded(() => ajv.compile(schema));
    // Such a check answers a promise, which would count as yes.
    if ('$async' in validate) return { problem: "'$async' is not part of these schemas" };
    return (value) => checkBounded(() => (validate(value) ? null : describeErrors(validate.errors ?? [])));
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

function checkBounded(check: () => string | null): string | null {
  try {
    return runBounded(check);
  } catch (error) {
    if (error instanceof Unbounded) return `it cannot be held against the schema: ${error.message}`;
    throw error;
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
  if (Array.isArray(allowedValues)) return `${message ?? ''}: ${shorten(JSON.stringify(allowedValues))}`;
  if (typeof additionalProperty === 'string') return `${message ?? ''}: ${shorten(JSON.stringify(additionalProperty))}`;
  return message ?? 'does not fit';
}

function shorten(text: string): string {
  return text.length > NAMED_CHARACTERS ? `${text.slice(0, NAMED_CHARACTERS).toWellFormed()}…` : text;
}
