/**
 * The work that JSON Schemas ask for: reading one, and holding a value against it. Draft 2020-12; nothing is fetched,
 * formats are words, and patterns are matched by core's linear-time engine, so that none can backtrack. It is synchronous
 * and may grow beyond all bounds: who runs it bounds it.
 */
import { compilePattern, type JsonSchema } from '@ramet/core';
import type { Ajv2020, ErrorObject, Options } from 'ajv/dist/2020.js';

/** A schema that is to be read and, where there is a value, the value to be held against it. */
export interface SchemaTask {
  readonly schema: JsonSchema;
  readonly held?: { readonly value: unknown };
}

/** Says what is wrong with the schema or the value, in words; null when nothing is. */
export type SchemaWorker = (task: SchemaTask) => string | null;

/** The stack was used up. */
const ENDLESS = 'it goes round without an end';
/** The most that is said about one value. */
const NAMED_ERRORS = 5;
/** Characters that are said of the values a schema allows. */
const NAMED_CHARACTERS = 500;

let loaded: Promise<SchemaWorker> | undefined;

/** What does the work, once its library is there. */
export function loadSchemaWorker(): Promise<SchemaWorker> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<SchemaWorker> {
  // It takes a while to load, and most documents have no schema. The built command has its default export alone.
  const { default: library } = await import('ajv/dist/2020.js');
  const options: Options = {
    allErrors: true,
    strict: false,
    validateFormats: false,
    ownProperties: true,
    logger: false,
    code: { regExp: Object.assign(matchSafely, { code: 'core' }) },
  };
  // What a schema looks like is read once, and before anything is bounded: it must not be left half read.
  const draft = new library.Ajv2020(options);
  draft.validateSchema({});
  return (task) => {
    const reader = new library.Ajv2020({ ...options, validateSchema: false });
    return doTask({ draft, reader }, task);
  };
}

/** `draft` knows what a schema is and keeps none; a `reader` reads one, and is thrown away. */
interface Readers {
  readonly draft: Ajv2020;
  readonly reader: Ajv2020;
}

function doTask(readers: Readers, task: SchemaTask): string | null {
  const validate = compile(readers, task.schema);
  if (typeof validate === 'string') return validate;
  const { held } = task;
  if (held === undefined) return null;
  try {
    return validate(held.value) ? null : describeErrors(validate.errors ?? []);
  } catch (error) {
    if (error instanceof RangeError) return sayEndless(task, ENDLESS);
    throw error;
  }
}

function compile({ draft, reader }: Readers, schema: JsonSchema): ReturnType<Ajv2020['compile']> | string {
  try {
    draft.validateSchema(schema, true);
    const validate = reader.compile(schema);
    // Such a check answers a promise, which would count as yes.
    return '$async' in validate ? "'$async' is not part of these schemas" : validate;
  } catch (error) {
    if (error instanceof RangeError) return ENDLESS;
    return error instanceof Error ? error.message : String(error);
  }
}

/** What is said of a task that has no end. */
export function sayEndless({ held }: SchemaTask, why: string): string {
  return held === undefined ? why : `it cannot be held against the schema: ${why}`;
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
