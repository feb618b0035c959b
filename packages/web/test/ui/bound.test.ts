import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundText, piecesOf } from '../../src/ui/bound.ts';

describe('a text that is too long for a page', () => {
  it('is shown up to so many lines and characters', () => {
    expect(boundText('a\nb\nc\nd', { lines: 2 })).toEqual({ shown: 'a\nb', left: 4 });
    expect(boundText('abcdef', { characters: 4 })).toEqual({ shown: 'abcd', left: 2 });
    expect(boundText('short')).toEqual({ shown: 'short', left: 0 });
  });

  it('is never cut within a character', () => {
    expect(boundText('ab\u{1f331}', { characters: 3 })).toEqual({ shown: 'ab', left: 2 });
    expect(boundText('ab\u{1f331}', { characters: 4 })).toEqual({ shown: 'ab\u{1f331}', left: 0 });
  });

  it('is shown whole in pieces, each of which a page can lay out', () => {
    const line = fc.integer({ min: 0, max: 30_000 }).map((length) => 'x'.repeat(length));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 6 }), (lines) => {
        const pieces = piecesOf(lines.join('\n'));
        expect(pieces.join('').replaceAll('\n', '')).toBe(lines.join(''));
        for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(20_000);
      }),
      { numRuns: 50 },
    );
  });

  it('keeps its lines where they are short enough', () => {
    const text = Array.from({ length: 5_000 }, (_, index) => `line ${index}`).join('\n');
    expect(piecesOf(text).join('\n')).toBe(text);
  });
});
