import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeRepository, render } from './fixture.ts';
import { checkPurity } from './purity.ts';

const SOURCE = 'packages/core/src/a.ts';
const root = join(import.meta.dirname, '../..');

function check(text: string): string[] {
  return render(checkPurity(makeRepository({ [SOURCE]: text })));
}

test.each([
  ['Date.now();', 'uses Date.now'],
  ['new Date();', 'uses new Date() without an argument'],
  ['Date();', 'uses Date()'],
  ['Math.random();', 'uses Math.random'],
  [`import fs from 'node:fs';`, `imports 'node:fs'`],
  ['export const a = async () => 1;', 'uses async'],
  ['async function f() {}', 'uses async'],
  ['class A { async m() {} }', 'uses async'],
  ['await x;', 'uses await'],
  ['export {}; for await (const a of b) x(a);', 'uses for await'],
  [`import('./b.ts');`, 'uses import()'],
  ['process.env;', 'uses process.'],
  ['console.log(1);', 'uses console.'],
  ['setTimeout(f, 1);', 'uses setTimeout()'],
  ['fetch(url);', 'uses fetch()'],
  ['a.localeCompare(b);', 'uses .localeCompare, which depends on the machine'],
  ['a.toLocaleString();', 'uses .toLocaleString, which depends on the machine'],
])('finds %s', (text, message) => {
  expect(check(`\n${text}`)).toEqual([`${SOURCE}:2 core is pure, but ${message}`]);
});

test('accepts a date made from a value, and words in comments and strings', () => {
  expect(check(`// Date.now(), await\nexport const a = new Date(0), b = 'Math.random()';`)).toEqual([]);
});

test('looks at core only', () => {
  expect(render(checkPurity(makeRepository({ 'packages/runtime/src/a.ts': 'Date.now();' })))).toEqual([]);
});

test.each(['process', 'document', 'setTimeout', 'Buffer', 'fetch'])(
  "core's compiler settings do not know %s",
  (name) => {
    const folder = makeRepository({
      'tsconfig.base.json': readFileSync(join(root, 'tsconfig.base.json'), 'utf8'),
      'packages/core/tsconfig.json': readFileSync(join(root, 'packages/core/tsconfig.json'), 'utf8'),
      [SOURCE]: `export const a = ${name};\n`,
    });
    const tsc = spawnSync(join(root, 'node_modules/.bin/tsc'), ['--pretty', 'false', '-p', 'packages/core'], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(tsc.stdout).toContain(`Cannot find name '${name}'`);
    expect(tsc.status).not.toBe(0);
  },
);
