import { GRAPH_SCHEMA, isGraphProblems, validateGraph } from '@ramet/core';
import { describe, expect, it } from 'vitest';

interface Fields {
  readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const KINDS = GRAPH_SCHEMA.$defs as Readonly<Record<string, Fields>>;

/** Fields that may be any JSON: templates. */
function templatesOf(kind: string): readonly string[] {
  return Object.entries(KINDS[kind]?.properties ?? {})
    .filter(([, schema]) => Object.keys(schema).join() === 'description')
    .map(([name]) => name);
}

const NODES = {
  agent: {},
  tool: { tool: 'charge' },
  gate: { question: '?' },
  branch: { choices: { a: 'first', b: 'second' }, ends: ['a', 'b'] },
  map: { over: '[1]', body: { nodes: { inner: { kind: 'gate', question: '?' } } } },
  fold: { until: 'true', maxPasses: 1, body: { nodes: { inner: { kind: 'gate', question: '?' } } } },
};

describe('every field of a node that the schema lets be any JSON', () => {
  it.each(Object.entries(NODES))('is read as a template: %s', (kind, fields) => {
    const templates = templatesOf(kind);
    expect(templates).toContain('input');
    for (const name of templates) {
      const node = { kind, ...fields, [name]: { deep: [`\${{ nodes.gone.output }}`] } };
      const found = validateGraph({ schema: 1, nodes: { node } });
      expect(isGraphProblems(found) && found).toEqual([
        { at: `/nodes/node/${name}/deep/0`, message: expect.stringContaining("unknown node 'gone'") },
      ]);
    }
  });
});
