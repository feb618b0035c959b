import { describe, expect, it } from 'vitest';
import { evaluateTemplate } from '../../../src/graph/index.ts';
import { scopeOf } from './scope.ts';

const SCOPE = scopeOf({ n: 5, text: 'hi', list: [1, { b: 2, a: 1 }], none: null }, { a: 'done' });
const D = '$';

describe('a template', () => {
  it.each([
    [`${D}{{ input.n }}`, 5],
    [`${D}{{input.list}}`, [1, { b: 2, a: 1 }]],
    [` ${D}{{ input.n }}`, ' 5'],
    [`n=${D}{{ input.n }}, ${D}{{ input.none }}, ${D}{{ input.text }}`, 'n=5, null, hi'],
    [`l=${D}{{ input.list }}`, 'l=[1,{"a":1,"b":2}]'],
    [`${D}{{ input.text }}${D}{{ nodes.a.output }}`, 'hidone'],
    [`${D}{{ "}}" }}`, '}}'],
    [`${D}{{ '}}' + "\\"}}" }}`, '}}"}}'],
    [`${D}{{ """a}}"b""" }}`, 'a}}"b'],
    [`${D}{{ {"a": {"b": input.n}} }}`, { a: { b: 5 } }],
    [`${D}{{ 1 // }} not here\n + 1 }}`, 2],
    [`${D}${D}{{ input.n }}`, `${D}{{ input.n }}`],
    [`${D}${D}{{ a }} ${D}{{ input.n }}`, `${D}{{ a }} 5`],
    ['costs 5 $ {{ }} }}', 'costs 5 $ {{ }} }}'],
    ['', ''],
    [7, 7],
    [null, null],
  ])('%j has the value %j', (template, value) => {
    expect(evaluateTemplate(template, SCOPE)).toEqual(value);
  });

  it('is filled in at any depth, its keys left as they are', () => {
    const template = JSON.parse(`{"__proto__": {"x": ["${D}{{ input.n }}"]}, "${D}{{ k }}": true}`) as unknown;
    const value = evaluateTemplate(template, SCOPE) as object;
    expect(JSON.stringify(value)).toBe(`{"__proto__":{"x":[5]},"${D}{{ k }}":true}`);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it('without an end is refused', () => {
    for (const text of [`${D}{{ 1`, `${D}{{ "}}`, `${D}{{ {"a": 1 }}`, `${D}{{ 1 // }}`])
      expect(() => evaluateTemplate(text, SCOPE)).toThrow("without '}}'");
  });

  it('names the expression that has no value', () => {
    expect(() => evaluateTemplate({ a: [`x ${D}{{ input.m }}`] }, SCOPE)).toThrow(
      "'input.m' has no value: No such key: m",
    );
  });
});
