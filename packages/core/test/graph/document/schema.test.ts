import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GRAPH_SCHEMA, isGraphProblems, validateGraph } from '../../../src/graph/index.ts';
import { WHOLE } from './documents.ts';

const accepts = new Ajv2020({ strict: true, strictRequired: false, allErrors: false }).compile(GRAPH_SCHEMA);
const validates = (value: unknown) => !isGraphProblems(validateGraph(value));

/** Places of a document, as lists of steps. */
function placesOf(value: unknown, place: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [place];
  const steps = Array.isArray(value) ? value.map((_, index) => index) : Object.keys(value);
  return [place, ...steps.flatMap((step) => placesOf((value as Record<string, unknown>)[step], [...place, step]))];
}

/** A copy with another value, another name, or nothing at a place. */
function change(value: unknown, [step, ...rest]: readonly (string | number)[], edit: Edit): unknown {
  if (step === undefined) return edit.kind === 'value' ? edit.value : value;
  const copy = structuredClone(value) as Record<string, unknown>;
  const name = String(step);
  if (rest.length > 0 || edit.kind === 'value') copy[name] = change(copy[name], rest, edit);
  else if (Array.isArray(copy)) copy.splice(Number(step), 1);
  else if (edit.kind === 'remove') delete copy[name];
  else Object.assign(copy, { [edit.name]: copy[name] });
  return copy;
}

type Edit =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'remove' }
  | { readonly kind: 'name'; readonly name: string };

const values = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, 1, -1, 1.5, 2 ** 53, '', 'a', 'a b', [], {}, [1], ['a']),
  fc.constantFrom('agent', 'tool', 'gate', 'branch', 'map', 'fold', 'run', 'read', 'finish', 'list'),
  fc.jsonValue(),
);
const names = fc.constantFrom('kind', 'input', 'tool', 'exec', 'cases', 'choices', 'on', 'output', 'extra', '__proto');
const edits: fc.Arbitrary<Edit> = fc.oneof(
  values.map((value) => ({ kind: 'value' as const, value: JSON.parse(JSON.stringify(value)) as unknown })),
  fc.constant({ kind: 'remove' as const }),
  names.map((name) => ({ kind: 'name' as const, name })),
);

describe('the schema of documents', () => {
  it('is itself one of JSON Schema 2020-12', () => {
    expect(GRAPH_SCHEMA.$schema).toBe('https://json-schema.org/draft/2020-12/schema');
    expect(new Ajv2020().validateSchema(GRAPH_SCHEMA)).toBe(true);
  });

  it('accepts what the validation accepts', () => {
    expect(accepts(WHOLE)).toBe(true);
    expect(validates(WHOLE)).toBe(true);
  });

  it('refuses nothing that the validation accepts, whatever is changed', () => {
    const places = placesOf(WHOLE);
    let refused = 0;
    let accepted = 0;
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom(...places), edits), { minLength: 1, maxLength: 2 }), (changes) => {
        let value: unknown = WHOLE;
        for (const [place, edit] of changes) if (holds(value, place)) value = change(value, place, edit);
        if (accepts(value)) accepted += 1;
        else refused += 1;
        if (!accepts(value)) expect(validates(value)).toBe(false);
      }),
      { numRuns: 1000 },
    );
    expect(Math.min(refused, accepted)).toBeGreaterThan(100);
  });

  it('and the validation refuse the same where a value alone is wrong', () => {
    const wrong: unknown[] = [null, 7, 'x', [], { kind: 'agent' }, -1, 1.5, ''];
    for (const place of placesOf(WHOLE))
      for (const value of wrong) {
        const changed = change(WHOLE, place, { kind: 'value', value });
        if (!accepts(changed)) expect([place, value, validates(changed)]).toEqual([place, value, false]);
      }
  });

  it('describes every field', () => {
    const definitions = GRAPH_SCHEMA.$defs as Record<string, { properties?: Record<string, Record<string, unknown>> }>;
    for (const { properties } of [GRAPH_SCHEMA as (typeof definitions)[string], ...Object.values(definitions)])
      for (const [name, field] of Object.entries(properties ?? {}))
        expect([name, 'description' in field || '$ref' in field || 'const' in field]).toEqual([name, true]);
  });
});

function holds(value: unknown, place: readonly (string | number)[]): boolean {
  let at = value;
  return place.every((step) => {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return false;
    at = (at as Record<string, unknown>)[step];
    return true;
  });
}
