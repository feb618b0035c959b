import {
  bodyNumberOf,
  innermostItemOf,
  isInside,
  itemPathOf,
  liesIn,
  nodeIdOf,
  nodePathOf,
  ownerIdOf,
  ownerPathOf,
  parseNodePath,
  passPathOf,
  splitNodePath,
} from '@ramet/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const id = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/);
const step = fc.oneof(fc.record({ id, item: fc.nat() }), fc.record({ id, pass: fc.nat().map((pass) => pass + 1) }));

describe('paths of nodes', () => {
  it('reads the steps of a path, outermost first', () => {
    expect(parseNodePath('m1[2]/f1#3/body')).toEqual([{ id: 'm1', item: 2 }, { id: 'f1', pass: 3 }, { id: 'body' }]);
    expect(parseNodePath('only')).toEqual([{ id: 'only' }]);
  });

  it('reads what it writes', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 4 }), id, (around, last) => {
        const body = around.reduce((outer, at) => {
          const path = nodePathOf(outer, at.id);
          return 'item' in at ? itemPathOf(path, at.item) : passPathOf(path, at.pass);
        }, '');
        const path = nodePathOf(body, last);
        expect(parseNodePath(path)).toEqual([...around, { id: last }]);
        expect(splitNodePath(path)).toEqual({ body, id: last });
        expect(nodeIdOf(path)).toBe(last);
      }),
    );
  });

  it.each([
    '',
    '/',
    'a/b',
    'm[1]',
    'm#1',
    'm[01]/a',
    'm[-1]/a',
    'f#0/a',
    'm[1]/',
    '/a',
    'm[1]#2/a',
    '1a',
    'a b',
    7,
    null,
  ])('refuses %j', (text) => {
    expect(parseNodePath(text)).toBeNull();
  });

  it('says which item or pass of which map or fold a body is', () => {
    fc.assert(
      fc.property(id, id, fc.nat(), (outer, inner, number) => {
        const owner = nodePathOf(itemPathOf(outer, 7), inner);
        for (const body of [itemPathOf(owner, number), passPathOf(owner, number + 1)]) {
          expect([ownerPathOf(body), ownerIdOf(body)]).toEqual([owner, inner]);
          expect(bodyNumberOf(body)).toBe(body.endsWith(']') ? number : number + 1);
        }
      }),
    );
    expect([ownerPathOf(''), bodyNumberOf('')]).toEqual(['', 0]);
  });

  it('says which item of the innermost map a node lies in', () => {
    expect(['m[12]/a', 'm[1]/n[2]/a', 'm[3]/f#4/a', 'f#1/a', 'a'].map(innermostItemOf)).toEqual([12, 2, 3, null, null]);
  });

  it('says what lies in one body, at any depth', () => {
    expect(['m[1]/a', 'm[1]/f#2/a'].map((path) => liesIn(path, 'm[1]'))).toEqual([true, true]);
    expect(['m[10]/a', 'm', 'a/m[1]/b'].map((path) => liesIn(path, 'm[1]'))).toEqual([false, false, false]);
    expect(liesIn('a', '')).toBe(true);
  });

  it('says what lies inside a map or fold, at any depth', () => {
    expect(['m[0]/a', 'm[0]/f#1/a', 'm#1/a'].map((path) => isInside(path, 'm'))).toEqual([true, true, true]);
    expect(['m', 'm2[0]/a', 'a/m[0]/b'].map((path) => isInside(path, 'm'))).toEqual([false, false, false]);
  });
});
