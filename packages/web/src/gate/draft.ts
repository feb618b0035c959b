/**
 * What a person has filled in so far, and the value it stands for.
 *
 * 1. Nothing is made up: a field that is left empty is left out where it may be, and a problem where it may not.
 * 2. What was filled in is never lost by reading it: a number that is none stays as it was typed.
 */
import type { Field, FieldOf } from './field-model.ts';

/** A text as it is typed; a list or an object of such; `null`: nothing yet. */
export type Draft = string | null | readonly Draft[] | { readonly [name: string]: Draft };

/** The value of a form, or what keeps it from having one: by the path of the field, `size` or `items.2.name`. */
export type ReadDraft =
  | { readonly isOk: true; readonly value: unknown }
  | { readonly isOk: false; readonly problems: ReadonlyMap<string, string> };

/** What a field holds at first: its default, else nothing. */
export function beginDraft(field: Field, given: unknown = field.initial): Draft {
  switch (field.kind) {
    case 'text':
      return typeof given === 'string' ? given : null;
    case 'number':
      return typeof given === 'number' ? String(given) : null;
    case 'boolean':
      return typeof given === 'boolean' ? String(given) : null;
    case 'choice':
      return indexOf(field.values, given);
    case 'fixed':
      return null;
    case 'list':
      return Array.isArray(given) ? given.map((value) => beginDraft(field.item, value)) : [];
    case 'object':
      return Object.fromEntries(
        field.fields.map(({ name, field: inner }) => [name, beginDraft(inner, valueIn(given, name) ?? inner.initial)]),
      );
    case 'json':
      return given === undefined ? null : JSON.stringify(given, null, 2);
  }
}

/** Reads the whole form. */
export function readDraft(field: Field, draft: Draft): ReadDraft {
  const problems = new Map<string, string>();
  const value = read({ field, draft, path: '', isRequired: true, problems });
  if (problems.size > 0) return { isOk: false, problems };
  return { isOk: true, value };
}

interface Reading {
  readonly field: Field;
  readonly draft: Draft;
  readonly path: string;
  readonly isRequired: boolean;
  readonly problems: Map<string, string>;
}

/** The value; undefined: it is left out. */
function read(reading: Reading): unknown {
  const { field, draft } = reading;
  if (field.kind === 'fixed') return field.value;
  if (field.kind === 'list') return readList(reading, field, Array.isArray(draft) ? draft : []);
  if (field.kind === 'object') return readObject(reading, field, draft);
  if (typeof draft !== 'string' || (draft.trim() === '' && field.kind !== 'text')) return readNothing(reading);
  return readText(reading, field, draft);
}

function readNothing({ path, isRequired, problems }: Reading): undefined {
  if (isRequired) problems.set(path, 'is needed');
  return undefined;
}

function readText(reading: Reading, field: Exclude<Field, FieldOf<'fixed' | 'list' | 'object'>>, text: string) {
  switch (field.kind) {
    case 'text':
      return text === '' && !reading.isRequired ? undefined : text;
    case 'boolean':
      return text === 'true';
    case 'choice':
      return field.values[Number(text)];
    case 'number':
      return readNumber(reading, field, text);
    case 'json':
      return readJson(reading, text);
  }
}

function readNumber({ path, problems }: Reading, { isInteger }: FieldOf<'number'>, text: string): number | undefined {
  const value = Number(text);
  if (Number.isFinite(value) && (!isInteger || Number.isInteger(value))) return value;
  problems.set(path, isInteger ? 'is no whole number' : 'is no number');
  return undefined;
}

function readJson({ path, problems }: Reading, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    problems.set(path, `is no JSON: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

function readList({ path, problems }: Reading, { item }: FieldOf<'list'>, drafts: readonly Draft[]): unknown {
  return drafts.map((draft, index) =>
    read({ field: item, draft, path: pathOf(path, String(index)), isRequired: true, problems }),
  );
}

/** An object that need not be there is left out when nothing in it is filled in. */
function readObject({ path, isRequired, problems }: Reading, { fields }: FieldOf<'object'>, draft: Draft): unknown {
  const found = new Map<string, string>();
  const entries = fields.flatMap(({ name, isRequired: isNeeded, field }) => {
    const inner = draftOf(draft, name);
    const value = read({ field, draft: inner, path: pathOf(path, name), isRequired: isNeeded, problems: found });
    return value === undefined || (!isNeeded && isEmptyList(field, value)) ? [] : [[name, value] as const];
  });
  const isUntouched = fields.every(({ name, field }) => isUnfilled(field, draftOf(draft, name)));
  if (!isRequired && isUntouched) return undefined;
  for (const [at, problem] of found) problems.set(at, problem);
  return Object.fromEntries(entries);
}

function isEmptyList(field: Field, value: unknown): boolean {
  return field.kind === 'list' && Array.isArray(value) && value.length === 0;
}

function isUnfilled(field: Field, draft: Draft): boolean {
  if (field.kind === 'fixed') return true;
  if (field.kind === 'object')
    return field.fields.every(({ name, field: inner }) => isUnfilled(inner, draftOf(draft, name)));
  return draft === null || draft.length === 0;
}

/** What is filled in for a property. */
export function draftOf(draft: Draft, name: string): Draft {
  if (typeof draft !== 'object' || draft === null || Array.isArray(draft)) return null;
  const own = draft as { readonly [name: string]: Draft };
  return Object.hasOwn(own, name) ? (own[name] ?? null) : null;
}

/** The path of a field in another. */
export function pathOf(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function indexOf(values: readonly unknown[], given: unknown): Draft {
  const text = JSON.stringify(given);
  const index = given === undefined ? -1 : values.findIndex((value) => JSON.stringify(value) === text);
  return index < 0 ? null : String(index);
}

function valueIn(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}
