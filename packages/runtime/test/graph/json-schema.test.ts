import type { JsonSchema } from '@ramet/core';
import { describe, expect, it } from 'vitest';
import { runBounded } from '../../src/graph/documents/bounded.ts';
import { checkAgainst, findSchemaProblems } from '../../src/graph/documents/json-schema.ts';

describe('a hostile schema', () => {
  it('that answers later counts as none: a promise would be a yes to everything', async () => {
    const inner = { $defs: { later: { $async: true, type: 'number' } }, properties: { a: { $ref: '#/$defs/later' } } };
    expect(await findSchemaProblems([{ $async: true, type: 'number' }, inner])).toEqual([
      expect.stringContaining('$async'),
      expect.stringContaining('async'),
    ]);
  });

  it.each<JsonSchema>([
    { $ref: '#' },
    { $defs: { a: { allOf: [{ $ref: '#/$defs/a' }] } }, $ref: '#/$defs/a' },
    { $dynamicRef: '#x' },
  ])('that refers to itself alone fits nothing, and says so: %j', async (schema) => {
    expect(await checkAgainst(schema, 1)).toMatch(/without an end/);
  });

  it('fetches nothing', async () => {
    const url = 'http://127.0.0.1:9/x.json';
    expect(await findSchemaProblems([{ $ref: url }, { $schema: url }])).toEqual([
      expect.stringContaining('resolve'),
      expect.stringContaining('no schema'),
    ]);
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

/** How often a timer of this thread came to its turn while something was awaited. */
async function countTicks<T>(work: Promise<T>): Promise<{ readonly ticks: number; readonly result: T }> {
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
  }, 5);
  try {
    return { result: await work, ticks };
  } finally {
    clearInterval(timer);
  }
}

describe('a check that takes long keeps nobody else waiting', () => {
  const LIMIT_MS = 700;
  const objects = Array.from({ length: 100_000 }, (_, index) => ({ index }));
  const doubling = (keyword: string): JsonSchema => ({
    $defs: Object.fromEntries([
      ['d0', { type: 'string' }],
      ...Array.from({ length: 40 }, (_, index) => {
        const $ref = `#/$defs/d${index}`;
        return [`d${index + 1}`, { [keyword]: [{ $ref }, { $ref }] }] as const;
      }),
    ]),
    $ref: '#/$defs/d40',
  });

  it.each<readonly [string, JsonSchema, unknown]>([
    ['uniqueItems of many objects', { uniqueItems: true }, objects],
    ['allOf that doubles', doubling('allOf'), 1],
    ['anyOf that doubles', doubling('anyOf'), 1],
    ['a large enum of objects', { items: { enum: objects } }, objects.map(() => ({ index: -1 }))],
  ])('%s', async (_, schema, value) => {
    const { ticks, result } = await countTicks(checkAgainst(schema, value, LIMIT_MS));
    expect(result).toBe('it cannot be held against the schema: it takes more than 0.7 seconds');
    expect(ticks).toBeGreaterThan(5);
  });

  it('a schema that takes long to read is refused as one', async () => {
    const properties = Object.fromEntries(objects.map(({ index }) => [`p${index}`, { minLength: index }]));
    const { ticks, result } = await countTicks(findSchemaProblems([{}, { properties }, {}], LIMIT_MS));
    expect(result).toEqual([null, 'it takes more than 0.7 seconds']);
    expect(ticks).toBeGreaterThan(5);
  });

  it('and is answered as any other when it has an end', async () => {
    const some = objects.slice(0, 6_000);
    const { ticks, result } = await countTicks(checkAgainst({ uniqueItems: true }, [{ index: 0 }, ...some], 60_000));
    expect(result).toMatch(/duplicate/);
    expect(ticks).toBeGreaterThan(5);
    expect(await checkAgainst({ uniqueItems: true }, some, 60_000)).toBeNull();
  });

  it('each of many at once gets its answer', async () => {
    const checks = Array.from({ length: 5 }, () => checkAgainst({ uniqueItems: true }, objects, LIMIT_MS));
    for (const said of await Promise.all(checks)) expect(said).toMatch(/more than 0.7 seconds/);
  });
});

it('what goes on for ever is stopped, and what goes wrong comes out as it is', () => {
  const forever = (): never => {
    for (;;);
  };
  expect(runBounded(forever, 20)).toBe(false);
  const mistake = new TypeError('mine');
  const fail = (): never => {
    throw mistake;
  };
  expect(() => runBounded(fail, 1000)).toThrow(mistake);
  const done: number[] = [];
  expect(runBounded(() => void done.push(1), 1000)).toBe(true);
  expect(done).toEqual([1]);
});
