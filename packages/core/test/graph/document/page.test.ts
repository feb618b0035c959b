import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { NODE_SCHEMAS } from '../../../src/graph/document/schema.ts';
import { GRAPH_SCHEMA, validateGraph } from '../../../src/graph/index.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../../../../docs/using/graph-documents.md'), 'utf8');

interface Fields {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required: readonly string[];
}

const { $defs, ...document } = GRAPH_SCHEMA as unknown as Fields & { readonly $defs: Readonly<Record<string, Fields>> };
const KINDS = Object.values(NODE_SCHEMAS) as unknown as readonly Fields[];

/** What every kind has, and must have. */
const BASE: Fields = {
  properties: Object.fromEntries(
    Object.entries(KINDS[0]?.properties ?? {}).filter(([name]) =>
      KINDS.every(({ properties }) => Object.hasOwn(properties, name)),
    ),
  ),
  required: ['kind'],
};

/** Headings of the page, by the schema of what stands under each. */
const { node: _, ...named } = $defs;
const SECTIONS: Readonly<Record<string, Fields>> = { document, 'every node': BASE, ...named };

/** The fields of each table of fields, by its heading; `needed` those marked so. */
function readSections(): Readonly<Record<string, { readonly fields: string[]; readonly needed: string[] }>> {
  const sections = PAGE.split(/^## /m).slice(1);
  const read = sections.map((section) => {
    const rows = [...section.matchAll(/^\| `(\w+)` \| (yes)? ?\|/gm)];
    const needed = rows.filter(([, , word]) => word === 'yes');
    const names = (list: typeof rows) => list.map(([, name = '']) => name).toSorted();
    return [section.slice(0, section.indexOf('\n')).toLowerCase(), { fields: names(rows), needed: names(needed) }];
  });
  return Object.fromEntries(read);
}

test('the page about documents has a row for every field of the schema, and for no other', () => {
  const tables = Object.entries(readSections()).filter(([, { fields }]) => fields.length > 0);
  expect(tables.map(([name]) => name).toSorted()).toEqual(Object.keys(SECTIONS).toSorted());
  for (const [name, { fields, needed }] of tables) {
    const { properties = {}, required = [] } = SECTIONS[name] ?? {};
    const isOwn = (field: string) => !Object.hasOwn(NODE_SCHEMAS, name) || !Object.hasOwn(BASE.properties, field);
    expect(fields, name).toEqual(Object.keys(properties).filter(isOwn).toSorted());
    expect(needed, name).toEqual(required.filter(isOwn).toSorted());
  }
});

test('the document of the page is one', () => {
  const [, example = ''] = /```json\n([\s\S]*?)```/.exec(PAGE) ?? [];
  const value: unknown = JSON.parse(example);
  expect(validateGraph(value)).toEqual(value);
});
