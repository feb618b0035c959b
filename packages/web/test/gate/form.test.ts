import { describe, expect, it } from 'vitest';
import { beginDraft, type Draft, readDraft } from '../../src/gate/draft.ts';
import { fieldOf } from '../../src/gate/field-model.ts';

const SCHEMA = {
  type: 'object',
  required: ['size', 'mode', 'owner'],
  properties: {
    size: { type: 'integer', minimum: 1, description: 'how many' },
    mode: { enum: ['fast', 'slow', 3] },
    note: { type: 'string' },
    sure: { type: 'boolean', default: true },
    tags: { type: 'array', items: { type: 'string' } },
    owner: { type: 'object', required: ['name'], properties: { name: { type: 'string', maxLength: 20 } } },
    extra: { anyOf: [{ type: 'string' }, { type: 'number' }] },
    version: { const: 2 },
  },
};

function fillIn(schema: unknown, change: (draft: Draft) => Draft): unknown {
  const field = fieldOf(schema);
  const read = readDraft(field, change(beginDraft(field)));
  return read.isOk ? read.value : Object.fromEntries(read.problems);
}

describe('the fields of a schema', () => {
  it('are of the kinds that it names, nested ones too', () => {
    const field = fieldOf(SCHEMA);
    const kinds = field.kind === 'object' ? field.fields.map(({ name, field: inner }) => [name, inner.kind]) : [];
    expect(Object.fromEntries(kinds)).toEqual({
      size: 'number',
      mode: 'choice',
      note: 'text',
      sure: 'boolean',
      tags: 'list',
      owner: 'object',
      extra: 'json',
      version: 'fixed',
    });
  });

  it('are JSON as text for whatever no field is made for', () => {
    const beyond = [
      true,
      {},
      { $ref: '#/$defs/a' },
      { type: ['string', 'null'] },
      { type: 'object' },
      { type: 'object', properties: {}, additionalProperties: { type: 'number' } },
      { type: 'object', properties: { a: {} }, required: ['b'] },
      { type: 'array' },
      { type: 'string', allOf: [{ minLength: 1 }] },
    ];
    expect(beyond.map((schema) => fieldOf(schema).kind)).toEqual(beyond.map(() => 'json'));
  });

  it('end in JSON where a schema is nested without end', () => {
    let schema: Record<string, unknown> = { type: 'string' };
    for (let depth = 0; depth < 40; depth += 1) schema = { type: 'array', items: schema };
    expect(JSON.stringify(fieldOf(schema))).toContain('"json"');
  });
});

describe('what is filled in', () => {
  it('is read with its types, and what is left empty is left out', () => {
    const value = fillIn(SCHEMA, (draft) => ({
      ...(draft as Record<string, Draft>),
      size: ' 3 ',
      mode: '2',
      tags: ['a', ''],
      owner: { name: 'Ada' },
      extra: '[1]',
    }));
    expect(value).toEqual({
      size: 3,
      mode: 3,
      sure: true,
      tags: ['a', ''],
      owner: { name: 'Ada' },
      extra: [1],
      version: 2,
    });
  });

  it('is a problem, named by its path, where it is needed and empty, or not of its kind', () => {
    const value = fillIn(SCHEMA, (draft) => ({ ...(draft as Record<string, Draft>), size: '1.5', extra: '{' }));
    expect(value).toMatchObject({
      size: 'is no whole number',
      mode: 'is needed',
      'owner.name': 'is needed',
      extra: expect.stringContaining('is no JSON'),
    });
  });

  it('leaves out an object that need not be there and was not touched', () => {
    const schema = {
      type: 'object',
      properties: {
        a: { type: 'object', required: ['x'], properties: { x: { type: 'number' } } },
        b: { type: 'array', items: {} },
      },
    };
    expect(fillIn(schema, (draft) => draft)).toEqual({});
    expect(fillIn(schema, () => ({ a: { x: '1' } }))).toEqual({ a: { x: 1 } });
  });

  it('takes a yes or no that nobody chose for no answer', () => {
    expect(fillIn({ type: 'boolean' }, (draft) => draft)).toEqual({ '': 'is needed' });
    expect(fillIn({ type: 'boolean' }, () => 'false')).toBe(false);
  });

  it('begins with the defaults of the schema', () => {
    const schema = {
      type: 'object',
      properties: { n: { type: 'number' }, list: { type: 'array', items: { enum: ['a', 'b'] } } },
    };
    expect(fillIn({ ...schema, default: { n: 4, list: ['b'] } }, (draft) => draft)).toEqual({ n: 4, list: ['b'] });
  });

  it('reads names that every object has as names like any other', () => {
    const schema = { type: 'object', properties: { constructor: { type: 'string' }, toString: { type: 'string' } } };
    expect(fillIn(schema, (draft) => draft)).toEqual({});
  });
});
