import { expect, test } from 'vitest';
import { makeRepository, render } from './fixture.ts';
import { checkSizes } from './sizes.ts';

const SOURCE = 'packages/core/src/a.ts';

function check(text: string, file: string = SOURCE): string[] {
  return render(checkSizes(makeRepository({ [file]: text })));
}

function lines(count: number, line: string): string {
  return `${line}\n`.repeat(count);
}

test('measures functions of every form', () => {
  const body = lines(59, '  x();');
  expect(check(`function a() {\n${lines(58, '  x();')}}\n`)).toEqual([]);
  for (const head of ['function a() {', 'const a = () => {', 'const a = function () {']) {
    expect(check(`${head}\n${body}}\n`)).toEqual([`${SOURCE}:1 function has 61 lines, more than 60`]);
  }
  expect(check(`class A {\n  a() {\n${body}}\n}\n`)).toEqual([`${SOURCE}:2 function has 61 lines, more than 60`]);
});

test('does not count the lines of a describe callback, wherever it stands', () => {
  const suite = `describe('a store', () => {\n${lines(70, "  test('x', () => {});")}});\n`;
  expect(check(suite)).toEqual([]);
  expect(check(`export function storeContract() {\n${suite}}\n`)).toEqual([]);
  expect(check(`export function storeContract() {\n${suite}${lines(60, '  x();')}}\n`)).toEqual([
    `${SOURCE}:1 function has 63 lines, more than 60`,
  ]);
});

test('measures files of source and of tests', () => {
  expect(check(lines(400, 'x();'))).toEqual([]);
  expect(check(lines(401, 'x();'))).toEqual([`${SOURCE}:401 file has 401 lines, more than 400`]);
  expect(check(lines(800, 'x();'), 'test/a.test.ts')).toEqual([]);
  expect(check(lines(801, 'x();'), 'packages/core/test/a.ts')).toEqual([
    'packages/core/test/a.ts:801 file has 801 lines, more than 800',
  ]);
});

test('measures components as it measures every source', () => {
  const component = `function Page() {\n${lines(59, '  x();')}  return <p>there</p>;\n}\n`;
  const file = 'packages/web/src/page.tsx';
  expect(check(component, file)).toEqual([`${file}:1 function has 62 lines, more than 60`]);
});

test('counts positional parameters, also of signatures', () => {
  const message = '4 parameters, more than 3: take an options type';
  expect(check('function f(this: unknown, a: 1, b: 2, c: 3) {}')).toEqual([]);
  expect(check('function f(a: 1, b: 2, c: 3, d: 4) {}')).toEqual([`${SOURCE}:1 ${message}`]);
  expect(check('class A {\n  constructor(a: 1, b: 2, c: 3, d: 4) {}\n}')).toEqual([`${SOURCE}:2 ${message}`]);
  expect(check('interface I {\n  m(a: 1, b: 2, c: 3, d: 4): void;\n}')).toEqual([`${SOURCE}:2 ${message}`]);
  expect(check('type F = (a: 1, b: 2, c: 3, d: 4) => void;')).toEqual([`${SOURCE}:1 ${message}`]);
});

test('asks a reason for any and for a non-null mark', () => {
  const ending = 'without a reason in a comment on this or the previous line';
  expect(check('const a = b as any;')).toEqual([`${SOURCE}:1 \`any\` ${ending}`]);
  expect(check('const a = b!.c;')).toEqual([`${SOURCE}:1 non-null \`!\` ${ending}`]);
  expect(check('class A {\n  a!: string;\n}')).toEqual([`${SOURCE}:2 definite \`!\` ${ending}`]);
  expect(check('let a!: string;')).toEqual([`${SOURCE}:1 definite \`!\` ${ending}`]);
});

test('accepts a hole in the types with its reason, and any in tests', () => {
  expect(check('const a = b as any; // The library types this wrongly.')).toEqual([]);
  expect(check('// Checked one line above.\nconst a = b!.c;')).toEqual([]);
  expect(check('// Too far away.\n\nconst a = b!.c;')).toHaveLength(1);
  expect(check('const a = b!.c as any;', 'test/a.test.ts')).toEqual([]);
});

test('ignores the words in strings and comments', () => {
  expect(check(`// any!\nconst a = 'any';\nconst b = !a;`)).toEqual([]);
});
