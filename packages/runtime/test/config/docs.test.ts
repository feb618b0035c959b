import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRefusal } from '@ramet/core';
import { makeScratchArea, type ScratchArea, writeFiles } from '@ramet/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { readConfiguration } from '../../src/config/index.ts';
import { CONFIG_FILE } from '../../src/config/read.ts';
import { SERVER } from '../../src/config/servers.ts';

function readPage(name: string): string {
  return readFileSync(join(import.meta.dirname, '../../../../docs/using', name), 'utf8');
}

function readExample(page: string): Record<string, unknown> {
  return JSON.parse(/```json\n([\s\S]*?)```/.exec(page)?.[1] ?? '') as Record<string, unknown>;
}

const PAGE = readPage('configuration.md');
const EXAMPLE = readExample(PAGE);
const SERVERS_PAGE = readPage('mcp.md');

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
    // Servers have a page of their own.
    if (key === 'mcpServers') return [key];
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

test('the page about MCP servers has a row for every key of one, and its example uses them all', () => {
  const rows = [...SERVERS_PAGE.matchAll(/^\| `(\w+)` \|/gm)].map(([, key]) => key);
  expect(rows).toEqual(Object.keys(SERVER.shape));
  const { mcpServers } = readExample(SERVERS_PAGE) as { readonly mcpServers: Record<string, object> };
  expect(new Set(Object.values(mcpServers).flatMap(Object.keys))).toEqual(new Set(rows));
  writeFiles(area.folder, { 'home/.config/ramet/ramet.json': JSON.stringify({ mcpServers }) });
  const request = { env: { HOME: area.home }, home: `${area.folder}/state`, checkout: null, trustProject: false };
  const read = readConfiguration(request);
  if (isRefusal(read)) throw new Error(read.message);
  expect(read.mcpServers).toMatchObject(
    Object.entries(mcpServers).map(([name, { type: _, ...server }]: [string, { type?: string }]) => ({
      name,
      ...server,
    })),
  );
});
