import type { JsonSchema } from '@ramet/core';
import { describe, expect, it } from 'vitest';
import { runBounded } from '../../src/graph/documents/bounded.ts';
import { checkAgainst, compileJsonSchema } from '../../src/graph/documents/json-schema.ts';

describe('a hostile schema', () => {
  it('that answers later counts as none: a promise would be a yes to everything', async () => {
    expect(await compileJsonSchema({ $async: true, type: 'number' })).toMatchObject({
      problem: expect.stringContaining('$async'),
    });
    const inner = { $defs: { later: { $async: true, type: 'number' } }, properties: { a: { $ref: '#/$defs/later' } } };
    expect(await compileJsonSchema(inner)).toMatchObject({ problem: expect.stringContaining('async') });
  });

  it.each<JsonSchema>([
    { $ref: '#' },
    { $defs: { a: { allOf: [{ $ref: '#/$defs/a' }] } }, $ref: '#/$defs/a' },
    { $dynamicRef: '#x' },
  ])('that refers to itself alone fits nothing, and says so: %j', async (schema) => {
    expect(await checkAgainst(schema, 1)).toMatch(/without an end/);
  });

  it('fetches nothing', async () => {
    expect(await compileJsonSchema({ $ref: 'http://127.0.0.1:9/x.json' })).toMatchObject({
      problem: expect.stringContaining('resolve'),
    });
    expect(await compileJsonSchema({ $schema: 'http://127.0.0.1:9/x.json' })).toMatchObject({
      problem: expect.stringContaining('no schema'),
    });
  });

  it('with very many allowed values names some of them', async () => {
    const values = Array.from({ length: 100_000 }, (_, index) => `value ${index}`);
    const said = await checkAgainst({ enum: values }, 'other');
    expect(said).toContain('value 1');
    expect(said?.length).toBeLessThan(1000);
  });

  it('asks for own properties alone', async () => {
    expect(await checkAgainst({ required: ['__proto__', 'constructor'] }, {})).toMatch(/__proto__.*constructor/);
  });
});

it('a schema of a tree may name itself', async () => {
  const tree = { properties: { kids: { items: { $ref: '#' } } }, additionalProperties: false };
  expect(await checkAgainst(tree, { kids: [{ kids: [] }] })).toBeNull();
  expect(await checkAgainst(tree, { kids: [{ kids: [{ other: 1 }] }] })).toMatch(/additional/);
});

it('what goes on for ever is stopped, and what goes wrong comes out as it is', () => {
  const forever = (): never => {
    for (;;);
  };
  expect(() => runBounded(forever, 20)).toThrow('it takes more than 0.02 seconds');
  const mistake = new TypeError('mine');
  const fail = (): never => {
    throw mistake;
  };
  expect(() => runBounded(fail)).toThrow(mistake);
  expect(runBounded(() => 5)).toBe(5);
});
