import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRefusal } from '@ramet/core';
import { makeScratchArea, type ScratchArea, writeFiles } from '@ramet/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { readConfiguration } from '../../src/config/index.ts';
import { CONFIG_FILE } from '../../src/config/read.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../../../docs/using/configuration.md'), 'utf8');
const EXAMPLE = JSON.parse(/```json\n([\s\S]*?)```/.exec(PAGE)?.[1] ?? '') as Record<string, unknown>;

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

/** Every key of a schema as the page writes it: `workspace.carry`, `permissions[].tool`. */
function listKeys({ properties = {} }: Schema, prefix = ''): readonly string[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const key = `${prefix}${name}`;
    const inner = schema.items === undefined ? listKeys(schema, `${key}.`) : listKeys(schema.items, `${key}[].`);
    // What only holds others is told by those.
    return schema.properties === undefined ? [key, ...inner] : inner;
  });
}

/** The same keys, of a value. */
function listUsedKeys(value: unknown, prefix = ''): readonly string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const key = `${prefix}${name}`;
    if (!Array.isArray(inner)) return [...(typeof inner === 'object' ? [] : [key]), ...listUsedKeys(inner, `${key}.`)];
    return [key, ...inner.flatMap((item) => listUsedKeys(item, `${key}[].`))];
  });
}

let area: ScratchArea;
beforeEach(() => {
  area = makeScratchArea();
});
afterEach(() => area.remove());

test('the page has a row for every key that is read, and for no other', () => {
  const schema = z.toJSONSchema(CONFIG_FILE, { io: 'input' }) as Schema;
  const rows = [...PAGE.matchAll(/^\| `([a-z][\w.[\]]*)` \|/gm)].map(([, key]) => key);
  expect(rows.toSorted()).toEqual(listKeys(schema).toSorted());
});

test('the example uses every key, and is read as it says', () => {
  const schema = z.toJSONSchema(CONFIG_FILE, { io: 'input' }) as Schema;
  expect(new Set(listUsedKeys(EXAMPLE))).toEqual(new Set(listKeys(schema)));
  writeFiles(area.folder, { 'checkout/ramet.json': JSON.stringify(EXAMPLE) });
  const request = { env: { HOME: area.home }, home: `${area.folder}/state`, checkout: `${area.folder}/checkout` };
  const read = readConfiguration({ ...request, trustProject: true });
  if (isRefusal(read)) throw new Error(read.message);
  const { model, permissions, workspace } = EXAMPLE;
  expect(read).toMatchObject({ model, rules: permissions, ...(workspace as object) });
});
