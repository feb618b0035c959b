import { expect, test } from 'vitest';
import { checkArrows } from './arrows.ts';
import { makeRepository, render } from './fixture.ts';

function check(files: Readonly<Record<string, string>>): string[] {
  return render(checkArrows(makeRepository(files)));
}

test('accepts imports that follow the arrows', () => {
  const problems = check({
    'packages/core/src/index.ts': `export * from './log/index.ts';`,
    'packages/core/src/log/index.ts': `export const a = 1;`,
    'packages/runtime/src/index.ts': `import fs from 'node:fs';\nimport { a } from '@ramet/core';\nexport { fs, a };`,
    'packages/cli/src/main.ts': `import '@ramet/core';\nimport '@ramet/runtime/store';\nimport '@stricli/core';`,
    'packages/testkit/src/index.ts': `export * from '@ramet/runtime';`,
    'packages/testkit/src/auditor/index.ts': `import 'node:crypto';\nimport './chain.ts';`,
    'packages/core/test/a.test.ts': `import '@ramet/testkit';\nimport 'vitest';\nimport '../src/index.ts';`,
    'test/e2e/a.test.ts': `import '../../packages/core/src/index.ts';`,
  });
  expect(problems).toEqual([]);
});

test("accepts core's one library in the folder that owns it, and nowhere else", () => {
  const text = `import { parse } from '@marcbachmann/cel-js';`;
  expect(check({ 'packages/core/src/graph/expression/a.ts': text })).toEqual([]);
  expect(check({ 'packages/core/package.json': `{ "dependencies": { "@marcbachmann/cel-js": "8.0.0" } }` })).toEqual(
    [],
  );
  expect(check({ 'packages/core/src/graph/a.ts': text })).toEqual([
    "packages/core/src/graph/a.ts:1 core imports '@marcbachmann/cel-js' outside packages/core/src/graph/expression",
  ]);
});

test.each([
  ['a library in core', `import 'zod';`, "core imports 'zod'; it may import nothing but itself"],
  ["Node's modules in core", `import 'node:fs';`, "core imports 'node:fs'; it may import nothing but itself"],
  ['core by its own name', `import '@ramet/core';`, "core imports '@ramet/core'; it may import nothing but itself"],
  ['a dynamic import', `const a = import('ai');`, "core imports 'ai'; it may import nothing but itself"],
  ['an import type', `export type A = import('ai').A;`, "core imports 'ai'; it may import nothing but itself"],
  ['a re-export', `export { a } from 'ai';`, "core imports 'ai'; it may import nothing but itself"],
])('refuses %s', (_name, text, message) => {
  expect(check({ 'packages/core/src/a.ts': `\n${text}` })).toEqual([`packages/core/src/a.ts:2 ${message}`]);
});

test('refuses an import against the arrows', () => {
  expect(check({ 'packages/runtime/src/a.ts': `import 'ramet';` })).toEqual([
    "packages/runtime/src/a.ts:1 runtime imports 'ramet'; it may import of ours only core",
  ]);
  expect(check({ 'packages/cli/src/a.ts': `import '@ramet/testkit';` })).toEqual([
    "packages/cli/src/a.ts:1 cli imports '@ramet/testkit'; it may import of ours only core, runtime, client, server",
  ]);
});

test('refuses a relative import that leaves the package, also from its tests', () => {
  expect(
    check({
      'packages/runtime/src/a.ts': `import '../../core/src/index.ts';`,
      'packages/runtime/test/a.test.ts': `import '../../core/src/index.ts';`,
    }),
  ).toEqual([
    "packages/runtime/src/a.ts:1 '../../core/src/index.ts' leaves packages/runtime/src; import the package by its name",
    "packages/runtime/test/a.test.ts:1 '../../core/src/index.ts' leaves packages/runtime; import the package by its name",
  ]);
});

test('refuses a relative import without its extension', () => {
  expect(check({ 'packages/core/src/a.ts': `import './b';` })).toEqual([
    "packages/core/src/a.ts:1 './b' needs its file extension (.ts)",
  ]);
});

test('refuses anything shared in the auditor', () => {
  expect(
    check({
      'packages/testkit/src/auditor/a.ts': `import '@ramet/core';\nimport '../builders/index.ts';\nimport 'zod';`,
    }),
  ).toEqual([
    "packages/testkit/src/auditor/a.ts:1 the auditor imports '@ramet/core'; it may only use node: modules",
    "packages/testkit/src/auditor/a.ts:2 the auditor imports '../builders/index.ts', outside its folder",
    "packages/testkit/src/auditor/a.ts:3 the auditor imports 'zod'; it may only use node: modules",
  ]);
});

test('refuses a dependency in a manifest against the arrows', () => {
  expect(
    check({
      'packages/core/package.json': `{\n  "dependencies": {\n    "zod": "4.6.7"\n  }\n}`,
      'packages/runtime/package.json': `{ "devDependencies": { "ramet": "0.1.0" } }`,
    }),
  ).toEqual([
    "packages/core/package.json:3 core depends on 'zod'; it may use no other package",
    "packages/runtime/package.json:1 runtime depends on 'ramet'; it may use of ours only core",
  ]);
});

test('refuses a package without an entry in the table', () => {
  expect(check({ 'packages/extra/src/index.ts': '' })).toEqual([
    'scripts/check/arrows.ts:1 packages/extra has no entry in the table of arrows',
  ]);
});
