import fc from 'fast-check';
import { parseDiff } from 'react-diff-view';
import { describe, expect, it } from 'vitest';
import { makeEditPatch } from '../../src/calls/edit-patch.ts';
import { summarizeInput } from '../../src/calls/summary.ts';

/** The two sides of a patch, as the part that draws it reads them. */
function sidesOf(patch: string): { readonly old: readonly string[]; readonly new: readonly string[] } {
  const changes = parseDiff(patch).flatMap(({ hunks }) => hunks.flatMap((hunk) => hunk.changes));
  const side = (other: string) => changes.filter(({ type }) => type !== other).map(({ content }) => content);
  return { old: side('insert'), new: side('delete') };
}

describe('an edit as a patch', () => {
  it('shows what both sides share once, and the rest as taken out and put in', () => {
    const patch = makeEditPatch({ path: 'src/a.ts', old: 'one\ntwo\nthree\n', new: 'one\n2\nthree\n' });
    expect(patch.split('\n').slice(3)).toEqual(['@@ -1,3 +1,3 @@', ' one', '-two', '+2', ' three', '']);
  });

  it('holds every line of both sides, whatever they are', () => {
    const word = fc.constantFrom('a', 'b', 'a', '', '+x', '-y', '@@ -1 +1 @@');
    const lines = fc.array(word, { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const sides = sidesOf(
          makeEditPatch({ path: 'a', old: `${before.join('\n')}\n`, new: `${after.join('\n')}\n` }),
        );
        expect(sides).toEqual({ old: before, new: after });
      }),
    );
  });

  it('of a new file only puts in', () => {
    expect(sidesOf(makeEditPatch({ path: 'a', old: '', new: 'x\ny\n' }))).toEqual({ old: [], new: ['x', 'y'] });
  });

  it('keeps a path with a newline in its line', () => {
    expect(makeEditPatch({ path: 'a\n+++ b/c', old: 'x', new: 'y' }).split('\n')).toHaveLength(7);
  });
});

describe('a call in one line', () => {
  it('is its command, its path or what it searches for', () => {
    expect(summarizeInput({ command: 'make test' })).toBe('make test');
    expect(summarizeInput({ path: 'a.ts', old: 'x', new: 'y' })).toBe('a.ts');
    expect(summarizeInput({ pattern: 'TODO', path: 'src' })).toBe('TODO in src');
    expect(summarizeInput({ to: 'me', count: 2 })).toBe('to: me, count: 2');
    expect(summarizeInput(null)).toBe('');
  });

  it('is short, says that it was cut, and holds no control character', () => {
    expect(summarizeInput({ command: 'one\ntwo' })).toBe('one…');
    expect(summarizeInput({ command: '\u001b[31mred' })).toBe('\\x1b[31mred');
    expect(summarizeInput({ command: 'x'.repeat(5_000_000) }).length).toBeLessThan(300);
  });
});
