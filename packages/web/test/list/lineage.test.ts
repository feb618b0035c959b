import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arrangeLineage, listLineage } from '../../src/list/lineage.ts';
import { moveOf, stepTo } from '../../src/list/moves.ts';
import { matcherOf } from '../../src/list/search.ts';
import { makeRow } from './rows.ts';

const NONE: ReadonlySet<string> = new Set();

/** The tree as text: one row a line, indented by its depth. */
function draw(rows: Parameters<typeof arrangeLineage>[0], filter: Partial<Parameters<typeof listLineage>[1]> = {}) {
  return listLineage(arrangeLineage(rows), { collapsed: NONE, ...filter }).map(
    ({ row, depth, isContext }) => `${'  '.repeat(depth)}${row.id}${isContext ? '?' : ''}`,
  );
}

describe('the tree of sessions and runs', () => {
  it('puts children below their parents, by where they began, then by when', () => {
    const rows = [
      makeRow('late', { from: ['root', 9] }),
      makeRow('second', { from: ['root', 4], createdAt: '2026-01-03T00:00:00.000Z' }),
      makeRow('first', { from: ['root', 4], createdAt: '2026-01-02T00:00:00.000Z' }),
      makeRow('root'),
      makeRow('grandchild', { from: ['first', 2] }),
    ];
    expect(draw(rows)).toEqual(['root', '  first', '    grandchild', '  second', '  late']);
  });

  it('puts the tree with the newest activity anywhere in it first', () => {
    const rows = [
      makeRow('old'),
      makeRow('other', { lastTime: '2026-01-05T00:00:00.000Z' }),
      makeRow('fork', { from: ['old', 1], lastTime: '2026-01-09T00:00:00.000Z' }),
    ];
    expect(draw(rows)).toEqual(['old', '  fork', 'other']);
  });

  it('keeps a row whose parent was removed, and rows whose descent goes round', () => {
    expect(draw([makeRow('child', { from: ['gone', 3] })])).toEqual(['child']);
    expect(draw([makeRow('a', { from: ['b', 1] }), makeRow('b', { from: ['a', 1] })])).toEqual(['a', 'b']);
    expect(draw([makeRow('self', { from: ['self', 1] })])).toEqual(['self']);
  });

  it('hides what is below a row that is folded, and tells how many there are', () => {
    const rows = [makeRow('root'), makeRow('child', { from: ['root', 1] })];
    const shown = listLineage(arrangeLineage(rows), { collapsed: new Set(['root']) });
    expect(shown).toMatchObject([{ row: { id: 'root' }, children: 1, isExpanded: false }]);
  });

  it('shows what is searched for with all that leads to it, whatever is folded', () => {
    const rows = [
      makeRow('root'),
      makeRow('child', { from: ['root', 1] }),
      makeRow('wanted', { from: ['child', 2], title: 'Fix the parser' }),
      makeRow('other'),
    ];
    const matches = matcherOf({ search: 'PARSER fix' });
    expect(matches).toBeDefined();
    expect(draw(rows, { ...(matches && { matches }), collapsed: new Set(['root']) })).toEqual([
      'root?',
      '  child?',
      '    wanted',
    ]);
  });

  it('unfolds a row that was found only where rows below it were', () => {
    const matches = matcherOf({ search: 'root' });
    const rows = [makeRow('root'), makeRow('child', { from: ['root', 1], title: 'other' })];
    const found = listLineage(arrangeLineage(rows), { collapsed: NONE, ...(matches && { matches }) });
    expect(found).toMatchObject([{ row: { id: 'root' }, children: 0, isExpanded: false, siblings: 1 }]);
  });

  it('shows every row exactly once, whatever the logs say of descent', () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    const parents = fc.array(fc.option(fc.constantFrom(...ids, 'gone')), { minLength: 6, maxLength: 6 });
    fc.assert(
      fc.property(parents, (chosen) => {
        const rows = ids.map((id, index) => {
          const parent = chosen[index];
          return makeRow(id, parent === null || parent === undefined ? {} : { from: [parent, index] });
        });
        expect(
          draw(rows)
            .map((line) => line.trim())
            .sort(),
        ).toEqual(ids);
      }),
    );
  });
});

describe('searching', () => {
  it('finds by title, id, model and state, within a project', () => {
    const row = makeRow('0193-abcd', { title: 'Fix it', with: 'anthropic/x', state: 'running', project: 'p' });
    for (const search of ['fix', '0193abcd', '0193-ab', 'ANTHROPIC', 'running fix']) {
      expect(matcherOf({ search })?.(row)).toBe(true);
    }
    expect(matcherOf({ search: 'fix absent' })?.(row)).toBe(false);
    expect(matcherOf({ search: 'fix', project: 'q' })?.(row)).toBe(false);
    expect(matcherOf({ search: ' ' })).toBeUndefined();
  });
});

describe('keys in the tree', () => {
  it('go no further than its ends', () => {
    expect(stepTo('next', 4, 5)).toBe(4);
    expect(stepTo('previous', 0, 5)).toBe(0);
    expect(stepTo('next', -1, 5)).toBe(0);
    expect(stepTo('page', 0, 5)).toBe(4);
  });

  it('are those without a modifier', () => {
    const none = { ctrlKey: false, metaKey: false, altKey: false };
    expect(moveOf({ key: 'j', ...none })).toBe('next');
    expect(moveOf({ key: 'j', ...none, ctrlKey: true })).toBeNull();
    expect(moveOf({ key: 'q', ...none })).toBeNull();
  });
});
