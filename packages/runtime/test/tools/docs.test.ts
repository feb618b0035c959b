import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseScript } from '../../src/model/script.ts';
import { builtinTools } from '../../src/tools/index.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../../../docs/using/scripted-models.md'), 'utf8');
const SCRIPTS = [...PAGE.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text = '']) => text);

test('the page names every tool with its inputs, and which of them may be left out', () => {
  const rows = [...PAGE.matchAll(/^\| `(\w+)` \| (`.+?`) \| .+ \|$/gm)].map(([, name, inputs = '']) => ({
    name,
    inputs: inputs.split(', ').map((input) => input.replaceAll('`', '')),
  }));
  const tools = builtinTools().map(({ name, inputSchema }) => {
    const { properties = {}, required = [] } = inputSchema as { properties?: object; required?: readonly string[] };
    return { name, inputs: Object.keys(properties).map((key) => (required.includes(key) ? key : `${key}?`)) };
  });
  expect(rows).toEqual(tools);
});

test('every script of the page is one, and its calls are calls of tools', () => {
  expect(SCRIPTS).toHaveLength(2);
  const names = builtinTools().map(({ name }) => name);
  for (const script of SCRIPTS) {
    for (const { toolCalls } of parseScript(script)) {
      for (const call of toolCalls) expect(names).toContain(call.name);
    }
  }
});
