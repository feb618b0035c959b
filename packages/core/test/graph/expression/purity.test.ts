import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { evaluateExpression } from '../../../src/graph/index.ts';
import { scopeOf } from './scope.ts';

/** The library names a date and a promise as types; making one, and asking for the time, throws. */
const FORBIDDEN = `
  Date = class { constructor() { throw new Error('a date') } static now() { throw new Error('the time') } };
  Promise = class { constructor() { throw new Error('a promise') } };
  Math.random = undefined; Intl = undefined; WeakRef = undefined;
`;

const EXPRESSIONS = [
  'input.n + 1',
  'input.n + input.half',
  'input.list.map(x, x * 2).filter(x, x > 2)',
  'input.list.all(x, x > 0) && input.text.startsWith("h")',
  '{"a": [input.list, string(input.half)], "b": input.text + "!"}',
  'nodes.a.output == {"x": [1]} ? input.text.upperAscii() : ""',
];

it('has the same value in a bundle for browsers, without clock, randomness and anything asynchronous', async () => {
  const bundle = await build({
    stdin: {
      contents: `export { evaluateExpression } from './index.ts';`,
      resolveDir: join(import.meta.dirname, '../../../src/graph/expression'),
    },
    bundle: true,
    platform: 'browser',
    format: 'iife',
    globalName: 'core',
    write: false,
    logLevel: 'silent',
  });
  const code = bundle.outputFiles[0]?.text ?? '';
  const input = { n: 5, half: 1.5, list: [1, 2, 3], text: 'hi' };
  const scope = scopeOf(input, { a: { x: [1] } });
  const context = createContext({ TextEncoder, TextDecoder, atob, btoa, scope, texts: EXPRESSIONS });
  const script = `${FORBIDDEN} ${code}; JSON.stringify(texts.map((text) => core.evaluateExpression(text, scope)))`;
  const here = EXPRESSIONS.map((text) => evaluateExpression(text, scope));
  expect(runInContext(script, context)).toBe(JSON.stringify(here));
});
